-- SPDX-License-Identifier: ISC
-- The audit trail.

-- One page of it as callers see it, newest first, and how long it is.
create or replace function assay.audit_page(page_limit bigint,
    page_offset bigint)
returns text language sql stable
set search_path = pg_catalog, pg_temp
return json_build_object(
    'total', (select count(*) from assay.audit),
    'entries', (select coalesce(json_agg(json_build_object(
	    'id', p.id,
	    'at', assay.time_text(p.at),
	    'actor', p.actor,
	    'role', p.role,
	    'action', p.action,
	    'status', p.status,
	    'params', p.params::json) order by p.number desc), '[]')
	from (select * from assay.audit a
	    order by a.number desc
	    limit audit_page.page_limit offset audit_page.page_offset) p)
)::text;
