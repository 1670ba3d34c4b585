-- SPDX-License-Identifier: ISC
-- When retention last swept, so that over all hosts one does when it is due.

-- began_at is when the last sweep began; done_at when it was through, null
-- while it goes on or if it was cut short, and then the next goes on from
-- there.  lost names the tables that have lost rows since one was through.
create table assay.retention_sweep (
	one boolean primary key default true check (one),
	began_at timestamptz not null default '-infinity',
	done_at timestamptz default '-infinity',
	lost text[] not null default '{}'
);
insert into assay.retention_sweep default values;

-- It has more parameters now.
drop function if exists assay.retention_batches(text, timestamptz);
