-- SPDX-License-Identifier: ISC
-- The audit trail.

-- One page of it as callers see it, newest first, and how long it is; only
-- what is older than the entry before, unless that is null.
drop function if exists assay.audit_page(bigint, bigint);
create or replace function assay.audit_page(page_limit bigint,
    page_offset bigint, before text)
returns table (refusal text, body text) language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
	last bigint := 9223372036854775807;
begin
	if before is not null then
		select a.number into last from assay.audit a
		where a.id = before;
		if not found then
			return query select 'NOT_FOUND', null::text;
			return;
		end if;
	end if;
	return query select null::text, json_build_object(
	    'total', (select count(*) from assay.audit),
	    'entries', (select coalesce(json_agg(json_build_object(
		    'id', p.id,
		    'at', assay.time_text(p.at),
		    'actor', p.actor,
		    'role', p.role,
		    'action', p.action,
		    'status', p.status,
		    'params', p.params::json) order by p.number desc), '[]')
		from (select * from assay.audit a where a.number < last
		    order by a.number desc
		    limit page_limit offset page_offset) p)
	)::text;
end
$$;
