-- SPDX-License-Identifier: ISC
-- Each delivery is written, claimed and removed within a second or two: there
-- is room on its page for the claim, which touches no index, and what is gone
-- is swept up soon.
alter table assay.delivery set (
	fillfactor = 60,
	autovacuum_vacuum_threshold = 2000,
	autovacuum_vacuum_scale_factor = 0.05
);
