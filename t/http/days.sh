# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# The risk counts of devices and ips by day, against a recount.  Sourced after lib.sh.

# days_counted: the packed rows as "entity|day|events|labels|fraud".
days_counted() {
	sql "select entity || ' ' || encode(days, 'hex') from assay.entity_risk
	    order by entity" | perl -ne '
		my ($entity, @bytes) = (split)[0];
		@bytes = unpack "C*", pack "H*", (split)[1];
		shift @bytes == 1 or die "layout";
		my $int = sub {
			my ($n, $shift, $byte) = (0, 0);
			do {
				$byte = shift @bytes;
				$n |= ($byte & 127) << $shift;
				$shift += 7;
			} while $byte > 127;
			return $n;
		};
		my $day;
		while (@bytes) {
			my $n = $int->();
			$day = defined $day ? $day - $n : $n;
			print join("|", $entity, $day,
			    map { $int->() } 1 .. 3), "\n";
		}' | LC_ALL=C sort
}

# days_recounted: the same from detail rows and labels.
days_recounted() {
	sql "select w.entity, assay.risk_day(v.decided_at), count(*),
	    count(l.event_id), count(*) filter (where l.outcome = 'fraud')
	from assay.verdict_log v
	    join assay.decision_detail d on d.verdict_id = v.id
	    left join assay.label l on l.event_id = v.event_id,
	    lateral (values (d.device), (d.ip)) as w(entity)
	where v.score >= 0 and w.entity is not null
	group by 1, 2" | LC_ALL=C sort
}

# shellcheck disable=SC2317 # called by name
days_agree() {
	[ "$(days_counted)" = "$(days_recounted)" ]
}
