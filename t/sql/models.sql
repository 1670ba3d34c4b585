-- SPDX-License-Identifier: ISC
-- Models: what serves, by publishing, by files of hosts, and back again.
\pset tuples_only on
\pset format unaligned

create function pg_temp.b(version int) returns text language sql
    return format('{"featuresVersion":%s}', version);
create function pg_temp.h(version int) returns text language sql
    return encode(sha256(convert_to(pg_temp.b(version), 'UTF8')), 'hex');
create view pg_temp.serves as
    select coalesce(m.features_version::text, 'bundled') as version, l.origin,
	(select model from assay.epoch) as epoch
    from (select 1) one left join lateral (select * from assay.model_load
	order by number desc limit 1) l on true
	left join assay.model m using (hash);

-- At first nothing was loaded.
select * from pg_temp.serves;

-- What is published serves; again, it does already.
select assay.model_serve('published', pg_temp.h(1), pg_temp.b(1));
select * from pg_temp.serves;
select assay.model_serve('published', pg_temp.h(1), pg_temp.b(1));
select * from pg_temp.serves;

-- A file: the host's first look loads it, its next do not, and neither does
-- another host that has the same.
select mine, wait_ms from assay.model_turn('a', 5);
select * from assay.model_look('a', pg_temp.h(2), pg_temp.b(2), null);
select * from pg_temp.serves;
select mine, wait_ms > 299000 from assay.model_turn('a', 5);
select * from assay.model_look('a', pg_temp.h(2), pg_temp.b(2), null);
select * from assay.model_look('b', pg_temp.h(2), pg_temp.b(2), null);
select * from pg_temp.serves;

-- Rolled out host by host, it serves from the first on, and who lags behind
-- does not take it back.
select * from assay.model_look('a', pg_temp.h(3), pg_temp.b(3), null);
select * from assay.model_look('b', pg_temp.h(2), pg_temp.b(2), null);
select * from pg_temp.serves;
select * from assay.model_look('b', pg_temp.h(3), pg_temp.b(3), null);
select * from pg_temp.serves;

-- A new host with an old file loads nothing, one with a new one does.
select * from assay.model_look('c', pg_temp.h(2), pg_temp.b(2), null);
select * from pg_temp.serves;
select * from assay.model_look('d', pg_temp.h(4), pg_temp.b(4), null);
select * from pg_temp.serves;

-- The old file put back is another than before.
select * from assay.model_look('a', pg_temp.h(2), pg_temp.b(2), null);
select * from pg_temp.serves;

-- A bad one changes nothing, and is news when it begins, when its reason is
-- another, and when it ends.
select * from assay.model_look('a', null, null, 'is bad');
select * from assay.model_look('a', null, null, 'is bad');
select * from assay.model_look('a', null, null, 'is worse');
select * from pg_temp.serves;
select assay.model_serve('published', pg_temp.h(5), pg_temp.b(5));
select * from assay.model_look('a', pg_temp.h(2), pg_temp.b(2), null);
select * from pg_temp.serves;

-- Who has no file any more gives nothing up that was published; nor what came
-- from a file, while others have one.
select * from assay.model_unlook('a');
select * from assay.model_look('b', pg_temp.h(6), pg_temp.b(6), null);
select * from assay.model_unlook('nobody');
select * from assay.model_unlook('d');
select * from assay.model_unlook('c');
select * from pg_temp.serves;
select * from assay.model_unlook('b');
select * from pg_temp.serves;

-- The same file, set again, serves again.
select * from assay.model_look('b', pg_temp.h(6), pg_temp.b(6), null);
select * from pg_temp.serves;

-- A host that has not looked for long is none.
insert into assay.model_file values ('gone', pg_temp.h(1), null,
    now() - interval '2 months');
select * from assay.model_unlook('b');
select * from pg_temp.serves;
select * from assay.model_look('b', pg_temp.h(6), pg_temp.b(6), null);
select host, hash = pg_temp.h(6) from assay.model_file;

-- What is published while a file has it stays without the file.
select assay.model_serve('published', pg_temp.h(6), pg_temp.b(6));
select * from pg_temp.serves;
select assay.model_serve('published', pg_temp.h(6), pg_temp.b(6));
select * from assay.model_unlook('b');
select * from pg_temp.serves;
select * from assay.model_look('b', pg_temp.h(6), pg_temp.b(6), null);
select * from pg_temp.serves;

-- Back to the second.
select assay.model_serve('published', pg_temp.h(1), null);
select * from pg_temp.serves;
select count(*) from assay.model;

-- Numbers that are doubles and no numerics are none of the database's business.
begin;
select assay.model_serve('published', encode(sha256(body::bytea), 'hex'), body)
from (values ('{"featuresVersion":1.0e0,"bias":1e-20000}')) as v(body);
select features_version from assay.model where body like '%1e-20000%';
rollback;

-- What cannot be.
select assay.model_serve('published', pg_temp.h(7),
    pg_temp.b(8));
select assay.model_serve('published', pg_temp.h(7), rpad(pg_temp.b(7), 65537));
select assay.model_serve('bundled', pg_temp.h(7),
    pg_temp.b(7));
select assay.model_serve('published', pg_temp.h(7), '{}');
select assay.model_serve('published', pg_temp.h(7), '{');
select assay.model_serve('published', null, null);
select assay.model_serve('found', pg_temp.h(7),
    pg_temp.b(7));
select * from pg_temp.serves;

-- A clock that was set back makes nobody wait for longer than the minutes.
update assay.model_file set looked_at = now() + interval '1 year';
select wait_ms from assay.model_turn('b', 5);
