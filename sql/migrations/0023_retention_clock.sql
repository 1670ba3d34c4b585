-- SPDX-License-Identifier: ISC
-- Clocks that are wrong: how far sweeps believe the clock of the server, which
-- assay.retention_begin() moves, and whether decisions of now have partitions.

alter table assay.retention_sweep
	add column clock timestamptz not null default clock_timestamp();
drop function if exists assay.retention_begin(bigint);
drop function if exists assay.schema_status(bigint[]);
