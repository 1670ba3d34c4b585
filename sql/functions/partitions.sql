-- SPDX-License-Identifier: ISC
-- Monthly partitions of the logs of decisions.

-- Create the missing partitions of the verdict log and the details, from this
-- month to that number of months later.  Returns how many.  A partition is
-- first created, then attached, so that decisions do not wait.  There is no
-- default partition: a row without a partition is an error.
create or replace function assay.partitions_ahead(months int)
returns int
language plpgsql security definer
set search_path = pg_catalog, pg_temp set datestyle = 'ISO'
as $$
declare
	parent text;
	part text;
	first timestamp;
	made int := 0;
begin
	if months not between 0 and 120 then
		raise 'at most 120 months can be created ahead'
		using errcode = 'invalid_parameter_value';
	end if;
	perform pg_advisory_xact_lock(hashtextextended('assay partitions', 0));
	foreach parent in array array['verdict_log', 'decision_detail'] loop
		for first in select generate_series(
		    date_trunc('month', now() at time zone 'UTC'),
		    date_trunc('month', now() at time zone 'UTC')
			+ make_interval(months => months),
		    interval '1 month')
		loop
			part := parent || to_char(first, '"_"YYYYMM');
			continue when to_regclass('assay.' || part) is not null;
			execute format('create table assay.%I (like assay.%I '
			    'including all)', part, parent);
			execute format('alter table assay.%I attach partition assay.%I '
			    'for values from (%L) to (%L)', parent, part,
			    first at time zone 'UTC',
			    (first + interval '1 month') at time zone 'UTC');
			made := made + 1;
		end loop;
	end loop;
	return made;
end
$$;
