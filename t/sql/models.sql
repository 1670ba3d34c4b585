-- SPDX-License-Identifier: ISC
-- Models: which one is active after publishing, polls of sources and rollbacks.
\pset tuples_only on
\pset format unaligned

create function pg_temp.b(version int) returns text language sql strict
    return format('{"featuresVersion":%s}', version);
create function pg_temp.h(version int) returns text language sql
    return encode(sha256(convert_to(pg_temp.b(version), 'UTF8')), 'hex');
create view pg_temp.serves as
    select coalesce(m.features_version::text, 'bundled') as version, l.origin,
	(select model from assay.epoch) as epoch
    from (select 1) one left join lateral (select * from assay.model_activation
	order by number desc limit 1) l on true
	left join assay.model m using (hash);

-- At first there is no activation.
select * from pg_temp.serves;

-- A published model is active; publishing it again changes nothing.
select assay.model_activate('published', pg_temp.h(1), pg_temp.b(1));
select * from pg_temp.serves;
select assay.model_activate('published', pg_temp.h(1), pg_temp.b(1));
select * from pg_temp.serves;

-- turn() takes a lease for a host; look() reports what it finds at its source.
create function pg_temp.turn(host text, minutes bigint) returns timestamptz
language sql return (select lease_end from assay.model_source_claim(host, 'disk ' || host,
	'disk', minutes, 5000, 2));
create function pg_temp.look(host text, version int, refusal text default null)
returns table (lease_held boolean, activated boolean, refusal_changed boolean) language sql
as $$ select l.* from assay.model_source_report('disk ' || host, pg_temp.turn(host, 0),
    pg_temp.h(version), pg_temp.b(version), null, refusal) l $$;

-- The first poll of a host loads its file; its later polls do not, nor do polls
-- of another host with the same file.
select * from pg_temp.look('a', 2);
select * from pg_temp.serves;
select pg_temp.turn('a', 5) is null;
select * from pg_temp.look('a', 2);
select * from pg_temp.look('b', 2);
select * from pg_temp.serves;

-- A file that is rolled out host by host is active from the first host on; a
-- host that still has the old file does not reactivate that.
select * from pg_temp.look('a', 3);
select * from pg_temp.look('b', 2);
select * from pg_temp.serves;
select * from pg_temp.look('b', 3);
select * from pg_temp.serves;

-- A new host loads a new file, but not a file that was loaded before.
select * from pg_temp.look('c', 2);
select * from pg_temp.serves;
select * from pg_temp.look('d', 4);
select * from pg_temp.serves;

-- A host that gets the old file back has a changed file, which is loaded.
select * from pg_temp.look('a', 2);
select * from pg_temp.serves;

-- A refused model changes nothing.  It is reported when it begins, when its
-- reason changes, and when it ends.
select * from pg_temp.look('a', null, 'is bad');
select * from pg_temp.look('a', null, 'is bad');
select * from pg_temp.look('a', null, 'is worse');
select refusal, failures, refused_at < polled_at
from assay.model_source where name = 'disk a';
select * from pg_temp.serves;
select assay.model_activate('published', pg_temp.h(5), pg_temp.b(5));
select * from pg_temp.look('a', 2);
select refusal, failures, refused_at from assay.model_source
where name = 'disk a';
select * from pg_temp.serves;

-- A host without a source ends no published model, and no model of a source
-- while other hosts have a source.
select * from assay.model_source_release('a');
select * from pg_temp.look('b', 6);
select * from assay.model_source_release('nobody');
select * from assay.model_source_release('d');
select * from assay.model_source_release('c');
select * from pg_temp.serves;
select * from assay.model_source_release('b');
select * from pg_temp.serves;
select count(*) from assay.model_source;

-- The same file becomes active again when it is configured again.
select * from pg_temp.look('b', 6);
select * from pg_temp.serves;

-- A host that was silent for a month counts as a host without a source.
insert into assay.model_host values ('gone', 'disk gone',
    now() - interval '2 months');
insert into assay.model_source values ('disk gone', 'disk', pg_temp.h(1));
select * from assay.model_source_release('b');
select * from pg_temp.serves;
select * from pg_temp.look('b', 6);
select name, hash = pg_temp.h(6) from assay.model_source;

