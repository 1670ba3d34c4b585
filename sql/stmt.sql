-- SPDX-License-Identifier: ISC
-- Every statement that the programs run, by name.  lib/db/db_prepare.c prepares
-- them when a session begins, so a wrong one fails at the start and not in a
-- request.  "write" marks a statement that must not be repeated blindly after
-- a lost connection.  "late" marks one that a decide worker prepares when it
-- first runs it, because it rarely does.  Parameters are binary: cast each at
-- its first use.  "columns" names the parameters of a statement that takes an
-- array for each column; they become a C enum, by which rows are put together.
--
-- Each act of an operator is one function.  A function that may refuse returns
-- a row (refusal, body): the name of an error code, or null and the answer's
-- JSON.  A read returns a row (body).

-- Sessions and transactions -------------------------------------------------

-- Each session begins with one of the next two, which may refuse the database;
-- $2 is the last migration that the program knows.

-- A statement has one process: decisions need the other processors, and to start
-- more processes takes longer than most statements.
--
-- The column name is a number of this session alone, as long as the server runs: the
-- process and the time of its start, in milliseconds.  The column server identifies
-- the database and this run of the server.
-- name: session one read
select assay.session_settings(),
	set_config('max_parallel_workers_per_gather', '0', false),
	set_config('idle_in_transaction_session_timeout', '30s', false),
	set_config('statement_timeout', $1::bigint::text, false),
	assay.session_refusal($2::bigint) as refusal,
	assay.server_timeline() as timeline,
	(select pid::bigint << 42 |
		floor(extract(epoch from backend_start) * 1000)::bigint
	from pg_stat_get_activity(pg_backend_pid())) as name,
	(select hashint8extended(floor(extract(epoch
			from pg_postmaster_start_time()) * 1000000)::bigint,
		d.oid::bigint)
	from pg_database d where d.datname = current_database()) as server;

-- The plans of the decision path must not change with table sizes: they are
-- nested loops over indexes.
-- name: session_decide one read
select assay.session_settings(),
	set_config('enable_seqscan', 'off', false),
	set_config('enable_hashjoin', 'off', false),
	set_config('enable_mergejoin', 'off', false),
	set_config('enable_bitmapscan', 'off', false),
	set_config('idle_in_transaction_session_timeout', '10s', false),
	set_config('statement_timeout', $1::bigint::text, false),
	assay.session_refusal($2::bigint) as refusal,
	assay.server_timeline() as timeline,
	(select pid::bigint << 42 |
		floor(extract(epoch from backend_start) * 1000)::bigint
	from pg_stat_get_activity(pg_backend_pid())) as name,
	(select hashint8extended(floor(extract(epoch
			from pg_postmaster_start_time()) * 1000000)::bigint,
		d.oid::bigint)
	from pg_database d where d.datname = current_database()) as server;

-- name: timeline one read late
select assay.server_timeline() as timeline;

-- Which of these sessions the server still has, and what each waits for.  A role
-- sees this only for its own sessions.
-- name: sessions_left many read late
select w.name, w.waits
from (select pid::bigint << 42 |
		floor(extract(epoch from backend_start) * 1000)::bigint as name,
		coalesce(wait_event_type || ':' || wait_event, 'nothing')
		as waits
	from pg_stat_get_activity(null)) w
where w.name = any($1::bigint[]);

-- Not a write: a lost connection ends the transaction.
-- name: begin
begin;

-- name: commit write
commit;

-- name: rollback write
rollback;

-- Readiness: the schema of the database, and whether it accepts writes and has
-- partitions for decisions of now.
-- name: readyz one read
select migration, missing, read_only, has_month
from assay.schema_status($1::text::bigint[]);

-- Reads from a standby (fcgi/gate/standby_read.c) ---------------------------

-- name: log_position one read late
select reached, timeline, database from assay.log_position();

-- name: log_missing one read late
select assay.log_missing($1::bigint, $2::bigint, $3::bigint) as missing;

-- The decision path (lib/txn/txn.c) -----------------------------------------

-- For this transaction only: one of many events may take longer.
-- name: txn_timeout one write
select set_config('statement_timeout', $1::bigint::text, true);

-- A separate statement before the snapshot: a statement that locks and reads
-- would wait and then read data from before the wait.  The keys are sorted.
-- name: txn_lock one write
select count(pg_advisory_xact_lock(k)) from unnest($1::bigint[]) k;

-- The same without waiting: the caller decides events of locked users later, so
-- that one busy user does not delay the decisions of others.
-- name: txn_try_lock many write
select k as key, pg_try_advisory_xact_lock(k) as got
from unnest($1::bigint[]) k;

-- For each event a row: the clock, the epochs, its API key if one is to be
-- verified, an earlier decision under its idempotency key, its user's state.
-- name: txn_open many read
select e.ord, clock_timestamp() as now, c.rules, c.policies, c.lists,
	c.exceptions, c.settings, c.model, c.anomalies, k.id as api_key, k.scopes, k.expires_at,
	k.id is not null and k.revoked_at is null and coalesce(
	    k.expires_at > clock_timestamp(), true) as live,
	i.verdict_id as earlier_id, i.event_id as earlier_event,
	i.decided_at as earlier_at, i.digest as earlier_digest,
	u.node, u.root, u.state, r.parent as root_parent, r.size as root_size
from unnest($1::text[], $2::text[], $3::bytea[])
	with ordinality as e(user_id, key, key_hash, ord)
	join assay.epoch c on c.one
	left join assay.service_key k on k.hash = e.key_hash
	left join assay.idempotency i on i.key = e.key
	left join assay.user_state u on u.user_id = e.user_id
	left join assay.entity r on r.id = u.root;

-- The entities of the events except users, and the risk counts of devices and
-- ips; other kinds need no probe of that index.
-- name: txn_nodes many read
select e.id, e.kind, e.key, e.users, e.devices, e.first_device, r.days as risk
from assay.entity e
	left join assay.entity_risk r
		on r.entity = case when e.kind in (2, 3) then e.id end
where e.key = any($1::text[]) and e.kind <> 1;

-- The entries that match an event, of the subjects that are too long to cache.
-- name: txn_lists many read
with w as materialized (
	select * from unnest($1::bigint[], $2::text[], $3::text[])
		as w(ord, subject, value)
)
select w.ord, l.kind, l.expires_at,
	case when l.subject = 'ip' then 128 else 0 end::bigint as bits
from w join assay.list_entry l on l.subject = w.subject and l.value = w.value
union all
select w.ord, l.kind, l.expires_at,
	masklen(l.network) + case family(l.network) when 4 then 96 else 0 end
from w join assay.list_entry l
	on l.network >>= case when w.subject = 'ip' then w.value::inet end
where w.subject = 'ip';

-- New entities, in the order of their keys.
-- name: graph_add write
insert into assay.entity (kind, key)
select w.kind, w.key from unnest($1::bigint[], $2::text[]) as w(kind, key)
order by w.key, w.kind
on conflict (key, kind) do nothing;

-- The entities of kinds and keys, each with the root of its component.
-- name: graph_resolve many read
with recursive want as materialized (
	select e.id, e.kind, e.key, e.parent
	from unnest($1::bigint[], $2::text[]) as w(kind, key)
		join assay.entity e on e.key = w.key and e.kind = w.kind
), up as (
	select id as node, id, parent from want
	union all
	select up.node, e.id, e.parent
	from up join assay.entity e on e.id = up.parent
)
select w.id, w.kind, w.key, r.id as root, r.size
from want w
	join up on up.node = w.id and up.parent is null
	join assay.entity r on r.id = up.id;

-- Lock the rows that may change, in the order of all transactions.
-- name: graph_lock many write
select id, kind, parent, size, users, devices, first_device
from assay.entity where id = any($1::bigint[])
order by id for update;

-- Which of these links exist.
-- name: graph_links many read
select w.a, w.b from unnest($1::bigint[], $2::bigint[]) as w(a, b)
	join assay.entity_link l on l.older = w.a and l.newer = w.b;

-- Whether one of these entities, which are not locked, is no longer a root,
-- because an erasure has split its component.
-- name: graph_moved one read
select exists (select from assay.entity
	where id = any($1::bigint[]) and parent is not null) as moved;

