-- SPDX-License-Identifier: ISC
-- Models from elsewhere: the places that companions look at, each a file of a
-- host, a URL or an object, and the hosts that look there.

alter table assay.model_load
	drop constraint model_load_origin_check,
	add constraint model_load_origin_check check (origin in
	    ('bundled', 'disk', 'published', 's3', 'url'));

-- A URL may hold a secret, so the name of a place that is none of a host's
-- disk is a hash.
create table assay.model_place (
	place text primary key check (octet_length(place) <= 300),
	source text not null check (source in ('disk', 's3', 'url')),
	-- What was there when it was last good, null if it never was, and what
	-- the server called that.
	hash text references assay.model,
	etag text check (octet_length(etag) <= 256),
	-- Why there is nothing good now, since when, and for how many looks.
	refusal text check (octet_length(refusal) <= 1000),
	refused_at timestamptz,
	failures int not null default 0,
	looked_at timestamptz,
	-- Until then one companion has it in hand, and nobody else looks.
	claimed_until timestamptz,
	check ((refusal is null) = (refused_at is null)
	    and (refusal is null) = (failures = 0))
);

create table assay.model_host (
	host text primary key check (octet_length(host) <= 255),
	place text not null,
	seen_at timestamptz not null
);
create index on assay.model_host (place);

insert into assay.model_place (place, source, hash, refusal, refused_at,
    failures, looked_at)
select 'disk ' || host, 'disk', hash, refusal,
    case when refusal is not null then looked_at end,
    case when refusal is null then 0 else 1 end, looked_at
from assay.model_file;
insert into assay.model_host (host, place, seen_at)
select host, 'disk ' || host, looked_at from assay.model_file;

-- They are others now; gauges() reads the table in its body.
drop function if exists assay.gauges(bigint);
drop function if exists assay.model_turn(text, bigint);
drop function if exists assay.model_look(text, text, text, text);
drop table assay.model_file;
