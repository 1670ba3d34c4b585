-- SPDX-License-Identifier: ISC
-- Fill in what older cases say about their events, from what the logs still
-- have.  This is a migration of its own: it locks old cases, one by one, and
-- not the table, so that decisions open new cases meanwhile.

-- Plain scans: the logs may be large, and each is read once.
set local enable_nestloop = off;
update assay.review_case r
set event_type = v.event_type,
	tags = array(select t.tag
	    from json_to_recordset(v.reasons::json) as t(tag text)
	    where not starts_with(t.tag, 'ml:'))
from assay.verdict_log v
where r.event_type is null and v.decided_at = r.opened_at
	and v.id = r.verdict_id;
update assay.review_case r
set amount = (d.request::json ->> 'amount')::double precision,
	currency = d.request::json ->> 'currency'
from assay.decision_detail d
where r.amount is null and d.decided_at = r.opened_at
	and d.verdict_id = r.verdict_id
	-- An amount with an exponent, or with very many digits, may be too small for
	-- the column.
	and (d.request::json ->> 'amount') ~ '^[0-9]{1,16}([.][0-9]{1,200})?$';