-- columns: decided_at id event_id event_type verdict score reasons policy_id
-- columns: policy_version review_queue correlation_id
-- name: txn_add_verdicts write
insert into assay.verdict_log (decided_at, id, event_id, event_type, verdict,
	score, reasons, policy_id, policy_version, review_queue, correlation_id)
select * from unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[],
	$5::text[], $6::bigint[], $7::text[], $8::text[], $9::text[],
	$10::text[], $11::text[]);

-- columns: decided_at verdict_id event_id event_type user_id idempotency_key
-- columns: request sample device ip
-- name: txn_add_details write
insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
	user_id, idempotency_key, request, sample, device, ip)
select w.decided_at, w.verdict_id, w.event_id, w.event_type, w.user_id,
	w.idempotency_key, w.request, w.sample, nullif(w.device, 0),
	nullif(w.ip, 0)
from unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[],
	$5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[],
	$10::bigint[])
	as w(decided_at, verdict_id, event_id, event_type, user_id,
	    idempotency_key, request, sample, device, ip);

-- The same for degraded decisions, whose transaction has no user locks.
-- columns: decided_at verdict_id event_id event_type user_id idempotency_key
-- columns: request
-- name: txn_add_degraded write
insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
	user_id, idempotency_key, request)
select * from unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[],
	$5::text[], $6::text[], $7::text[])
	as w(decided_at, verdict_id, event_id, event_type, user_id,
	    idempotency_key, request)
where not assay.is_erased(w.user_id, w.decided_at);

-- columns: decided_at verdict_id event_id event_type user_id request answer
-- name: txn_add_dry_runs write late
insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
	user_id, request, dry_run)
select * from unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[],
	$5::text[], $6::text[], $7::text[]);

-- Sorted by key, so that two transactions cannot deadlock.
-- columns: key verdict_id event_id decided_at digest
-- name: txn_add_keys write
insert into assay.idempotency (key, verdict_id, event_id, decided_at, digest)
select * from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[],
	$5::bigint[]);

-- columns: user_id node root state
-- name: txn_add_states write
insert into assay.user_state (user_id, node, root, state)
select w.user_id, nullif(w.node, 0), nullif(w.root, 0), w.state
from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bytea[])
	as w(user_id, node, root, state);

-- columns: user_id node root state
-- name: txn_update_states write
update assay.user_state u
set node = nullif(w.node, 0), root = nullif(w.root, 0), state = w.state
from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bytea[])
	as w(user_id, node, root, state)
where u.user_id = w.user_id;

-- columns: id parent size users devices first_device
-- name: txn_update_entities write
update assay.entity e
set parent = nullif(w.parent, 0), size = w.size, users = w.users,
	devices = w.devices, first_device = nullif(w.first_device, 0)
from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[],
	$5::bigint[], $6::bigint[])
	as w(id, parent, size, users, devices, first_device)
where e.id = w.id;

-- Two events may add the same link at the same time.
-- columns: a b
-- name: txn_add_links write
insert into assay.entity_link (older, newer)
select w.a, w.b from unnest($1::bigint[], $2::bigint[]) as w(a, b)
order by w.a, w.b
on conflict do nothing;

-- columns: id event_id verdict_id queue score opened_at event_type amount
-- columns: currency tags
-- name: txn_add_cases write
insert into assay.review_case (id, event_id, verdict_id, queue, score,
	opened_at, event_type, amount, currency, tags)
select w.id, w.event_id, w.verdict_id, w.queue, w.score, w.opened_at,
	w.event_type, w.amount::double precision, w.currency,
	string_to_array(w.tags, ',')
from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[],
	$6::timestamptz[], $7::text[], $8::text[], $9::text[], $10::text[])
	as w(id, event_id, verdict_id, queue, score, opened_at, event_type,
	    amount, currency, tags);

-- columns: case_id at
-- name: txn_add_trail write
insert into assay.case_trail (case_id, at, action, actor)
select w.id, w.at, 'opened', 'engine'
from unnest($1::text[], $2::timestamptz[]) as w(id, at);

-- The exceptions of a decision are in one text, with commas between them.
-- columns: exceptions decided_at verdict_id event_id verdict verdict_without
-- name: txn_add_exception_uses write
insert into assay.exception_use (exception, decided_at, verdict_id, event_id,
	verdict, verdict_without)
select x.id, w.decided_at, w.verdict_id, w.event_id, w.verdict,
	w.verdict_without
from unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[],
	$5::text[], $6::text[]) as w(exceptions, decided_at, verdict_id,
	    event_id, verdict, verdict_without),
	unnest(string_to_array(w.exceptions, ',')) as x(id);

-- What velocities have counted for keys.  $1 to $3 are the states that the
-- transaction may change, which it locks in their order: if $7 is 1, only those of
-- users ($4) whose lock it has, so that a busy user delays no other; if $7 is 2, all;
-- if $7 is 0, none.  $5 and $6 are the keys of which it reads all shards.  A state
-- that is locked comes first.  Each subquery is one look into the index: a join could
-- get a plan, while the table is empty, that reads all of it later.
-- name: txn_velocities many write late
with own as materialized (
	select s.*
	from unnest($1::bigint[], $2::bytea[], $3::bigint[], $4::bigint[])
		as w(number, key, shard, user_lock)
	    cross join lateral (
		select s.number, s.key, s.shard, s.state
		from assay.velocity_state s
		where s.number = w.number and s.key = w.key
			and s.shard = w.shard
		for no key update) s
	where $7::bigint = 2
		or $7::bigint = 1 and pg_try_advisory_xact_lock(w.user_lock)
)
select o.number, o.key, o.shard, o.state, true as locked from own o
union all
select s.*, false
from unnest($5::bigint[], $6::bytea[]) as w(number, key)
    cross join lateral (
	select s.number, s.key, s.shard, s.state from assay.velocity_state s
	where s.number = w.number and s.key = w.key offset 0) s;

-- A state that another transaction has added meanwhile fails: try again.
-- columns: number key shard state expires_at
-- name: txn_add_velocities write late
insert into assay.velocity_state (number, key, shard, state, expires_at)
select w.* from unnest($1::bigint[], $2::bytea[], $3::bigint[], $4::bytea[],
	$5::timestamptz[]) as w(number, key, shard, state, expires_at)
order by w.number, w.key, w.shard;

-- The transaction has locked these states, so their places stay.
-- columns: number key shard state expires_at
-- name: txn_update_velocities write late
update assay.velocity_state s
set state = w.state, expires_at = w.expires_at
from (select w.state, w.expires_at, o.ctid as place
	from unnest($1::bigint[], $2::bytea[], $3::bigint[], $4::bytea[],
	    $5::timestamptz[]) as w(number, key, shard, state, expires_at)
	    cross join lateral (
		select o.ctid from assay.velocity_state o
		where o.number = w.number and o.key = w.key
			and o.shard = w.shard offset 0) o) w
where s.ctid = w.place;

-- Anomalies, if a channel subscribes to them.
-- columns: data user_id correlation_id occurred_at
-- name: txn_add_anomalies write
insert into assay.outbox (event, data, user_id, correlation_id, occurred_at)
select 'alert.anomaly.v1', w.*
from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) as w;

-- One decision: its time gives the partition, its event the place in the index.
-- name: verdict_find one read
select id, event_id, verdict, score, reasons, policy_id, policy_version,
	decided_at
from assay.verdict_log where event_id = $1::text and id = $2::text
	and decided_at = $3::timestamptz;

-- The newest scored decision of an event, else the newest.
-- name: verdict_of_event one read
select id, event_id, verdict, score, reasons, policy_id, policy_version,
	decided_at
from assay.verdict_log where event_id = $1::text
order by score >= 0 desc, decided_at desc, id desc limit 1;

-- Queue an event.  Not a write: it may be repeated.
-- name: async_add one late
select assay.async_add($1::text, $2::text, $3::text, $4::text, $5::bigint)
	as mismatch;

-- The oldest queued event of each of the next users after a user, by user id:
-- one index probe per user, however many events a user has.  An event that
-- failed is due at its time, and later events of its user wait behind it.
-- name: async_heads many read late
with recursive head as (
	(select q.number, q.user_id, 1::bigint as n
	from assay.async_queue q where q.user_id > $1::text
	order by q.user_id, q.number limit 1)
	union all
	select q.number, q.user_id, h.n + 1
	from head h, lateral (select q.number, q.user_id
		from assay.async_queue q where q.user_id > h.user_id
		order by q.user_id, q.number limit 1) q
	where h.n < $2::bigint
)
select q.number, q.user_id, q.event_id, q.event, q.correlation_id, q.attempts,
	q.accepted_at,
	coalesce(q.not_before <= clock_timestamp(), true) as due
