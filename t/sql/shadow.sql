-- SPDX-License-Identifier: ISC
-- Shadows: which decisions and labels count for them, each once, and how they
-- begin, are replaced and end.
\pset tuples_only on
\pset format unaligned
\pset null -

-- Log a decision some minutes from now with an active score and a shadow score,
-- each from one tag.
create function decide(verdict text, minutes float8, live int, shadow text,
    score int) returns void language sql
begin atomic
	insert into assay.verdict_log (decided_at, id, event_id, event_type,
	    verdict, score, reasons, policy_id, policy_version, correlation_id)
	values (now() + minutes * interval '1 minute', verdict, 'e-' || verdict,
	    'order.place', case when live < 50 then 'allow' else 'review' end,
	    live, json_build_array(json_build_object('tag', 'a', 'points', live),
		json_build_object('tag', 'list.watch', 'points', 0)), 'p', 'v',
	    'c');
	insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
	    user_id, sample)
	values (now() + minutes * interval '1 minute', verdict, 'e-' || verdict,
	    'order.place', 'u', json_build_object('score', live,
		'verdict', case when live < 50 then 'allow' else 'review' end,
		'shadow', case when shadow is not null then json_build_object(
		    'id', shadow, 'score', score, 'verdict',
		    case when score < 50 then 'allow' else 'review' end,
		    'tags', json_build_array(json_build_object('tag', 'b',
			'points', score))) end));
end;
create view counted as select s.id, c.kind, c.name, c.n, c.points
	from assay.shadow_count c join assay.shadow s using (number)
	order by 1, 2, 3;
create function project(most bigint) returns bigint language sql
return (select counted from assay.analytics_project(most));
create function epochs() returns text language sql
return (select rules || ' ' || model from assay.epoch);

-- Without a shadow, a sample with a shadow result does not count.
select decide('v-0', 0, 10, 'shd_none', 60);
select project(10);
select count(*) from counted;

-- A shadow ruleset.
select epochs();
select * from assay.shadow_ruleset('order.place', 'v1', 'rules', 1, 'ann@example.com', 'shd_1');
select epochs();
select slot, kind, id, version, text from assay.shadow_candidate;
select count(*) from assay.ruleset_active where version = 'v1';
select * from assay.shadow_ruleset('order.place', 'v1', 'rules', 1, 'ann@example.com', 'shd_x');
select epochs();
select id from assay.shadow;

-- Each decision counts once, also in pieces and when a step is repeated.
begin;
select decide('v-1', 0, 10, 'shd_1', 60);
select decide('v-2', 0, 20, 'shd_1', 20);
select decide('v-3', 0, 60, 'shd_1', 60);
select decide('v-4', 0, 60, null, null);
select decide('v-5', 0, -1, 'shd_1', 60);
commit;
begin;
select project(3);
rollback;
select project(2);
select project(2);
select project(2);
select project(2);
select * from counted;

-- A label counts after its decision has counted for entity risk; its count
-- moves with it, also after the sample was removed.
select assay.label_put('e-v-1', 'analyst', 'legit', 'c');
select assay.label_put('e-v-3', 'analyst', 'legit', 'c');
select assay.label_put('e-v-4', 'analyst', 'legit', 'c');
select count(*) from assay.risk_slot_labels(10);
select * from counted where kind in ('fraud', 'legit');
update assay.decision_detail set sample = null;
select assay.label_put('e-v-1', 'chargeback', 'fraud', 'c');
select count(*) from assay.risk_slot_labels(10);
select * from counted where kind in ('fraud', 'legit');
select event_id, shadow[2:] from assay.label order by 1;

-- The list shows exact quantiles, and precision and recall.
select jsonb_pretty(x::jsonb - 'startedAt' - 'verdicts' - 'id' - 'examples')
    from json_array_elements(assay.shadow_list(null)::json) x;
select e ->> 'eventId', e ->> 'live', e ->> 'shadow'
    from json_array_elements(assay.shadow_list(null)::json) x,
	json_array_elements(x -> 'examples') e;

