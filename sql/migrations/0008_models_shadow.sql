-- SPDX-License-Identifier: ISC
-- Models and shadows: candidates that decide beside the active ruleset, model
-- or scorer without effect.  Nothing here is about a person.

-- Texts of models, each once.  A text never changes.  A release activates only
-- models that were trained for its feature vector.
create table assay.model (
	hash text primary key, -- SHA-256 of body, hexadecimal
	body text not null check (octet_length(body) <= 65536),
	-- json and not jsonb, which refuses doubles that numeric cannot hold.
	features_version int not null generated always as
	    ((body::json ->> 'featuresVersion')::float8::int) stored,
	check (hash = encode(sha256(convert_to(body, 'UTF8')), 'hex'))
);

-- Activations.  The newest row names the active model.
create table assay.model_activation (
	number bigint primary key,
	hash text references assay.model, -- null: the bundled model
	origin text not null check (origin in
	    ('bundled', 'disk', 'published', 's3', 'url')),
	activated_at timestamptz not null default clock_timestamp(),
	activated_by text not null default session_user,
	check ((hash is null) = (origin = 'bundled'))
);

-- Sources that companions poll for models: a file of a host, a URL or an
-- object.
create table assay.model_source (
	-- 'disk ' and the host, or a hash, because a URL may contain a secret.
	name text primary key check (octet_length(name) <= 300),
	kind text not null check (kind in ('disk', 's3', 'url')),
	-- The last good model and the server's etag; null before the first one.
	hash text references assay.model,
	etag text check (octet_length(etag) <= 256),
	-- Why the last poll failed, since when polls fail, and how many did;
	-- null and 0 if it succeeded.
	refusal text check (octet_length(refusal) <= 1000),
	refused_at timestamptz,
	failures int not null default 0,
	polled_at timestamptz, -- last poll
	-- End of the lease of the companion that polls now.
	claimed_until timestamptz,
	check ((refusal is null) = (refused_at is null)
	    and (refusal is null) = (failures = 0))
);

-- The source of each host.
create table assay.model_host (
	host text primary key check (octet_length(host) <= 255),
	source text not null, -- assay.model_source.name
	seen_at timestamptz not null
);
create index on assay.model_host (source);

-- Shadows.  Each slot holds one row at most; the next shadow of the slot
-- replaces it, so the counts of an ended shadow stay readable until then.
create table assay.shadow (
	number bigint generated always as identity primary key,
	slot text not null unique, -- an event type, 'model', or a scorer
	kind text not null check (kind in ('ruleset', 'model', 'scorer')),
	id text not null unique, -- its name in samples
	version text not null,
	hash text references assay.model, -- of a model
	started_at timestamptz not null default clock_timestamp(),
	ended_at timestamptz,
	outcome text check (outcome in ('promoted', 'ended')),
	seen_at timestamptz, -- when a companion last ran with this scorer
	check ((ended_at is null) = (outcome is null)),
	check ((kind = 'model') = (hash is not null)),
	check ((kind = 'scorer') = (seen_at is not null))
);

-- A shadow's decisions by event type: pairs of verdicts ('allow.deny': active,
-- then shadow), of all decisions and of those with labels; scores; and tags
-- with the sum of their points.
create table assay.shadow_count (
	number bigint references assay.shadow on delete cascade,
	event_type text,
	kind text check (kind in ('verdicts', 'fraud', 'legit', 'live score',
	    'shadow score', 'live tag', 'shadow tag')),
	name text,
	n bigint not null,
	points bigint not null,
	primary key (number, event_type, kind, name)
) with (fillfactor = 50);

-- The newest decisions about which a shadow disagrees with what is active.
-- At most 20 for each shadow and event type, written with its counts.  Like the
-- verdict log it holds nothing about a person.
create table assay.shadow_example (
	number bigint references assay.shadow on delete cascade,
	event_type text,
	verdict_id text,
	event_id text not null,
	decided_at timestamptz not null,
	live text not null, -- verdicts
	shadow text not null,
	primary key (number, event_type, verdict_id)
);

-- The candidate ruleset or model of each slot that has a running shadow.
create view assay.shadow_candidate as
select s.slot, s.kind, s.id, s.version, s.hash,
	coalesce(r.text, m.body) as text
from assay.shadow s
	left join assay.ruleset r on s.kind = 'ruleset'
	    and r.event_type = s.slot and r.version = s.version
	left join assay.model m on m.hash = s.hash
where s.kind <> 'scorer' and s.ended_at is null;

-- The versions of rulesets with what is true of them now.
create view assay.ruleset_version as
select r.event_type, r.version, r.author, r.created_at, r.rules, r.text,
	exists (select from assay.ruleset_active a
	    where a.event_type = r.event_type and a.version = r.version)
	    as active,
	exists (select from assay.shadow_candidate c
	    where c.kind = 'ruleset' and c.slot = r.event_type
		and c.version = r.version) as shadow
from assay.ruleset r;