from head h join assay.async_queue q on q.number = h.number
order by h.n;

-- Skips events that another transaction has locked.
-- name: async_failed write late
select assay.async_failed($1::bigint[]);

-- Which of these are still in the queue.  The caller holds the users' locks.
-- name: txn_queued many read late
select q.number from assay.async_queue q where q.number = any($1::bigint[]);

-- name: txn_take write late
select assay.async_take($1::bigint[]);

-- An API key alone, for refusals, reads and degraded answers.  Always one row:
-- an unknown key is not live.
-- name: apikey_find one read
select k.id, coalesce(k.scopes, 0) as scopes, k.expires_at,
	clock_timestamp() as now,
	k.id is not null and k.revoked_at is null and coalesce(
	    k.expires_at > clock_timestamp(), true) as live
from (values ($1::bytea)) as w(hash)
	left join assay.service_key k on k.hash = w.hash;

-- The spool (lib/spool/spool_drain.c) ---------------------------------------

-- Before a file is drained for the first time.
-- name: spool_add write
insert into assay.spool_file (name) values ($1::text)
on conflict (name) do nothing;

-- How far the file is drained.  Waits until an earlier drain has ended.
-- name: spool_lock one write
select drained from assay.spool_file where name = $1::text for update;

-- Before decisions are logged without their users' locks: wait for an erasure
-- that is being recorded, which the next statement then sees, or make it wait.
-- name: erasure_guard write
select pg_advisory_xact_lock_shared(assay.erasure_guard());

-- Log spooled decisions, without the details of users who were erased since.
-- columns: decided_at score id event_id event_type verdict reasons policy_id
-- columns: policy_version correlation_id user_id idempotency_key request
-- name: spool_log write
with r as (
	select * from unnest($1::timestamptz[], $2::bigint[], $3::text[],
	    $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
	    $9::text[], $10::text[], $11::text[], $12::text[], $13::text[])
	    as r(decided_at, score, id, event_id, event_type, verdict, reasons,
		policy_id, policy_version, correlation_id, user_id,
		idempotency_key, request)
), logged as (
	insert into assay.verdict_log (decided_at, id, event_id, event_type,
	    verdict, score, reasons, policy_id, policy_version, correlation_id)
	select decided_at, id, event_id, event_type, verdict, score, reasons,
	    policy_id, policy_version, correlation_id from r
)
insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
	user_id, idempotency_key, request)
select decided_at, id, event_id, event_type, user_id, idempotency_key, request
from r where not assay.is_erased(user_id, decided_at);

-- name: spool_advance write
update assay.spool_file set drained = $2::bigint where name = $1::text;

-- After the file was removed.
-- name: spool_forget write
delete from assay.spool_file where name = $1::text;

-- Tag weights (lib/engine/tag_weight_cache.c): a row for each tag, or one row
-- without a tag if the epoch is the one that the caller has.
-- name: tag_weights many read late
select e.number as epoch, c.tag, c.fraud, c.legit
from assay.tag_epoch e left join lateral (
	select t.tag, t.fraud, t.legit from assay.tag_count t
	where e.number <> $1::bigint offset 0) c on true
where e.one;

-- Velocities (cron/job_velocity.c) ------------------------------------------

-- name: velocity_sync one write late
select added, dropped, left_out from assay.velocity_sync($1::bigint[],
	$2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint);

-- name: velocity_slice many write late
select number, far, near, clock_timestamp() as now
from assay.velocity_slice($1::bigint);

-- name: velocity_events many read late
select decided_at, user_id, sample, device, ip, fingerprint
from assay.velocity_events($1::timestamptz, $2::timestamptz);

-- States without events, which a fill can lock; a decision may have added one.
-- columns: number key shard
-- name: velocity_reserve write late
insert into assay.velocity_state (number, key, shard, state, expires_at)
select w.*, '', clock_timestamp() + interval '1 day'
from unnest($1::bigint[], $2::bytea[], $3::bigint[]) as w(number, key, shard)
order by w.number, w.key, w.shard
on conflict do nothing;

-- name: velocity_filled one write late
select assay.velocity_filled($1::bigint[], $2::timestamptz) as completed;

-- name: velocity_forget one write late
select assay.velocity_forget($1::bigint) as forgotten;

-- name: velocity_list one read late
select assay.velocities() as body;

-- Configuration (lib/engine/engine.c) ---------------------------------------

-- name: engine_epochs one read
select rules, policies, lists, exceptions, settings, model, anomalies
from assay.epoch;

-- name: engine_rulesets many read
select r.event_type, r.version, r.text
from assay.ruleset_active a join assay.ruleset r using (event_type, version);

-- name: engine_velocities many read
select number, id, definition, counted_since, complete
from assay.velocity where id is not null order by number;

-- name: engine_exceptions many read
select e.id, e.event_type, e.kind = 'tag' as tag, e.name, e.subject, e.value,
	e.expires_at
from assay.rule_exception e
where e.ended_at is null and e.expires_at > now();

-- name: engine_digest_key one read
select event from assay.hash_key where one;

-- A row for each band.
-- name: engine_policies many read
select p.event_type, p.id, p.version, p.on_error,
	b.verdict, b.min, b.max, b."reviewQueue" as queue
from assay.policy_active a join assay.policy p using (event_type, version),
	jsonb_to_recordset(p.bands)
	as b(verdict text, min bigint, max bigint, "reviewQueue" text)
order by p.event_type, b.min;

-- The subjects that have changed since an epoch, and their numbers of entries,
-- counted up to one more than may be cached.
-- name: list_sizes many read
select s.subject, (select count(*) from (
		select from assay.list_entry l where l.subject = s.subject
		limit $2::bigint + 1) as counted) as size
from assay.list_subject s where s.changed > $1::bigint;

-- name: list_load many read
select kind, value, expires_at
from assay.list_entry where subject = $1::text limit $2::bigint;

-- Access (fcgi/access/auth.c, login_backoff.c, fcgi/ep/ep_auth.c, ep_user.c)

-- name: auth_status one read
select not exists (select from assay.operator) as needs_bootstrap;

-- No row if registration is closed.
-- name: operator_register many write
select role, session_number
from assay.operator_register($1::text, $2::text);

-- The seconds that a login must wait after failed ones.
-- name: login_wait one read late
select assay.login_wait($1::bytea, $2::bytea) as wait;

-- name: login_try one write late
select wait, guessed, role, session_number, password, password_temporary
from assay.login_try($1::text, $2::bytea, $3::bytea);

-- name: login_clear one write late
select assay.login_clear($1::bytea, $2::bytea);

-- name: login_undo one write late
select assay.login_undo($1::bytea, $2::bytea);

-- The operator of a token, and whether the token was logged out.  No row if the
-- operator is disabled.
-- name: operator_session many read
select role, session_number, password_temporary,
	assay.second_factor_enabled(email) as second_factor,
	exists (select from assay.revoked_token where jti = $2::text) as revoked
from assay.operator where email = $1::text and disabled_at is null;

-- Store a stronger hash of the same password, unless it has changed since.
-- name: operator_rehash write
update assay.operator set password = $3::text
where email = $1::text and password = $2::text;

-- Replace the password that was checked, and end all sessions.  No row if the
-- password has changed since.
-- name: operator_password many write late
update assay.operator
set password = $3::text, password_temporary = false,
	session_number = session_number + 1
where email = $1::text and password = $2::text and disabled_at is null
returning role, session_number;

-- The second factor (fcgi/access/second_factor.c, fcgi/ep/ep_second_factor.c).
-- name: second_factor_status one read late
select assay.second_factor_status($1::text) as body;

-- name: second_factor_find many read late
select sealed_key, enabled from assay.second_factor_find($1::text);

-- name: second_factor_offer one write late
select refusal from assay.second_factor_offer($1::text, $2::bytea);

-- name: second_factor_enable one write late
select refusal
from assay.second_factor_enable($1::text, $2::bytea, $3::bigint, $4::bytea[]);

-- name: second_factor_accept one write late
select assay.second_factor_accept($1::text, $2::bigint) as accepted;

