-- SPDX-License-Identifier: ISC
-- What labels teach decides where SCORER is learned: on the next decision.

-- The number of assay.tag_count: what a worker has of it is as old as this.
-- It stands in a row of its own, which only those decisions read that go by
-- it: labels come all day, and the row that every decision reads must not
-- gather versions of itself while somebody looks at an old snapshot.
create table assay.tag_epoch (
	one boolean primary key default true check (one),
	number bigint not null default 1
);
insert into assay.tag_epoch default values;

-- Both take another parameter now.
drop function if exists assay.label_credit(text[]);
drop function if exists assay.label_tags(text);
