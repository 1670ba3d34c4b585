-- SPDX-License-Identifier: ISC
-- Operators who may no longer log in, and passwords that another has set.

-- disabled_at: since when nobody logs in as this operator; null is active.
-- password_temporary: another has set the password, and knows it.
alter table assay.operator
    add column disabled_at timestamptz,
    add column password_temporary boolean not null default false;

-- It tells of both now.
drop function if exists assay.login_try(text, bytea);