-- name: second_factor_recover one write late
select assay.second_factor_recover($1::text, $2::bytea) as accepted;

-- name: second_factor_reseal one write late
select assay.second_factor_reseal($1::text, $2::bytea, $3::bytea);

-- name: second_factor_remove one write late
select refusal, body from assay.second_factor_remove($1::text);

-- name: operator_list one read late
select assay.operator_list() as body;

-- name: operator_create one write late
select refusal, body
from assay.operator_create($1::text, $2::text, $3::text);

-- name: operator_update one write late
select refusal, body
from assay.operator_update($1::text, $2::text, $3::bigint = 1, $4::text,
	$5::bigint = 1);

-- name: operator_logout one write late
select refusal, body from assay.operator_logout($1::text, $2::timestamptz);

-- name: operator_logout_all one write late
select refusal, body from assay.operator_logout_all($1::text);

-- name: service_key_list one read
select assay.service_key_list() as keys;

-- name: service_key_create one write
select assay.service_key_create($1::text, $2::bytea, $3::text, $4::text,
	$5::bigint, $6::bigint, $7::text) as key;

-- name: service_key_revoke one write
select assay.service_key_revoke($1::text) as found,
	(select hash from assay.service_key where id = $1::text) as hash;

-- Settings (lib/shared/runtime_setting.c, fcgi/ep/ep_setting.c) -------------

-- A row for each override, or one row without a name.  A value is JSON text.
-- name: setting_read many read late
select e.settings as epoch, s.name, s.value::text as value
from assay.epoch e left join assay.setting s on true;

-- name: setting_put one write late
select assay.setting_put($1::text[], $2::text[]);

-- The whole configuration (fcgi/ep/ep_config.c) -----------------------------

-- name: config_get one read late
select assay.config_get() as body;

-- name: config_etag one read late
select assay.config_etag() as etag;

-- name: config_begin one write late
select refusal, body from assay.config_begin($1::text);

-- Proposals (fcgi/gate/proposal.c, fcgi/ep/ep_proposal.c) -------------------

-- Between these two a request is rehearsed.
-- name: rehearsal_begin write late
savepoint rehearsal;

-- name: rehearsal_undo write late
rollback to savepoint rehearsal;

-- name: proposal_state one read late
select state from assay.proposal_state($1::text, $2::text);

-- name: proposal_create one write late
select refusal, body from assay.proposal_create($1::text, $2::text, $3::text,
	$4::text, $5::text, $6::text, $7::text, $8::text, $9::text, $10::text);

-- name: proposal_page one read late
select assay.proposal_page($1::text, $2::bigint, $3::text, $4::text) as body;

-- name: proposal_get one read late
select refusal, body from assay.proposal_get($1::text, $2::text);

-- name: proposal_begin one write late
select refusal, action, body, author
from assay.proposal_begin($1::text, $2::text, $3::text);

-- name: proposal_end one write late
select assay.proposal_end($1::text, $2::text) as ended;

-- name: proposal_close one write late
select refusal, body
from assay.proposal_close($1::text, $2::text, $3::text, $4::text);

-- The audit trail (fcgi/gate/audit.c, fcgi/ep/ep_audit.c) -------------------

-- name: audit_add one write late
select assay.audit_add($1::text, $2::text, $3::bigint, $4::text);

-- name: audit_login_failed one write late
select assay.audit_login_failed($1::text, $2::text);

-- An entry for a change that assayctl makes (ctl/cmd/audit_entry.c).
-- name: audit_write one write late
select assay.audit_write($1::text, 'owner', $2::text, 200, $3::text);

-- The chain of seals (cron/audit_seal.c, ctl/cmd/audit_verify.c).
-- name: audit_seal_next one write late
select sealed, head, head_hash, due
from assay.audit_seal_next($1::bigint, $2::bigint);

-- name: audit_mark_logged one write late
select assay.audit_mark_logged();

-- name: audit_seals many read late
select s.number, s.last, s.rows, assay.audit_micros(s.at) as at, s.hash
from assay.audit_seal s where s.number > $1::bigint
order by s.number limit $2::bigint;

-- name: audit_entries many read late
select a.number, a.id, assay.audit_micros(a.at) as at, a.actor, a.role,
	a.action, a.status, a.params
from assay.audit a
where a.number > $1::bigint and a.number <= $2::bigint
order by a.number limit $3::bigint;

-- name: audit_left one read late
select count(*) as entries from assay.audit a where a.number > $1::bigint;

-- name: audit_page one read late
select refusal, body from assay.audit_page($1::bigint, $2::bigint, $3::text,
	$4::text, $5::text, $6::timestamptz, $7::timestamptz, $8::text);

-- Cases (fcgi/ep/ep_case.c, fcgi/ep/ep_case_list.c) -------------------------

-- name: case_page one read late
select refusal, body, read_until from assay.case_page(row($1::text, $2::text,
	$3::text, $4::text, $9::text, $10::text, $11::text,
	$12::text::double precision, $13::text::double precision, $14::text,
	$15::bigint, $16::bigint, $17::timestamptz, $18::timestamptz,
	$19::text::boolean)::assay.case_filter, $5::bigint, $6::bigint, $7::text,
	$8::text);

-- name: case_get one read late
select refusal, body from assay.case_get($1::text);

-- name: case_assign one write late
select refusal, body from assay.case_assign($1::text, $2::text, $3::bigint);

-- name: case_hand_over one write late
select refusal, body from assay.case_hand_over($1::text, $2::text, $3::text,
	$4::bigint);

-- name: case_release one write late
select refusal, body from assay.case_release($1::text, $2::text,
	$3::bigint = 1);

-- name: case_snooze one write late
select refusal, body from assay.case_snooze($1::text, $2::text,
	$3::bigint = 1, $4::timestamptz);

-- name: case_note_add one write late
select refusal, body from assay.case_note_add($1::text, $2::text, $3::text,
	$4::text);

-- name: case_resolve one write late
select refusal, body from assay.case_resolve($1::text, $2::text, $3::text,
	$4::text, $5::text);

-- name: case_reopen one write late
select refusal, body from assay.case_reopen($1::text, $2::text, $3::text[],
	$4::text);

-- name: cases_resolve many write late
select id, refusal from assay.cases_resolve($1::text[], $2::text, $3::text,
	$4::text, $5::text);

-- Queues (fcgi/ep/ep_queue.c) -----------------------------------------------

-- name: queue_list one read late
select assay.queue_list($1::text) as body;

-- name: queue_put one write late
select assay.queue_put($1::text, $2::bigint) as body;

-- $5: with so many claims the analyst gets none; null: with any number.
-- name: case_next one write late
select case when held.n >= $5::bigint
	then json_build_object('case', null, 'held', held.n)::text
	else assay.case_next($1::text, $2::bigint = 1, $3::text, $4::bigint)
	end as body
from (select count(*) as n from assay.review_case r
	where $5::bigint is not null and r.assigned_to = $3::text
	    and r.status = 'assigned' and r.claim_expires_at > now()) held;

-- Saved views (fcgi/ep/ep_view.c) --------------------------------------------

-- name: view_list one read late
select assay.view_list($1::text) as body;

-- name: view_create one write late
select refusal, body from assay.view_create($1::text, $2::text, $3::text,
	$4::text, $5::text, $6::bigint = 1);

-- name: view_delete one write late
select refusal, body from assay.view_delete($1::text, $2::text,
	$3::bigint = 1);

-- The logs (fcgi/ep/ep_verdict.c) -------------------------------------------

-- name: log_page one read late
select p.body, p.read_until
from assay.log_page(row($1::bigint = 1, $2::text, $3::text, $4::text,
	$5::text, $6::text, $7::bigint, $8::bigint)::assay.log_filter,
	$9::bigint, coalesce($10::timestamptz, '-infinity'),
	coalesce($11::timestamptz, 'infinity')) p;

-- Labels (fcgi/ep/ep_label.c, fcgi/ep/ep_model.c, cron/job_project.c) -

-- Not a write: it may be repeated after a lost connection.
-- name: label_chargeback one late
select assay.chargeback_put($1::text, $2::text, $3::bigint) as recorded;

-- name: label_withdraw one late
select assay.chargeback_withdraw($1::text, $2::text, $3::text, $4::text)::text
    as done;

-- name: labels_match one late
select assay.labels_match($1::bigint) as looked;

