-- SPDX-License-Identifier: ISC
-- Settings that admins change while the service runs.

-- An override; without a row the environment's value holds.  The names are
-- those of /v1/config: 'decisionsPerMin', 'loginPerMin', 'anomalyZScore' and
-- 'retention.verdicts' and its like.
create table assay.setting (
	name text primary key,
	value double precision not null,
	changed_at timestamptz not null default now()
);
alter table assay.epoch add column settings bigint not null default 1;
