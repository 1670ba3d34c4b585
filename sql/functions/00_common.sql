-- SPDX-License-Identifier: ISC
-- What other functions stand on; this file is run first.

-- A time as every answer writes it: UTC, milliseconds (cut) and Z.
create or replace function assay.time_text(at timestamptz)
returns text language sql stable
set search_path = pg_catalog, pg_temp
return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