-- name: tag_weights_json one read late
select assay.tag_weights_json($1::text) as body;

-- Analytics (fcgi/ep/ep_analytics.c, cron/job_project.c) --------------------

-- Days are texts, null for the first or the last of 400; of $5 = 1 all decisions
-- count, otherwise those of the days and the type.
-- name: analytics_summary one read late
select case when $5::bigint = 1 then assay.analytics_summary()
	else assay.analytics_stretch(d.first, d.last, $3::text) end as body,
	assay.analytics_handling(d.first, d.last, $3::text, $4::text)
	    as handling
from (select coalesce($1::text::date, t.today - 399) as first,
	    coalesce($2::text::date, t.today) as last
	from (select (now() at time zone 'UTC')::date) as t(today)) d;

-- name: analytics_project one write late
select counted, more, rebuilding, busy, from_xid, from_id, to_xid,
	to_id
from assay.analytics_project($1::bigint);

-- Not a write: it joins a rebuild that was begun.
-- name: analytics_rebuild_begin late
select first, last from assay.analytics_rebuild_begin();

-- name: analytics_rebuild one write late
select counted, done from assay.analytics_rebuild($1::bigint);

-- Drift (lib/engine/score_distribution.c, cron/drift_check.c) ---------------

-- The first and the last day of two windows: the recent one, which ends with $1
-- or by default yesterday, and the reference window before it.
-- name: drift_days one read late
select to_char(w.last, 'YYYY-MM-DD') as last,
	to_char(w.last - $2::bigint::int + 1, 'YYYY-MM-DD') as first,
	to_char(w.last - $2::bigint::int, 'YYYY-MM-DD') as reference_last,
	to_char(w.last - $2::bigint::int - $3::bigint::int + 1, 'YYYY-MM-DD')
	    as reference_first
from (select coalesce($1::text::date, (now() at time zone 'UTC')::date - 1))
    as w(last);

-- name: drift_counts many read late
select event_type, name, recent, reference
from assay.drift_counts($1::text, $2::text::date, $3::bigint, $4::bigint);

-- name: drift_calibration many read late
select event_type, measure, bin, labels, fraud, total, reference_labels,
	reference_fraud, reference_total
from assay.drift_calibration($1::text::date, $2::bigint, $3::bigint);

-- name: drift_step one write late
select labels, due from assay.drift_step($1::bigint);

-- name: drift_note one write late
select assay.drift_record($1::text::date, $2::text[], $3::text[], $4::text[],
	$5::text) as alerts;

-- Entity risk (cron/entity_risk_project.c) ----------------------------------

-- name: detail_summarize one read late
select assay.detail_summarize();

-- name: risk_events many read late
select entity, slot, sum(events)::bigint as events, 0 as fraud, 0 as labels
from assay.risk_slot_events($1::bigint, $2::text, $3::bigint, $4::text)
group by entity, slot order by entity, slot;

-- name: risk_labels many write late
select entity, slot, 0 as events, fraud, labels
from assay.risk_slot_labels($1::bigint);

-- name: risk_days many read late
select entity, days from assay.entity_risk where entity = any($1::bigint[])
order by entity;

-- name: risk_put write late
select assay.risk_put($1::bigint[], $2::bigint[], $3::bytea[]);

-- Not a write: repeating it removes nothing more.
-- name: risk_forget one late
select assay.risk_prune($1::bigint) as forgotten;

-- The entity graph (fcgi/ep/ep_graph.c) -------------------------------------

-- name: graph_around one read late
select body, near::text as near
from assay.graph_neighborhood($1::text, $2::bigint, $3::text);

-- name: graph_facts many read late
select kind, id, first_seen, users, days, events, frauds, labels
from assay.graph_facts($1::text::bigint[]);

-- Webhooks and alert channels (fcgi/ep/ep_webhook.c, ep_notification.c) -----

-- name: webhook_list one read late
select assay.webhook_list($1::text[]) as body;

-- name: webhook_create one write late
select null::text as refusal, assay.webhook_create($1::text, $2::text,
	$3::text[], $4::text, $5::text) as body;

-- name: webhook_revoke one write late
select refusal, body from assay.webhook_revoke($1::text);

-- name: channel_list one read late
select assay.channel_list($1::text[], $2::bigint) as body;

-- name: channel_create one write late
select null::text as refusal, assay.channel_create($1::text, $2::text,
	$3::text, $4::text, $5::text, $6::text[], $7::text, $8::bigint,
	$9::text, $10::bigint) as body;

-- name: channel_revoke one write late
select refusal, body from assay.channel_revoke($1::text);

-- name: channel_test one write late
select refusal, body
from assay.channel_test($1::text, $2::text, $3::text);

-- name: delivery_list one read late
select assay.delivery_list($1::text, 200) as body;

-- now() is of the clock that has set dead_at.
-- name: delivery_redrive one write late
select moved, requeued
from assay.delivery_redrive($1::text, now(), $2::bigint);

-- name: delivery_redrive_one one write late
select refusal, body from assay.delivery_redrive_one($1::text, $2::text);

-- Publishing (cron/job_publish.c) -------------------------------------------

-- A row for each kind of event; one row without a topic if nothing was
-- published; no row while another session publishes.
-- name: publish_next many write late
select p.more, p.next_xid, t.topic, t.events, t.throttled
from assay.publish_next($1::bigint, $2::bigint, $3::bigint) p
	left join lateral unnest(p.topics, p.events, p.throttled)
	    as t(topic, events, throttled) on true
where not p.busy;

-- Deliveries (cron/job_deliver.c) -------------------------------------------

-- Not a write: it may be repeated after a lost connection.
-- name: delivery_forget one late
select assay.delivery_drop_revoked($1::bigint) as n;

-- Nor are these two.
-- name: delivery_resend one late
select assay.delivery_resend() as n;

-- name: delivery_probe one late
select assay.delivery_probe() as n;

-- name: delivery_claim many write late
select * from assay.delivery_claim($1::bigint, $2::bigint, $3::bigint,
	$4::bigint, $5::text);

-- name: delivery_settle many write late
select starts_with(id, 'ntd_') as alert, result, count(*) as n
from assay.delivery_settle($1::text[], $2::timestamptz[], $3::text[],
	$4::bigint[])
group by 1, 2;

-- name: delivery_release one write late
select assay.delivery_release($1::text[], $2::timestamptz[]);

-- Lists (fcgi/ep/ep_list.c, ep_list_import.c) -------------------------------

-- name: list_page one read late
select assay.list_page($1::text, $2::text, $3::bigint, $4::bigint, $5::text,
	now() + $6::bigint * interval '1 day') as body;

-- name: list_summary one read late
select assay.list_summary() as body;

-- name: list_search one read late
select assay.list_search($1::text, $2::text, $3::text) as body;

-- An end in 1970 means that the entry does not end.
-- name: list_save one write late
select made, body from assay.list_save($1::text, $2::text, $3::text, $4::text,
	$5::text, $6::timestamptz, $7::text);

-- The entries of one request of an import.
-- name: list_import one write late
select count(*) filter (where made) as made,
	count(*) filter (where not made) as changed
from assay.list_put($1::text[], $2::text[], $3::text[], $4::text[],
	$5::text[], $6::timestamptz[], $7::text);

-- name: list_import_check one read late
select made, changed
from assay.list_put_check($1::text[], $2::text[], $3::text[], $4::text[],
	$5::timestamptz[]);

-- name: list_remove one write late
select assay.list_remove($1::text) as found;

-- Exceptions (fcgi/ep/ep_exception.c) ---------------------------------------

-- name: exception_page one read late
select assay.exception_page($1::text, $2::bigint, $3::bigint) as body;

-- name: exception_get one read late
select refusal, body from assay.exception_get($1::text);

-- The rules that decide, and those of shadows.
-- name: exception_rulesets many read late
select r.event_type, r.text
from assay.ruleset_active a join assay.ruleset r using (event_type, version)
union all
select s.slot, s.text from assay.shadow_candidate s where s.kind = 'ruleset';

-- name: exception_create one write late
select refusal, body from assay.exception_create($1::text, $2::text, $3::text,
	$4::text, $5::text, $6::text, $7::text, $8::timestamptz, $9::text,
	$10::bigint);

-- name: exception_end one write late
select refusal, body from assay.exception_end($1::text, $2::text);

