-- SPDX-License-Identifier: ISC
-- What PostgreSQL logs about this database: that a statement failed and why,
-- without its parameters, which may be an address or a phone number.
-- A superuser runs this file in the database of Assay, also after a restore:
--
--	psql -d assay -f logging.sql
--
-- Sessions that begin later have these settings.  The programs of Assay may not
-- change them.
do $$
declare
	setting record;
begin
	for setting in select * from (values
		-- No statement, whatever its duration and result.
		('log_statement', 'none'),
		('log_min_duration_statement', '-1'),
		('log_min_duration_sample', '-1'),
		('log_transaction_sample_rate', '0'),
		('log_min_error_statement', 'panic'),
		-- No parameters with a statement.
		('log_parameter_max_length', '0'),
		('log_parameter_max_length_on_error', '0'),
		-- Errors in one line, because details, hints and contexts quote rows.
		('log_error_verbosity', 'terse'),
		('log_min_messages', 'warning')
	) as s(name, value) loop
		execute format('alter database %I set %I = %L',
			current_database(), setting.name, setting.value);
	end loop;
end
$$;
