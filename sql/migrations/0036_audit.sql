-- SPDX-License-Identifier: ISC
-- The audit trail: acts that no operator sent, and a chain of hashes over it.

-- Beside the operators' roles: owner for acts on the database, none for logins
-- that failed.
alter table assay.audit drop constraint if exists audit_role_check;
alter table assay.audit add constraint audit_role_check
    check (role ~ '^[a-z]{1,16}$');

-- Logins that failed in this hour, by account: a keyed hash of an operator's
-- email, or "unknown" for all emails that no operator has.
create table assay.login_burst (
	account text primary key,
	hour timestamptz not null,
	failures bigint not null
);

-- Seals of the trail, in a chain: the seal is over all rows after the last of
-- the seal before, up to its own last.  assay-cron(8) has the bytes that are
-- hashed.
create table assay.audit_seal (
	number bigint primary key,
	last bigint not null, -- assay.audit.number
	rows bigint not null,
	at timestamptz not null,
	hash bytea not null -- SHA-256
);

-- The day (UTC) on which the newest seal was written to the log.
create table assay.audit_told (
	one boolean primary key default true check (one),
	day date not null
);
insert into assay.audit_told (day) values ('1970-01-01');