-- Rulesets and policies (fcgi/ep/ep_rule.c, ep_policy.c) --------------------

-- name: ruleset_list many read late
select r.event_type, r.version, r.text
from assay.ruleset_active a join assay.ruleset r using (event_type, version)
order by r.event_type;

-- name: ruleset_publish one write late
select refusal, body
from assay.ruleset_publish($1::text, $2::text, $3::text, $4::bigint,
	$5::text);

-- name: ruleset_history one read late
select coalesce(json_agg(version order by created_at desc, version desc),
	'[]')::text as body
from assay.ruleset where event_type = $1::text;

-- name: ruleset_versions one read late
select assay.ruleset_versions($1::text) as body;

-- name: ruleset_version many read late
select version, author, assay.time_text(created_at) as published_at, active,
	shadow, text
from assay.ruleset_version where event_type = $1::text and version = $2::text;

-- name: ruleset_find many read late
select text from assay.ruleset
where event_type = $1::text and version = $2::text;

-- name: ruleset_activate one write late
select '{"ok":true}' as body
from assay.ruleset_activate($1::text, $2::text);

-- name: policy_list one read late
select assay.policy_list() as body;

-- name: policy_publish one write late
select refusal, body
from assay.policy_publish($1::text, $2::text, $3::text, $4::text::jsonb,
	$5::text);

-- name: policy_rollback one write late
select refusal, body from assay.policy_rollback($1::text, $2::text);

-- name: policy_versions one read late
select refusal, body from assay.policy_versions($1::text);

-- name: policy_version one read late
select refusal, body from assay.policy_version($1::text, $2::text);

-- name: policy_histogram one read late
select refusal, body from assay.policy_histogram($1::text, $2::bigint);

-- name: policy_history one read late
select refusal, body from assay.policy_history($1::text);

-- name: policy_find many read late
select json_build_object('onError', p.on_error, 'bands', p.bands)::text as body
from assay.policy_active a join assay.policy p using (event_type, version)
where p.id = $1::text;

-- Signals (fcgi/ep/ep_signal.c) ---------------------------------------------

-- name: attributes_seen one read late
select assay.attributes_seen($1::text) as attributes;

-- Backtests (fcgi/ep/ep_backtest.c) -----------------------------------------

-- One snapshot, without writes.
-- name: backtest_begin one read late
begin isolation level repeatable read read only;

-- Two turns of an operator, as locks that end with the transaction.
-- name: sample_turn one read late
select case
	when pg_try_advisory_xact_lock(hashtextextended(
	    'assay.sample 1 ' || $1::text, 0)) then true
	else pg_try_advisory_xact_lock(hashtextextended(
	    'assay.sample 2 ' || $1::text, 0)) end as taken;

-- All rows are fetched, which may take longer than other statements.
-- name: backtest_tune one read late
select set_config('statement_timeout', $1::bigint::text, true),
	set_config('cursor_tuple_fraction', '1', true);

-- The number of samples since a time, of one type or of all, for the progress of a
-- backtest: exact for a table of up to 4096 pages, otherwise estimated from 4096 of its
-- pages.  Counting all pages of a large table takes a fifth of the time of a backtest.
-- name: backtest_count one read late
with part as materialized (
	select least(100, 100 * 4096 / greatest(1, sum(pg_relation_size(relid)) /
		current_setting('block_size')::numeric))::float8 as percent
	from pg_partition_tree('assay.decision_detail'))
select round(count(*) * 100 / (select percent from part))::bigint as samples
from assay.decision_detail tablesample system ((select percent from part))
where event_type = coalesce($1::text, event_type) and sample is not null
	and decided_at >= $2::text::timestamptz;

-- From when on an event type has the newest $2 samples, or all of them if $2 is 0.  A
-- plan that reads whole months must not be chosen for few samples.
-- name: backtest_start one read late
select case when $2::bigint = 0 then assay.sample_first()
		else assay.sample_start($1::text, $2::bigint, $3::bigint)
		end::text as since,
	set_config('enable_seqscan', case when $3::bigint < 1000000 then 'off'
		else 'on' end, true);

-- The samples of an event type; only the first $2 characters of each, unless $2
-- is 0.
-- name: backtest_open many read late
declare backtest no scroll cursor for
select case when $2::bigint = 0 then d.sample
		else left(d.sample, $2::bigint::int) end as sample,
	l.outcome = 'fraud' as fraud, d.event_id, d.verdict_id, d.user_id,
	d.decided_at
from assay.decision_detail d left join assay.label l
	on l.event_id = d.event_id and l.outcome <> 'none'
where d.event_type = $1::text and d.sample is not null;

-- The time from which on the newest samples are read: at most so many days ago,
-- and about so many rows.  Plans without the BRIN index would read whole months.
-- name: backtest_newest one read late
select set_config('enable_seqscan', 'off', true),
	greatest(now() - $1::bigint * interval '1 day',
	    assay.log_start_after('assay.decision_detail', $2::bigint, now(),
		assay.sample_first())) as since;

-- The samples of an event type since the time $2, at most $3.
-- name: backtest_open_newest many read late
declare backtest no scroll cursor for
select d.sample, l.outcome = 'fraud' as fraud, d.decided_at
from assay.decision_detail d left join assay.label l
	on l.event_id = d.event_id and l.outcome <> 'none'
where d.event_type = $1::text and d.sample is not null
	and d.decided_at >= $2::timestamptz
	and d.decided_at < now() + interval '1 day'
limit $3::bigint;

-- The same since the time $3, at most $4 of them.
-- name: backtest_open_since many read late
declare backtest no scroll cursor for
select case when $2::bigint = 0 then d.sample
		else left(d.sample, $2::bigint::int) end as sample,
	l.outcome = 'fraud' as fraud, d.event_id, d.verdict_id, d.user_id,
	d.decided_at
from assay.decision_detail d left join assay.label l
	on l.event_id = d.event_id and l.outcome <> 'none'
where d.event_type = $1::text and d.sample is not null
	and d.decided_at >= $3::text::timestamptz
limit $4::bigint;

-- Which of these velocities were not complete at $2.  Decisions that run when one becomes
-- complete may not know it.
-- name: backtest_unrecorded many read late
select w.id
from unnest($1::bigint[]) w (id)
where not exists (select from assay.velocity v
	where v.id = w.id and v.complete_since + interval '10 seconds'
	    <= $2::text::timestamptz);

-- The time of the first sample to read for velocities.  The index finds a piece of the
-- log, which is sorted in memory if it fits.
-- name: backtest_reach one read late
select start::text as start, greatest(start, 'epoch') as at, whole,
	greatest(assay.log_retained_since('assay.decision_detail'), 'epoch')
	    as requests_since,
	set_config('enable_seqscan', 'off', true),
	set_config('work_mem', '64MB', true)
from assay.sample_reach($1::text::timestamptz, $2::bigint, $3::bigint);

-- The samples of all types since $2, in the order of their times, with the columns for
-- keys of velocities; "tested" are those of the type $1 since $3.  Ids stand for devices
-- and addresses: velocities only ask which of them are equal.  The fingerprint only if
-- $4 is 1, because reading it is slow.
-- name: backtest_open_ordered many read late
declare backtest no scroll cursor for
select d.*
from assay.log_pieces('assay.decision_detail', $2::text::timestamptz) p
	cross join lateral (
	    select s.sample, t.tested, case when t.tested then (
			select l.outcome = 'fraud' from assay.label l
			where l.event_id = s.event_id and l.outcome <> 'none')
		end as fraud, s.event_id, s.verdict_id, s.user_id, s.decided_at,
		s.device::text as device, s.ip::text as ip,
		case when $4::bigint = 1 then
		    s.request::json -> 'subject' ->> 'fingerprint'
		end as fingerprint, s.dry_run is null as live
	    from assay.decision_detail s
		cross join lateral (select s.event_type = $1::text
		    and s.decided_at >= $3::text::timestamptz) t (tested)
	    where s.decided_at >= p.far and s.decided_at < p.near
		and s.sample is not null
	    order by s.decided_at, s.verdict_id) d;

-- Redecisions (fcgi/ep/ep_redecision.c, cron/job_redecide.c) ------------------

-- name: redecision_ruleset many read late
select r.version from assay.ruleset r
where r.event_type = $1::text and r.version = $2::text;

