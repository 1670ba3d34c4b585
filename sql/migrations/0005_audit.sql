-- SPDX-License-Identifier: ISC
-- The audit trail: what operators changed, or were refused.

-- Append-only.  action is the method and the path; params are those of the
-- body, secrets redacted and addresses masked before they come here.
create table assay.audit (
	number bigint generated always as identity primary key,
	id text not null unique,
	at timestamptz not null default clock_timestamp(),
	actor text not null, -- personal: an operator's email
	role text not null check (role in ('admin', 'analyst')),
	action text not null,
	status smallint not null,
	params text not null -- JSON; personal: user ids and what people write
);