-- A promoted shadow is active and stays listed; earlier decisions still count.
select * from assay.shadow_end('order.place', 'shd_2', 'promoted');
select epochs();
select * from assay.shadow_end('order.place', 'shd_1', 'promoted');
select epochs();
select version from assay.ruleset_active where event_type = 'order.place';
select * from assay.shadow_end('order.place', 'shd_1', 'ended');
select count(*) from assay.shadow_candidate;
select decide('v-6', -0.1, 10, 'shd_1', 60);
select project(10);
select n from counted where name = 'allow.review' and kind = 'verdicts';
select decide('v-7', 10, 10, 'shd_1', 60);
select project(10);
select n from counted where name = 'allow.review' and kind = 'verdicts';

-- A replaced shadow loses its counts, and labels of its decisions do not count.
select * from assay.shadow_ruleset('order.place', 'v2', 'rules', 1, 'ann@example.com', 'shd_2');
select count(*) from counted;
select assay.label_put('e-v-3', 'chargeback', 'fraud', 'c');
select count(*) from assay.risk_slot_labels(10);
select count(*) from counted;

-- A shadow model is the shadow of each type without a shadow ruleset.
select refusal, body::json ->> 'version' = left(encode(sha256('{"featuresVersion":1}'), 'hex'), 16)
    from assay.shadow_model(encode(sha256('{"featuresVersion":1}'), 'hex'),
    '{"featuresVersion":1}', 'shd_3');
select epochs();
select x ->> 'eventType', x ->> 'kind', x ->> 'state'
    from json_array_elements(assay.shadow_list('ml')::json) x
    where x ->> 'eventType' in ('account.login', 'order.place');
select refusal from assay.shadow_end('model', 'shd_3', 'promoted');
select epochs();
select origin, hash = encode(sha256('{"featuresVersion":1}'), 'hex')
    from assay.model_activation;

-- A shadow scorer counts if a companion had it within a day, and starts at zero
-- after a day without it.
select assay.shadow_scorer('ml');
select epochs();
select decide('v-8', 0, 10, 'ml', 60);
select project(10);
select id, name, n from counted where kind = 'verdicts';
update assay.shadow set seen_at = now() - interval '2 hours' where kind = 'scorer';
select assay.shadow_scorer('ml');
select seen_at > now() - interval '1 minute', (select count(*) from counted)
    from assay.shadow where id = 'ml';
update assay.shadow set seen_at = now() - interval '25 hours' where kind = 'scorer';
select decide('v-9', 0, 10, 'ml', 60);
select project(10);
select id, name, n from counted where kind = 'verdicts';
select assay.label_put('e-v-8', 'chargeback', 'fraud', 'c');
select count(*) from assay.risk_slot_labels(10);
select count(*) from counted where kind = 'fraud';
select assay.shadow_scorer('ml');
select count(*) from counted;

-- The newest 20 examples stay.
do $$ begin
    for n in 1 .. 25 loop
	perform decide('x-' || to_char(n, 'FM00'), n / 60.0, 10, 'ml', 60);
    end loop;
end $$;
select project(10), project(20);
select count(*), min(event_id), max(event_id) from assay.shadow_example
    join assay.shadow using (number) where id = 'ml';

-- A challenger replaces an earlier challenger after some days, but no shadow of an
-- operator, also of the same model, and is not begun twice.
create function challenge(n int) returns text language sql
return (select assay.shadow_challenge(encode(sha256(convert_to(t, 'UTF8')), 'hex'), t,
    'card ' || n, 'shd_c' || n, 21)
    from (select format('{"featuresVersion":1,"n":%s}', n)) x(t));
create view challenging as select s.id, c.card, s.challenger
    from assay.shadow s left join assay.model_card c using (hash)
    where s.slot = 'model' and s.ended_at is null;
