# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Old rows for retention to remove.  Sourced after lib.sh, and by the benchmark,
# which has its own sql().

# add_months N: make the partitions of the last N months that do not exist.
add_months() {
	sql "do \$\$
	declare
		first timestamptz;
		part text;
		parent text;
	begin
		set timezone = 'UTC';
		for n in 1 .. $1 loop
			first := date_trunc('month', now()) - make_interval(months => n);
			foreach parent in array array['decision_detail', 'verdict_log'] loop
				part := parent || to_char(first, '_YYYYMM');
				continue when to_regclass('assay.' || part)
				    is not null;
				execute format('create table assay.%I (like assay.%I
				    including all)', part, parent);
				execute format('alter table assay.%I attach partition
				    assay.%I for values from (%L) to (%L)', parent,
				    part, first, first + interval '1 month');
			end loop;
		end loop;
	end \$\$"
}

# add_history: old rows of every kind.
add_history() {
	add_months 15
	# A decision every two hours for fourteen months; one in five has no
	# sample.
	sql "insert into assay.verdict_log (decided_at, id, event_id, event_type,
		verdict, score, reasons, policy_id, policy_version,
		correlation_id)
	    select now() - n * interval '2 hours' + interval '1 hour', 'vd_' || n, 'old-' || n,
		'card.authorize', 'allow', 0, '[]', 'p', '1', 'c'
	    from generate_series(1, 5000) n"
	sql "insert into assay.decision_detail (decided_at, verdict_id, event_id,
		event_type, user_id, request, sample)
	    select decided_at, id, event_id, event_type, 'u', '{}',
		case when right(id, 1) not in ('3', '8') then '{}' end
	    from assay.verdict_log"
	sql "insert into assay.idempotency (key, verdict_id, event_id, decided_at)
	    select event_id, id, event_id, decided_at from assay.verdict_log
	    order by decided_at desc"
	sql "insert into assay.dead_letter (id, subscriber_id, event, data,
		correlation_id, occurred_at, dead_at)
	    select 'whd_' || n, 'whk_0', 'case.resolved.v1', '{}', 'c', now(),
		now() - n * interval '1 day' + interval '1 hour'
	    from generate_series(1, 60) n"
	sql "insert into assay.label (event_id, chargeback, labelled_at)
	    select 'never-' || n, 'fraud', now() - n * interval '1 day'
		+ interval '1 hour'
	    from generate_series(1, 500) n"
}

# rows_left: how many rows of each kind from add_history are left.
rows_left() {
	sql "select (select count(*) from assay.verdict_log
		where id ~ '^vd_[0-9]{1,4}\$'),
	    (select count(request) from assay.decision_detail where user_id = 'u'),
	    (select count(sample) from assay.decision_detail where user_id = 'u'),
	    (select count(*) from assay.decision_detail where user_id = 'u'),
	    (select count(*) from assay.idempotency where key like 'old-%'),
	    (select count(*) from assay.dead_letter),
	    (select count(*) from assay.label where event_id like 'never-%')"
}