-- name: redecision_create one write late
select refusal, body from assay.redecision_create($1::text, $2::text, $3::text,
	$4::text[], $5::timestamptz, $6::timestamptz, $7::text, $8::bigint,
	$9::bigint);

-- name: redecision_list one read late
select assay.redecision_list() as body;

-- name: redecision_get one read late
select refusal, body from assay.redecision_get($1::text);

-- name: redecision_changes one read late
select refusal, body from assay.redecision_changes($1::text, $2::bigint,
	$3::bigint);

-- name: redecision_cancel one write late
select refusal, body from assay.redecision_cancel($1::text);

-- name: redecision_claim many write late
select r.id, r.until, f.decided_until, f.decided_until::text as from_text,
	clock_timestamp() as now
from assay.redecision_claim($1::text, $2::bigint) r
	cross join lateral (select coalesce(r.decided_until, r.since)) f (decided_until);

-- name: redecision_books many read late
select event_type, ruleset_version, rules, policy_id, policy_version, policy
from assay.redecision_books($1::text);

-- name: redecision_slice one read late
select assay.redecision_slice($1::timestamptz, $2::timestamptz, $3::bigint) as ends;

-- name: redecision_fingerprints one read late
select exists (select from assay.list_entry l
	where l.subject = 'fingerprint') as listed;

-- name: redecision_events many read late
select decided_at, verdict_id, event_id, event_type, user_id, sample, device, ip,
	fingerprint, live
from assay.redecision_events($1::timestamptz, $2::timestamptz, $3::text[],
	$4::bigint = 1);

-- name: redecision_store one write late
select acted, done
from assay.redecision_store_columns($1::text, $2::timestamptz, $3::bigint,
	$4::bigint, $5::text[], $6::timestamptz[], $7::text[], $8::text[],
	$9::text[], $10::text[], $11::bigint[], $12::bigint[], $13::text[],
	$14::text[], $15::text[], $16::text[], $17::text[]);

-- name: redecision_take_up one write late
select assay.redecision_take_up($1::text) as runs;

-- name: redecision_release one write late
select assay.redecision_release($1::text);

-- name: redecision_fail one write late
select assay.redecision_fail($1::text, $2::text);

-- name: backtest_keep one write late
select assay.backtest_keep($1::text, $2::text, $3::text, $4::text);

-- name: backtest_kept one read late
select assay.backtest_kept() as kept;

-- name: backtest_find many read late
select body from assay.backtest_result where id = $1::text;

-- A batch fits into the buffers of a socket, so the server fetches the next one while
-- the program decides this one.
-- name: backtest_next many read late
fetch forward 200 from backtest;

-- Explanations (fcgi/ep/ep_explain.c) ---------------------------------------

-- The decision that verdict_of_event finds, its sample and request, its case and
-- its label.  The case has the time of the decision, so the index finds it, or a
-- redecision has opened it.
-- name: explain_find one read late
select v.id, v.event_id, v.event_type, v.verdict, v.score, v.reasons,
	v.policy_id, v.policy_version, v.decided_at, d.sample, d.request,
	coalesce((select r.id from assay.review_case r
	    where r.queue = v.review_queue
		and r.status in ('open', 'assigned', 'resolved')
		and r.opened_at = v.decided_at and r.verdict_id = v.id),
	    (select w.case_id from assay.verdict_revision w
	    where w.verdict_id = v.id)) as case_id,
	l.outcome as label,
	case when l.chargeback is null then 'analyst' else 'chargeback' end
	    as label_source,
	coalesce(l.outcome_at, l.labelled_at) as label_at
from (select * from assay.verdict_log where event_id = $1::text
	order by score >= 0 desc, decided_at desc, id desc limit 1) v
    left join assay.decision_detail d
	on d.decided_at = v.decided_at and d.verdict_id = v.id
    left join assay.label l
	on l.event_id = v.event_id and l.outcome <> 'none';

-- The active ruleset and policy of an event type (fcgi/ep/live_book.c).
-- name: live_book one read late
select r.version as ruleset_version, r.text as rules, p.id as policy_id,
	p.version as policy_version,
	json_build_object('onError', p.on_error, 'bands', p.bands)::text
	    as policy
from assay.ruleset_active a join assay.ruleset r using (event_type, version),
    assay.policy_active b join assay.policy p using (event_type, version)
where a.event_type = $1::text and b.event_type = $1::text;

-- The active policy of an event type, without the text of its rules.
-- name: live_policy one read late
select p.id as policy_id, p.version as policy_version,
	json_build_object('onError', p.on_error, 'bands', p.bands)::text
	    as policy
from assay.policy_active b join assay.policy p using (event_type, version)
where b.event_type = $1::text;

-- name: explain_policy many read late
select json_build_object('onError', p.on_error, 'bands', p.bands)::text
	as policy
from assay.policy p
where p.event_type = $1::text and p.version = $2::text;

-- Training (lib/train/train_samples.c) --------------------------------------

-- name: train_policy one read late
select json_build_object('onError', p.on_error, 'bands', p.bands)::text
	as policy
from assay.policy_active a join assay.policy p using (event_type, version)
where a.event_type = $1::text;

-- The time from which on there may be samples: the oldest month with rows.
-- name: train_span one read late
select coalesce(min(to_date(right(relid::text, 6), 'YYYYMM')::timestamp
		at time zone 'UTC'), now()) as first,
	now() as last
from pg_partition_tree('assay.decision_detail')
where isleaf and pg_relation_size(relid) > 0;

-- The samples of a stretch of time, in order, with the labels of their events
-- and since when these are known.
-- name: train_samples many read late
select d.decided_at, d.verdict_id, d.event_type, d.user_id, d.sample,
	l.outcome = 'fraud' as fraud,
	coalesce(l.outcome_at, l.labelled_at) as labelled_at
from assay.decision_detail d left join assay.label l
	on l.event_id = d.event_id and l.outcome <> 'none'
where d.decided_at >= $1::timestamptz
	and (d.decided_at, d.verdict_id) > ($1::timestamptz, $2::text)
	and d.decided_at < $3::timestamptz
	and ($4::text is null or d.event_type = $4::text)
	and d.sample is not null
order by d.decided_at, d.verdict_id limit $5::bigint;

-- Retention (lib/retention/retention.c) -------------------------------------

-- name: retain_preview one read late
select rows, exact, cut
from assay.retention_preview($1::text, $2::bigint);

-- These run as a role that owns nothing.  From retain_begin on all are writes:
-- a new connection does not hold the lock.

-- name: retain_cut one read late
select assay.retention_cutoff($1::bigint) as cut;

-- A crash of the server may undo removals; the next sweep repeats them.  The
-- sweep does not wait long for a session that reads a month.  The session of a
-- lost host ends after ten seconds, instead of holding the lock for hours.
-- name: retain_session one read late
select set_config('synchronous_commit', 'off', false),
	set_config('idle_session_timeout', '10s', false),
	set_config('lock_timeout', '500ms', false),
	set_config('statement_timeout', $1::bigint::text, false);

-- name: retain_ahead one write late
select case when assay.partitions_left() < $1::bigint
	then assay.partitions_ahead($1::bigint::int) else 0 end as made;

-- name: retain_begin one write late
select begun, ahead_ms
from assay.retention_begin($1::bigint, $2::timestamptz);

-- name: retain_end one write late
select assay.retention_end();

-- name: retain_month many write late
select verdicts, activity, samples
from assay.retention_month($1::timestamptz, $2::timestamptz, $3::timestamptz);

-- name: retain_batches many write late
select part, page_range, done_until
from assay.retention_batches($1::text, $2::timestamptz, $3::bigint,
	$4::bigint);

-- name: retain_batch one write late
select rows_gone, others_gone
from assay.retention_batch($1::text, $2::bigint, $3::bigint, $4::timestamptz,
	$5::timestamptz);

-- name: retain_done one write late
select assay.retention_raise_watermark($1::text, $2::timestamptz);

-- name: retain_dead one write late
select assay.retention_dead_letters($1::timestamptz, $2::bigint) as gone;

-- name: retain_labels one write late
select assay.retention_labels($1::timestamptz, $2::bigint) as gone;

-- name: retain_erasures one write late
select assay.retention_erasures($1::timestamptz, $2::bigint) as gone;

-- name: retain_exceptions one write late
select assay.retention_exceptions($1::timestamptz, $2::bigint) as gone;

