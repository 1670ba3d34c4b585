-- SPDX-License-Identifier: ISC
-- Proposals: what the database refuses.
\pset tuples_only on
\pset format unaligned
\pset null -

insert into assay.operator (email, role, password, disabled_at) values
    ('ann', 'admin', 'x', null), ('bob', 'admin', 'x', null),
    ('eve', 'analyst', 'x', null), ('old', 'admin', 'x', now());
create function pg_temp.propose(id text, subject text, target text, author text,
    least_role text default 'author')
returns text language sql as $$
select coalesce(refusal, body::json ->> 'status') from assay.proposal_create(
    id, 'POST /v1/rules', subject, target, '{"a":1}', 'hash', 'after',
    'why', author, least_role) $$;

-- Who may propose and approve.
select pg_temp.propose('p1', 'lists', 'block user u 0', 'none', 'analyst');
select pg_temp.propose('p1', 'rules', 'card.refund', 'ann');
select pg_temp.propose('p0', 'rules', 'card.refund', 'eve');
select pg_temp.propose('p0', 'rules', 'card.refund', 'old');
select pg_temp.propose('p0', 'rules', 'card.refund', 'none');
select refusal from assay.proposal_begin('p0', 'bob', null);
select refusal from assay.proposal_begin('p1', 'ann', null);
select refusal from assay.proposal_begin('p1', 'eve', null);
select refusal from assay.proposal_begin('p1', 'old', null);
select refusal from assay.proposal_begin('p1', 'none', null);
select status from assay.proposal;

-- Each is decided once.
select * from assay.proposal_begin('p1', 'bob', 'fine');
select refusal from assay.proposal_begin('p1', 'bob', null);
select refusal from assay.proposal_close('p1', 'bob', 'rejected', 'no');
select assay.proposal_end('p1', 'rejected');
select assay.proposal_end('p1', 'approved');
select assay.proposal_end('p1', 'failed');
select status, decided_by, decision_reason, body from assay.proposal;

-- A base that has changed, of each subject.
select pg_temp.propose('p2', 'rules', 'card.refund', 'ann');
select pg_temp.propose('p3', 'policies', 'pol_card_refund', 'ann');
select pg_temp.propose('p4', 'retention', null, 'ann');
select pg_temp.propose('p5', 'lists', 'block user u 1', 'ann');
select pg_temp.propose('p6', 'shadow', 'card.refund', 'ann');
select pg_temp.propose('p7', 'shadow', 'model', 'ann');
select pg_temp.propose('p8', 'erasure', null, 'ann');
select pg_temp.propose('p9', 'lists', 'block user u 2', 'ann');
insert into assay.ruleset (event_type, version, text)
values ('card.refund', 'v2', 'two');
select assay.ruleset_activate('card.refund', 'v2');
insert into assay.policy (event_type, version, id, on_error, bands)
values ('card.refund', 'v2', 'pol_card_refund', 'fail_closed',
    '[{"verdict":"review","min":0,"max":100,"reviewQueue":"q"}]');
select assay.policy_activate('card.refund', 'v2');
select assay.setting_put(array['retention.activity'], array['9']);
select made from assay.list_save('lst_1', 'block', 'user', 'u 1', 'r', null,
    'ann');
select left(json_agg(id || ' ' || (assay.proposal_json(p) ->> 'stale')
    order by id)::text, 200) from assay.proposal p where status = 'pending';
select id, (select refusal from assay.proposal_begin(id, 'bob', null))
from assay.proposal where status = 'pending' and id <> 'p7' order by id;
select state from assay.proposal_state('policies', 'pol_card_refund');
select state from assay.proposal_state('retention', null);
select base, state from assay.proposal_state('lists', 'block user u 1');
select base, state from assay.proposal_state('lists', 'lst_1');
select assay.setting_put(array['retention.activity'], array[null]);
select state from assay.proposal_state('retention', null);

-- The contents of erasures and lists go with their decision.
select assay.proposal_end('p8', 'failed');
select status, body from assay.proposal where id = 'p8';
select refusal from assay.proposal_begin('p8', 'bob', null);
select assay.proposal_end('p8', 'approved');
select assay.proposal_end('p9', 'approved');
select id, status, target, body, digest, after from assay.proposal
where id in ('p8', 'p9') order by id;

