-- SPDX-License-Identifier: ISC
-- Models: what serves, by publishing, by files of hosts, and back again.
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

-- At first nothing was loaded.
select * from pg_temp.serves;

-- What is published serves; again, it does already.
select assay.model_activate('published', pg_temp.h(1), pg_temp.b(1));
select * from pg_temp.serves;
select assay.model_activate('published', pg_temp.h(1), pg_temp.b(1));
select * from pg_temp.serves;

-- What a host sees at its place, by a claim of its own.
create function pg_temp.turn(host text, minutes bigint) returns timestamptz
language sql return (select lease_end from assay.model_source_claim(host, 'disk ' || host,
	'disk', minutes, 5000, 2));
create function pg_temp.look(host text, version int, refusal text default null)
returns table (lease_held boolean, activated boolean, refusal_changed boolean) language sql
as $$ select l.* from assay.model_source_report('disk ' || host, pg_temp.turn(host, 0),
    pg_temp.h(version), pg_temp.b(version), null, refusal) l $$;

-- A file: the host's first look loads it, its next do not, and neither does
-- another host that has the same.
select * from pg_temp.look('a', 2);
select * from pg_temp.serves;
select pg_temp.turn('a', 5) is null;
select * from pg_temp.look('a', 2);
select * from pg_temp.look('b', 2);
select * from pg_temp.serves;

-- Rolled out host by host, it serves from the first on, and who lags behind
-- does not take it back.
select * from pg_temp.look('a', 3);
select * from pg_temp.look('b', 2);
select * from pg_temp.serves;
select * from pg_temp.look('b', 3);
select * from pg_temp.serves;

-- A new host with an old file loads nothing, one with a new one does.
select * from pg_temp.look('c', 2);
select * from pg_temp.serves;
select * from pg_temp.look('d', 4);
select * from pg_temp.serves;

-- The old file put back is another than before.
select * from pg_temp.look('a', 2);
select * from pg_temp.serves;

-- A bad one changes nothing, and is news when it begins, when its reason is
-- another, and when it ends.
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

-- Who has no file any more gives nothing up that was published; nor what came
-- from a file, while others have one.
select * from assay.model_source_release('a');
select * from pg_temp.look('b', 6);
select * from assay.model_source_release('nobody');
select * from assay.model_source_release('d');
select * from assay.model_source_release('c');
select * from pg_temp.serves;
select * from assay.model_source_release('b');
select * from pg_temp.serves;
select count(*) from assay.model_source;

-- The same file, set again, serves again.
select * from pg_temp.look('b', 6);
select * from pg_temp.serves;

-- A host that was not heard of for long is none.
insert into assay.model_host values ('gone', 'disk gone',
    now() - interval '2 months');
insert into assay.model_source values ('disk gone', 'disk', pg_temp.h(1));
select * from assay.model_source_release('b');
select * from pg_temp.serves;
select * from pg_temp.look('b', 6);
select name, hash = pg_temp.h(6) from assay.model_source;

-- What is published while a file has it stays without the file.
select assay.model_activate('published', pg_temp.h(6), pg_temp.b(6));
select * from pg_temp.serves;
select assay.model_activate('published', pg_temp.h(6), pg_temp.b(6));
select * from assay.model_source_release('b');
select * from pg_temp.serves;
select * from pg_temp.look('b', 6);
select * from pg_temp.serves;

-- One at a time, and what is told under a claim that was taken over counts for
-- nothing.
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

-- After failures it is due sooner, but never later than the minutes say.
create function pg_temp.rests(f int, minutes bigint) returns interval
language sql
as $$ select max(t * interval '1 s') from generate_series(0, 100000, 10) t
    where not assay.model_source_due(row('', 'url', null, null, 'x', now(), f,
	clock_timestamp() - t * interval '1 s', null), minutes,
	interval '5 s') $$;
select f, pg_temp.rests(f, 5), pg_temp.rests(f, 1440)
from generate_series(0, 8) f;
select pg_temp.rests(1000, 1440);

-- Two hosts that have the same URL are one, and leave one by one.
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

-- An etag is of what this release can read, or it is forgotten.
select etag from assay.model_source_claim('e', 'url x', 'url', 0, 5000, 8);
update assay.model_source set claimed_until = null;
select etag from assay.model_source_claim('e', 'url x', 'url', 0, 5000, 9);
update assay.model_source set claimed_until = null;
select * from pg_temp.fetch('e', 9, null);
select kind, etag from assay.model_source;
select * from pg_temp.serves;

-- A URL that is new is meant, whatever is there.
select l.* from assay.model_source_claim('g', 'url y', 'url', 0, 5000, 8) t,
    assay.model_source_report('url y', t.lease_end, pg_temp.h(8), null, null, null) l;
select * from pg_temp.serves;
select * from assay.model_source_release('e');
select * from assay.model_source_release('g');
select * from pg_temp.serves;

-- Back to the second.
select assay.model_activate('published', pg_temp.h(1), null);
select * from pg_temp.serves;
select count(*) from assay.model;

-- Numbers that are doubles and no numerics are none of the database's business.
begin;
select assay.model_activate('published', encode(sha256(body::bytea), 'hex'), body)
from (values ('{"featuresVersion":1.0e0,"bias":1e-20000}')) as v(body);
select features_version from assay.model where body like '%1e-20000%';
rollback;

-- What cannot be.
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

-- A clock that was set back makes nobody wait.
select * from pg_temp.look('b', 6);
update assay.model_source set polled_at = now() + interval '1 year';
select pg_temp.turn('b', 5) is not null;
