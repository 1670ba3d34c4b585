-- SPDX-License-Identifier: ISC
-- Velocities: since when the decisions find them known, so that a backtest need not
-- compute them again.
-- locks: velocity all moment

alter table assay.velocity add column
	-- Null: it is not complete, or not marked yet.
	complete_since timestamptz;