-- A withdrawal by others, and by the author.
select pg_temp.propose('pa', 'rules', 'card.refund', 'ann');
select refusal from assay.proposal_close('pa', 'bob', 'withdrawn', null);
select refusal, body::json ->> 'status'
from assay.proposal_close('pa', 'ann', 'withdrawn', null);
select body, digest, after from assay.proposal where id = 'pa';

-- The author is disabled, or an analyst now.
select pg_temp.propose('pb', 'rules', 'card.refund', 'ann');
update assay.operator set disabled_at = now() where email = 'ann';
select refusal from assay.proposal_begin('pb', 'bob', null);
update assay.operator set disabled_at = null, role = 'analyst'
where email = 'ann';
select refusal from assay.proposal_begin('pb', 'bob', null);
update assay.operator set role = 'admin' where email = 'ann';

-- A run that was interrupted, and proposals that expire.
select refusal from assay.proposal_begin('pb', 'bob', null);
update assay.proposal set decided_at = now() - interval '14 minutes'
where id = 'pb';
select refusal from assay.proposal_begin('pb', 'bob', null);
update assay.proposal set decided_at = now() - interval '16 minutes'
where id = 'pb';
select refusal from assay.proposal_begin('pb', 'bob', null);
select assay.proposal_end('pb', 'failed');
update assay.proposal set created_at = now() - interval '31 days'
where id = 'pb';
select refusal from assay.proposal_begin('pb', 'bob', null);
select status from assay.proposal where id = 'pb';
select assay.retention_erasures(now() - interval '1 day', 10);
select status, body from assay.proposal where id = 'pb';

-- An analyst proposes what every role may, and sees and withdraws only that.
select pg_temp.propose('pe', 'lists', 'block user u 3', 'eve', 'analyst');
select pg_temp.propose('pf', 'lists', 'block user u 3', 'ann', 'analyst');
select who, json_array_length(assay.proposal_page('pending', 9, null,
    who)::json), (select refusal from assay.proposal_get('pf', who))
from unnest('{eve,ann,old,none}'::text[]) who;
select refusal from assay.proposal_get('pe', 'eve');
select refusal from assay.proposal_close('pf', 'eve', 'withdrawn', null);
select refusal from assay.proposal_close('pf', 'eve', 'rejected', 'no');
select refusal from assay.proposal_close('pe', 'eve', 'rejected', 'no');
select refusal from assay.proposal_begin('pe', 'eve', null);
select refusal from assay.proposal_close('pe', 'eve', 'withdrawn', null);
select pg_temp.propose('pg', 'lists', 'block user u 3', 'eve', 'analyst');
select refusal, author from assay.proposal_begin('pg', 'bob', null);
select assay.proposal_end('pg', 'approved');
select pg_temp.propose('ph', 'rules', 'card.refund', 'ann');
update assay.operator set role = 'analyst' where email = 'ann';
select refusal from assay.proposal_begin('ph', 'bob', null);
select refusal from assay.proposal_close('ph', 'ann', 'withdrawn', null);
update assay.operator set role = 'admin' where email = 'ann';
select refusal from assay.proposal_close('pf', 'ann', 'withdrawn', null);

-- An erasure ends the other proposals to erase the same user.
select pg_temp.propose('pc', 'erasure', null, 'ann');
select pg_temp.propose('pd', 'erasure', null, 'ann');
update assay.proposal set body = '{"userId":"u-1"}' where id = 'pc';
update assay.proposal set body = '{"userId":"u-2"}' where id = 'pd';
select assay.erase_begin('u-1') is not null;
select id, status, body from assay.proposal where id in ('pc', 'pd')
order by id;

-- At most 100 of one author, and 1000, wait.
select count(*), pg_temp.propose('q' || n, 'rules', 'card.refund', 'ann') as got
from generate_series(1, 120) n group by got order by got;
insert into assay.operator (email, role, password)
select 'o' || n, 'admin', 'x' from generate_series(1, 10) n;
select count(*), pg_temp.propose('r' || n, 'rules', 'card.refund',
    'o' || n % 10 + 1) as got
from generate_series(1, 1000) n group by got order by got;

-- The role of the service cannot write proposals itself.
set role assay_operator;
update assay.proposal set author = 'bob';
insert into assay.proposal (id) values ('x');
delete from assay.proposal;
select assay.proposal_clear('pb');
select assay.proposal_lock('rules', 'card.refund');
