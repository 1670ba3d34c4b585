-- SPDX-License-Identifier: ISC
-- The first policies, one for each event type.
\pset tuples_only on
\pset format unaligned
select p.event_type, p.id, p.version, p.on_error, string_agg(
	format('%s-%s %s%s', b.min, b.max, b.verdict, ' ' || b."reviewQueue"),
	', ' order by b.min)
from assay.policy_active a join assay.policy p using (event_type, version),
	jsonb_to_recordset(p.bands)
	as b(verdict text, min int, max int, "reviewQueue" text)
group by 1, 2, 3, 4 order by 1;
