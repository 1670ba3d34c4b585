-- SPDX-License-Identifier: ISC
-- Velocities: since when decisions know them, so that a backtest need not compute them.
-- locks: velocity all moment

alter table assay.velocity add column
	-- Null: it is not complete, or became so seconds ago.
	complete_since timestamptz;
