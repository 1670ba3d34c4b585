-- SPDX-License-Identifier: ISC
-- What PostgreSQL logs of this database: that a statement failed and why, and
-- nothing of what it was given, which may be an address or a phone number.
-- A superuser runs it in the database of Assay, after each restore as well:
--
--	psql -d assay -f logging.sql
--
-- Sessions that begin after it have these settings, and no program of ours
-- may change them.
do $$
declare
	setting record;
begin
	for setting in select * from (values
		-- No statement, whatever it took and however it ended.
		('log_statement', 'none'),
		('log_min_duration_statement', '-1'),
		('log_min_duration_sample', '-1'),
		('log_transaction_sample_rate', '0'),
		('log_min_error_statement', 'panic'),
		-- No parameters beside one.
		('log_parameter_max_length', '0'),
		('log_parameter_max_length_on_error', '0'),
		-- Errors in one line: details, hints and contexts quote rows.
		('log_error_verbosity', 'terse'),
		('log_min_messages', 'warning')
	) as s(name, value) loop
		execute format('alter database %I set %I = %L',
			current_database(), setting.name, setting.value);
	end loop;
end
$$;
