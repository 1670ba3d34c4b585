# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# The risk counts of devices and ips by slot, against a recount.  Sourced after lib.sh.

# days_counted: the packed rows as "entity|slot|events|labels|fraud".
days_counted() {
	sql "select entity || ' ' || encode(days, 'hex') from assay.entity_risk
	    order by entity" | perl -ne '
		my ($entity, @bytes) = (split)[0];
		@bytes = unpack "C*", pack "H*", (split)[1];
		shift @bytes == 2 or die "layout";
		my $int = sub {
			my ($n, $shift, $byte) = (0, 0);
			do {
				$byte = shift @bytes;
				$n |= ($byte & 127) << $shift;
				$shift += 7;
			} while $byte > 127;
			return $n;
		};
		my $slot;
		while (@bytes) {
			my $n = $int->();
			$slot = defined $slot ? $slot - $n : $n;
			my $events = $int->();
			my $kind = $events & 3;
			$events >>= 2;
			my @labels = (0, 0);
			@labels = ($events, 0) if $kind == 1;
			@labels = ($events, $events) if $kind == 2;
			@labels = ($int->(), $int->()) if $kind == 3;
			print join("|", $entity, $slot, $events, @labels), "\n";
		}' | LC_ALL=C sort
}

# days_recounted: the same from detail rows and labels.  A day that is 16 days or more
# before the newest one of its entity has one slot.
days_recounted() {
	sql "select entity, case when slot / 8 < newest / 8 - 15 then slot / 8 * 8
		else slot end, sum(events), sum(labels), sum(fraud)
	from (select w.entity, max(assay.risk_slot(v.decided_at))
		    over (partition by w.entity) as newest,
		assay.risk_slot(v.decided_at) as slot,
		1 as events, (l.event_id is not null)::int as labels,
		coalesce(l.outcome = 'fraud', false)::int as fraud
	    from assay.verdict_log v
		join assay.decision_detail d on d.verdict_id = v.id
		left join assay.label l on l.event_id = v.event_id,
		lateral (values (d.device), (d.ip)) as w(entity)
	    where v.score >= 0 and w.entity is not null) as c
	group by 1, 2" | LC_ALL=C sort
}

# shellcheck disable=SC2317 # called by name
days_agree() {
	[ "$(days_counted)" = "$(days_recounted)" ]
}
