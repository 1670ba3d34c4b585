-- SPDX-License-Identifier: ISC
-- The longest time without a scored decision since :began, the decisions that were
-- degraded, and, if the server has left :timeline since then, how long after its
-- promotion the first was scored.
with timeline as (
	select left(pg_walfile_name(pg_current_wal_lsn()), 8) as name
), promotion as (
	select (pg_stat_file('pg_wal/' || name || '.history')).modification as at
	from timeline where name <> :'timeline'
), decision as (
	select score >= 0 as scored, decided_at,
		decided_at - lag(decided_at) over (partition by score >= 0
		    order by decided_at) as pause
	from assay.verdict_log where decided_at > :'began'
)
select format('%s s without a scored decision, %s degraded of %s',
	round(extract(epoch from max(d.pause) filter (where d.scored)), 1),
	count(*) filter (where not d.scored), count(*))
    || case when p.at is null then '' else format(', scored %s s after the promotion',
	greatest(0, round(extract(epoch from min(d.decided_at)
	    filter (where d.scored and d.decided_at > p.at) - p.at), 1))) end
from decision d left join promotion p on true
group by p.at;