-- name: retain_redecisions one write late
select assay.retention_redecisions($1::timestamptz, $2::bigint) as gone;

-- name: retain_vacuum one write late
select assay.retention_vacuum() as autovacuum;

-- Erasure (fcgi/ep/ep_privacy.c, lib/retention/user_erasure.c,
-- ctl/cmd/erasure_list.c) ----------------------------------------------------

-- name: erase_stored one read late
select assay.erase_stored($1::text) as stored;

-- name: erase_begin one write late
select assay.erase_begin($1::text) as since, assay.erasure_name($1::text) as name;

-- Not a write: it may be repeated.
-- name: spool_report late
select assay.spool_report($1::text, $2::bigint, $3::bigint);

-- name: erase_spools one read late
select late, held from assay.erase_spools($1::timestamptz);

-- name: erase_identity one write late
select more, graph, baseline, until
from assay.erase_identity($1::bigint, $2::text, $3::bigint);

-- name: erase_details one write late
select more, requests, samples
from assay.erase_details($1::text, $2::timestamptz, $3::bigint);

-- name: erasures_add one write late
select assay.erasures_add($1::text[], $2::timestamptz[]);

-- name: erasures_tidy one write late
select assay.erasures_tidy();

-- name: erasures_left many read late
select user_id from assay.erasures_left();

-- Storage (fcgi/ep/ep_storage.c, fcgi/pool/idle_task.c) ---------------------

-- name: storage_bytes one read late
select pg_database_size(current_database()) as bytes;

-- name: storage_rows many read late
select name, rows from assay.storage_rows();

-- Models (cron/job_model.c, lib/engine/engine.c, ctl/cmd/models.c) ----------

-- The active model for this version of the feature vector.  No row, or a null
-- text, means the bundled model.
-- name: engine_model many read late
select l.origin, l.hash, m.body
from assay.model_activation l left join assay.model m using (hash)
where l.hash is null or m.features_version = $1::bigint
order by l.number desc limit 1;

-- The model that samples name by this version, active or not.
-- name: model_find many read late
select l.origin, l.hash, m.body
from assay.model m join assay.model_activation l using (hash)
where left(m.hash, 16) = $1::text
order by l.number desc limit 1;

-- Why a source has no valid model: the source that was polled last, within a
-- day.
-- name: model_refused many read late
select kind as source, assay.time_text(refused_at) as refused_at,
	assay.time_text(polled_at) as polled_at, refusal
from assay.model_source
where refusal is not null and polled_at > clock_timestamp() - interval '1 day'
order by model_source.polled_at desc limit 1;

-- name: model_poll_claim many write late
select lease_end, etag
from assay.model_source_claim($1::text, $2::text, $3::text, $4::bigint, $5::bigint,
	$6::bigint);

-- name: model_poll_report one write late
select lease_held, activated, refusal_changed
from assay.model_source_report($1::text, $2::timestamptz, $3::text, $4::text, $5::text,
	$6::text);

-- name: model_poll_release one write late
select deactivated from assay.model_source_release($1::text);

-- name: model_publish one write late
select assay.model_activate('published', $1::text, $2::text) as activated;

-- The activations of models, newest first.
-- name: model_list many read late
select l.number, l.hash, l.origin, assay.time_text(l.activated_at) as activated_at,
	l.activated_by, m.body
from assay.model_activation l left join assay.model m using (hash)
order by l.number desc limit $1::bigint;

-- name: model_loaded many read late
select l.origin, m.hash, m.body
from assay.model_activation l left join assay.model m using (hash)
where l.number = $1::bigint;

-- name: model_reactivate one write late
select assay.model_activate($1::text, $2::text, null) as activated;

-- name: model_card_keep one write late
select assay.model_card_keep($1::text, $2::text);

-- The card of an activation, or without a number of the active model.
-- name: model_card many read late
select l.hash, c.card
from assay.model_activation l left join assay.model_card c using (hash)
where $1::bigint is null or l.number = $1::bigint
order by l.number desc limit 1;

-- The card of a model that decides as a shadow.
-- name: model_card_shadow many read late
select s.hash, c.card
from assay.shadow s left join assay.model_card c using (hash)
where s.slot = 'model' and s.ended_at is null;

-- Shadows (lib/engine/engine.c, candidate_model.c, fcgi/ep/ep_shadow.c) -----

-- name: engine_candidates many read late
select slot as event_type, id, version, text, percent from assay.shadow_candidate
where kind = 'ruleset';

-- name: engine_candidate_model many read late
select id, hash, 'published' as origin, text as body, percent
from assay.shadow_candidate where kind = 'model';

-- name: shadow_list one read late
select assay.shadow_list($1::text) as body;

-- Begin and end shadows alone until the transaction ends.
-- name: shadow_lock one write late
select assay.shadow_lock();

-- name: shadow_ruleset one write late
select refusal, body
from assay.shadow_ruleset($1::text, $2::text, $3::text, $4::bigint, $5::text,
	$6::text);

-- name: shadow_challenge one write late
select assay.shadow_challenge($1::text, $2::text, $3::text, $4::text,
	$5::bigint) as outcome;

-- name: shadow_model one write late
select refusal, body
from assay.shadow_model($1::text, $2::text, $3::text);

-- name: shadow_find many read late
select id, text from assay.shadow_candidate where slot = $1::text;

-- name: shadow_state one read late
select text as state from assay.shadow_candidate where slot = $1::text;

-- name: shadow_rollout one write late
select refusal, body
from assay.shadow_rollout($1::text, $2::text, $3::bigint);

-- name: shadow_end one write late
select refusal, body
from assay.shadow_end($1::text, $2::text, $3::text);

-- Not a write: it may be repeated after a lost connection.
-- name: shadow_scorer one late
select assay.shadow_scorer($1::text);

-- name: rollout_guard one write late
select assay.rollout_guard($1::bigint, $2::text) as ended;

-- Metrics (lib/shared/companion_counter.c, gauge.c) -------------------------

-- name: counter_add one write late
select assay.counter_add($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]);

-- name: counter_read many read late
select metric, label1, label2, n from assay.counter;

-- name: gauges many read late
select name, value from assay.gauges($1::bigint);

-- assayctl ------------------------------------------------------------------

-- name: doctor_facts one read late
select version, version_number, now, migration, read_only, fsync,
	full_page_writes, synchronous_commit, synchronous_names, standbys,
	synchronous_standbys, lag_bytes, lag_hidden, slot, slot_bytes,
	slots_lost, connections_max, connections, bytes, tables, unsealed_ms,
	swept_ms
from assay.doctor_facts();

-- name: ruleset_missing one read
select not exists (select from assay.ruleset_active
	where event_type = $1::text) as missing;

-- The first ruleset of an event type becomes the active one.
-- name: ruleset_seed write
with made as (
	insert into assay.ruleset (event_type, version, text)
	values ($1::text, $2::text, $3::text)
), pointed as (
	insert into assay.ruleset_active values ($1::text, $2::text)
)
update assay.epoch set rules = rules + 1;

-- name: policy_missing one read
select not exists (select from assay.policy_active
	where event_type = $1::text) as missing;

-- The same for policies.
-- name: policy_seed write
with made as (
	insert into assay.policy (event_type, version, id, on_error, bands)
	values ($1::text, $2::text, 'pol_' || replace($1::text, '.', '_'),
		$3::text, $4::text::jsonb)
), pointed as (
	insert into assay.policy_active values ($1::text, $2::text)
)
update assay.epoch set policies = policies + 1;

-- name: partitions_ahead one write
select assay.partitions_ahead($1::bigint::int) as made;

-- No row if the operator exists.
-- name: admin_create many write
insert into assay.operator (email, role, password)
values ($1::text, 'admin', $2::text)
on conflict do nothing
returning email;

-- No row if no enabled admin with a second factor has this email.
-- name: admin_second_factor many write
with gone as (
	delete from assay.second_factor f using assay.operator o
	where f.email = $1::text and o.email = f.email and o.role = 'admin'
	    and o.disabled_at is null
	returning f.email
)
update assay.operator o set session_number = o.session_number + 1
from gone where o.email = gone.email
returning o.email;

-- No row if no enabled admin has this email.
-- name: admin_password many write
update assay.operator
set password = $2::text, password_temporary = true,
	session_number = session_number + 1
where email = $1::text and role = 'admin' and disabled_at is null
returning email;