-- A model of a file that is also published stays active without the file.
select assay.model_activate('published', pg_temp.h(6), pg_temp.b(6));
select * from pg_temp.serves;
select assay.model_activate('published', pg_temp.h(6), pg_temp.b(6));
select * from assay.model_source_release('b');
select * from pg_temp.serves;
select * from pg_temp.look('b', 6);
select * from pg_temp.serves;

-- One companion polls at a time, and a report under an expired lease is
-- ignored.
create table pg_temp.claimed as select pg_temp.turn('b', 0) as claim;
select pg_temp.turn('b', 0) is null;
update assay.model_source set claimed_until = claimed_until - interval '5 s';
select pg_temp.turn('b', 0) is not null;
select * from assay.model_source_report('disk b', (select claim from pg_temp.claimed),
    pg_temp.h(7), pg_temp.b(7), null, null);
select name, hash = pg_temp.h(6), claimed_until is null
from assay.model_source;
select * from pg_temp.serves;
update assay.model_source set claimed_until = now() + interval '1 year';
select * from pg_temp.look('b', 6);

-- After a failure a poll is due sooner, never later than the minutes.
create function pg_temp.rests(f int, minutes bigint) returns interval
language sql
as $$ select max(t * interval '1 s') from generate_series(0, 100000, 10) t
    where not assay.model_source_due(row('', 'url', null, null, 'x', now(), f,
	clock_timestamp() - t * interval '1 s', null), minutes,
	interval '5 s') $$;
select f, pg_temp.rests(f, 5), pg_temp.rests(f, 1440)
from generate_series(0, 8) f;
select pg_temp.rests(1000, 1440);

-- Two hosts with the same URL share one source and leave it one by one.
create function pg_temp.fetch(host text, version int, tag text) returns
table (lease_held boolean, activated boolean, refusal_changed boolean) language sql
as $$ select l.* from assay.model_source_claim(host, 'url x', 'url', 0, 5000, 2) t,
	assay.model_source_report('url x', t.lease_end, pg_temp.h(version),
	    pg_temp.b(version), tag, null) l $$;
select * from pg_temp.fetch('b', 8, '"8"');
select * from pg_temp.serves;
select assay.model_activate('published', pg_temp.h(1), null);
select * from pg_temp.fetch('e', 8, '"8"');
select * from pg_temp.fetch('e', null, null);
select * from pg_temp.serves;
select name, etag from assay.model_source;
select * from assay.model_source_release('b');
select name from assay.model_source;

-- The etag is returned only if this release can read the model.
select etag from assay.model_source_claim('e', 'url x', 'url', 0, 5000, 8);
update assay.model_source set claimed_until = null;
select etag from assay.model_source_claim('e', 'url x', 'url', 0, 5000, 9);
update assay.model_source set claimed_until = null;
select * from pg_temp.fetch('e', 9, null);
select kind, etag from assay.model_source;
select * from pg_temp.serves;

-- The model at a new URL becomes active, even if it was loaded before.
select l.* from assay.model_source_claim('g', 'url y', 'url', 0, 5000, 8) t,
    assay.model_source_report('url y', t.lease_end, pg_temp.h(8), null, null, null) l;
select * from pg_temp.serves;
select * from assay.model_source_release('e');
select * from assay.model_source_release('g');
select * from pg_temp.serves;

-- A rollback activates the second model.
select assay.model_activate('published', pg_temp.h(1), null);
select * from pg_temp.serves;
select count(*) from assay.model;

-- A model may contain numbers that the type numeric cannot hold.
begin;
select assay.model_activate('published', encode(sha256(body::bytea), 'hex'), body)
from (values ('{"featuresVersion":1.0e0,"bias":1e-20000}')) as v(body);
select features_version from assay.model where body like '%1e-20000%';
rollback;

-- Invalid arguments are refused.
select assay.model_activate('published', pg_temp.h(7),
    pg_temp.b(8));
select assay.model_activate('published', pg_temp.h(7), rpad(pg_temp.b(7), 65537));
select assay.model_activate('bundled', pg_temp.h(7),
    pg_temp.b(7));
select assay.model_activate('published', pg_temp.h(7), '{}');
select assay.model_activate('published', pg_temp.h(7), '{');
select assay.model_activate('published', null, null);
select assay.model_activate('found', pg_temp.h(7),
    pg_temp.b(7));
select * from pg_temp.serves;

-- After the clock was set back no poll waits for the future.
select * from pg_temp.look('b', 6);
update assay.model_source set polled_at = now() + interval '1 year';
select pg_temp.turn('b', 5) is not null;
