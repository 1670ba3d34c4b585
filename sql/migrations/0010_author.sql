-- SPDX-License-Identifier: ISC
-- The role author.  A pool of an earlier release crashes when an author logs in
-- to it: add authors after the upgrade of the last host.

alter table assay.operator drop constraint operator_role_check,
    add constraint operator_role_check
	check (role in ('admin', 'analyst', 'author'));
