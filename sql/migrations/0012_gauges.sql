-- SPDX-License-Identifier: ISC
-- The gauges of a program before 0025 read a table that 0025 drops, which
-- PostgreSQL refuses while they stand.  All functions are made anew after the
-- migrations.  This number was free, and comes first where 0025 is to come.
drop function if exists assay.gauges(bigint);
