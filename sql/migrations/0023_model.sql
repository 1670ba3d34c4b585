-- SPDX-License-Identifier: ISC
-- Models: the texts that were loaded, which of them served when, and the files
-- that companions look at.  A model is numbers, a date and names of features;
-- nothing in it is about a person.

-- Each text once, by the SHA-256 of its bytes, and never changed.  A release
-- serves those that were trained for its own feature vector.
create table assay.model (
	hash text primary key,
	body text not null check (octet_length(body) <= 65536),
	features_version int not null generated always as
	    ((body::jsonb ->> 'featuresVersion')::numeric::int) stored,
	check (hash = encode(sha256(convert_to(body, 'UTF8')), 'hex'))
);

-- One row a change of what serves, the newest of which does; without a hash
-- it is the model that comes with the program.
create table assay.model_load (
	number bigint primary key,
	hash text references assay.model,
	origin text not null check (origin in ('bundled', 'disk', 'published')),
	loaded_at timestamptz not null default clock_timestamp(),
	loaded_by text not null default session_user,
	check ((hash is null) = (origin = 'bundled'))
);

-- The hosts that look at a file: what was in it when it was last good, null
-- if it never was, and why it is refused now, null if it is not.
create table assay.model_file (
	host text primary key check (octet_length(host) <= 255),
	hash text references assay.model,
	refusal text check (octet_length(refusal) <= 1000),
	looked_at timestamptz not null
);

alter table assay.epoch add column model bigint not null default 1;