select challenge(1);
select challenge(1);
select challenge(2);
update assay.shadow set started_at = now() - interval '20 days 23 hours';
select challenge(2);
update assay.shadow set started_at = now() - interval '21 days';
update assay.shadow set percent = 1 where slot = 'model';
select challenge(2);
update assay.shadow set percent = 0 where slot = 'model';
select challenge(2);
select * from challenging;
select r.refusal from assay.shadow s join assay.model m using (hash),
    assay.shadow_model(s.hash, m.body, 'shd_o') r where s.id = 'shd_c2';
update assay.shadow set started_at = now() - interval '21 days';
select challenge(2);
select challenge(3);
select * from challenging;
select refusal from assay.shadow_end('model', 'shd_o', 'ended');
select challenge(3);
select * from challenging;

-- The card of a model can be kept again.
select assay.model_card_keep(hash, 'newer') from assay.shadow where id = 'shd_c3';
select * from challenging;

-- A rollout: the shadow makes the decision and the sample has the active side.
create function roll_out(verdict text, minutes float8, live int, score int)
returns void language sql
begin atomic
	insert into assay.verdict_log (decided_at, id, event_id, event_type,
	    verdict, score, reasons, policy_id, policy_version, correlation_id)
	values (now() + minutes * interval '1 minute', verdict, 'e-' || verdict,
	    'order.place', case when score < 50 then 'allow' else 'review' end,
	    score, json_build_array(json_build_object('tag', 'b', 'points', score)),
	    'p', 'v', 'c');
	insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
	    user_id, request, sample)
	values (now() + minutes * interval '1 minute', verdict, 'e-' || verdict,
	    'order.place', 'u-' || verdict, '{"amount":12.50,"currency":"EUR"}',
	    json_build_object('score', score,
		'verdict', case when score < 50 then 'allow' else 'review' end,
		'shadow', json_build_object('id', 'shd_r', 'arm', 'shadow',
		    'score', live, 'verdict',
		    case when live < 50 then 'allow' else 'review' end,
		    'tags', json_build_array(json_build_object('tag', 'a',
			'points', live)))));
end;
create view arms as select c.arm, c.kind, c.name, c.n, c.points, c.amount
	from assay.shadow_tally c join assay.shadow s using (number)
	where s.id = 'shd_r' order by 1, 2, 3;
select refusal from assay.shadow_ruleset('order.place', 'v3', 'rules', 1,
    'ann@example.com', 'shd_r');
select * from assay.proposal_state('shadow', 'order.place');
select epochs();
select * from assay.shadow_rollout('order.place', 'shd_2', 10);
select * from assay.shadow_rollout('order.place', 'shd_r', 101);
select epochs();
select * from assay.shadow_rollout('order.place', 'shd_r', 10);
select epochs();
select slot, id, percent from assay.shadow_candidate where kind = 'ruleset';
select * from assay.proposal_state('shadow', 'order.place');
select decide('r-1', 0.1, 10, 'shd_r', 60);
update assay.decision_detail set sample = jsonb_set(sample::jsonb, '{shadow,arm}',
    '"live"')::text where verdict_id = 'r-1';
select roll_out('r-2', 0.1, 10, 60);
select roll_out('r-3', 0.1, 60, 10);
select roll_out('r-4', 0.1, 60, 60);
select project(10);
select * from arms;
select event_id, live, shadow from assay.shadow_example
    join assay.shadow using (number) where id = 'shd_r' order by 1;

-- Labels count for the arm, with their amounts, and move with the outcome.
select assay.label_put('e-r-' || n, 'analyst', 'legit', 'c') from generate_series(1, 4) n;
select count(*) from assay.risk_slot_labels(10);
select assay.label_put('e-r-' || n, 'chargeback', 'fraud', 'c') from generate_series(1, 3) n;
select count(*) from assay.risk_slot_labels(10);
select * from arms where kind like 'fraud%' or kind like 'legit%';
select event_id, shadow[2:] from assay.label where event_id like 'e-r-%' order by 1;
select jsonb_pretty(x::jsonb -> 'arms') from json_array_elements(assay.shadow_list(null)::json) x
    where x ->> 'id' = 'shd_r';
