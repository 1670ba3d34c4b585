-- SPDX-License-Identifier: ISC
-- Settings that admins change while the service runs.

-- Set these settings to these values; null removes the override.  Bumps the
-- epoch, so that every process reloads the settings.
create or replace function assay.setting_put(names text[], vals text[])
returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
	delete from assay.setting s using unnest(names, vals) as w(name, value)
	where s.name = w.name and w.value is null;
	insert into assay.setting (name, value)
	select w.name, w.value::double precision
	from unnest(names, vals) as w(name, value)
	where w.value is not null
	on conflict (name) do update
	set value = excluded.value, changed_at = now();
	update assay.epoch set settings = settings + 1;
end
$$;