select x -> 'live' ->> 'amounts', x -> 'shadow' ->> 'amounts', x -> 'verdicts' ->> 'allow'
    from json_array_elements(assay.shadow_list(null)::json) x where x ->> 'id' = 'shd_r';

-- Another shadow does not take the place of a rollout, and a rollout ends its effect
-- when another version becomes active.
select refusal from assay.shadow_ruleset('order.place', 'v4', 'rules', 1,
    'ann@example.com', 'shd_x');
begin;
select refusal from assay.ruleset_publish('order.place', 'v5', 'rules', 1, 'ann@example.com');
select id, percent from assay.shadow where id = 'shd_r';
rollback;

-- When the request is gone, an amount stays where it was counted.
begin;
update assay.decision_detail set request = null;
select assay.label_put('e-r-4', 'chargeback', 'fraud', 'c');
select count(*) from assay.risk_slot_labels(10);
select * from arms where name like 'review.review%' and kind <> 'verdicts';
rollback;

-- The guard: a window of 50 decisions, the same events on both sides, in both
-- directions, several users, and no rollout that differs by chance.
select roll_out('r-' || n, 0.1, 10, 60) from generate_series(5, 7) n;
select project(10);
insert into assay.alert_channel (id, type, url, url_hint, events, created_by)
    values ('ntf_1', 'webhook', 'https://a.example', '"h"', '{alert.rollout.v1}', 'me');
-- watch() makes a window with these decisions, in which the shadow gave a verdict
-- more and another one less often than the live side.
create function watch(decisions int, verdict text, more int, less int)
returns bigint language sql
begin atomic
	insert into assay.shadow_count as c (number, event_type, kind, name, n, points)
	select s.number, 'order.place', 'shadow arm verdicts', v.name, v.n, 0
	from assay.shadow s cross join (values
	    ('allow.' || verdict, more), (verdict || '.allow', less),
	    ('allow.allow', decisions - more - less)) as v(name, n)
	where s.id = 'shd_r'
	on conflict (number, event_type, kind, name) do update
	set n = c.n + excluded.n;
	select assay.rollout_guard(5, 'cor');
end;
-- try() does the same and leaves no trace.
create procedure try(decisions int, verdict text, more int, less int)
language plpgsql as $$
declare
	ended bigint;
begin
	ended := watch(decisions, verdict, more, less);
	rollback;
	raise notice '% ended', ended;
end
$$;
delete from assay.shadow_count where kind like 'shadow arm%'
    and number = (select number from assay.shadow where id = 'shd_r');
call try(49, 'review', 49, 0);
call try(100, 'review', 8, 0);
call try(100, 'review', 10, 0);
call try(100, 'deny', 8, 0);
call try(100, 'deny', 10, 0);
call try(100, 'review', 0, 10);
call try(100, 'deny', 0, 10);
call try(4999, 'deny', 500, 300);
call try(4999, 'deny', 249, 0);
call try(4999, 'deny', 251, 0);
begin;
update assay.decision_detail set user_id = 'u-1' where user_id in ('u-r-2', 'u-r-3', 'u-r-5');
select watch(100, 'deny', 100, 0);
rollback;
begin;
update assay.shadow set percent = 0 where id = 'shd_r';
select watch(100, 'deny', 100, 0);
rollback;
select watch(5000, 'review', 250, 0);
select decisions, denied_more, reviewed_more, reviewed_less from assay.rollout_window;
call try(49, 'review', 49, 0);
select watch(6000, 'deny', 300, 0);
select decisions, denied_more, reviewed_more, reviewed_less from assay.rollout_window;
select epochs();
select watch(50, 'deny', 50, 0);
select epochs();
select event, data, correlation_id from assay.outbox;
select actor, action, params from assay.audit;
select watch(50, 'deny', 50, 0);
select x ->> 'state', x ->> 'percent' from json_array_elements(assay.shadow_list(null)::json) x
    where x ->> 'id' = 'shd_r';
select count(*) from assay.shadow_candidate;
