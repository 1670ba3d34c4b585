-- SPDX-License-Identifier: ISC
-- A test of the checker: each of these changes spoils a good history or the
-- database, and the checker must find it under its name.  Returns the changes
-- that it did not find, so no rows are good.

-- The rows to spoil: a decision, answered alone and once, without a key, of
-- a user with a device and a later event; a review; the answer to a batch.
create temp table one as
select a.ctid as line, v.id, v.event_id, v.verdict, d.user_id,
	a.line->>'call' as call, i.key
from history a
	join assay.verdict_log v on v.id = a.line#>>'{body,id}'
	join assay.decision_detail d on d.verdict_id = v.id
	join assay.idempotency i on i.verdict_id = v.id and i.key = v.event_id
where a.line->>'op' = 'answer' and d.request like '%"deviceId"%'
	and exists (select from assay.decision_detail n where n.user_id = d.user_id
		and n.decided_at > d.decided_at)
	and (select count(*) from history h where h.line->>'op' = 'call'
		and h.line->>'events' like '%"' || v.event_id || '"%') = 1
order by v.decided_at limit 1;
create temp table reviewed as
select verdict_id as id from assay.review_case order by id limit 1;
create temp table batch as
select ctid as line from history
where line#>>'{body,results,0,ok}' = 'true' order by ctid limit 1;

create temp table mutation (wants text, act text);
insert into mutation values
('history: a call is made once and answered once', $$
	insert into history select h.line from history h, one where h.ctid = one.line
$$),
('history: a call is made once and answered once', $$
	delete from history where line->>'op' = 'call'
	and line->>'call' = (select call from one)
$$),
('answer: a decision, or an error in its envelope', $$
	update history set line = line || '{"status": 500, "body": null}'
	where ctid = (select line from one)
$$),
('answer: a decision, or an error in its envelope', $$
	update history set line = line || '{"status": 503, "body":
	    {"error": true, "code": "UNAVAILABLE", "message": ""}}'
	where ctid = (select line from one)
$$),
('answer: a decision, or an error in its envelope', $$
	update history set line = jsonb_set(line, '{body,results,0}', '{}')
	where ctid = (select line from batch)
$$),
('answer: it is stored', $$
	delete from assay.verdict_log where id = (select id from one)
$$),
('answer: it is stored', $$
	update history set line = jsonb_set(line, '{body,id}', '"vd_0"')
	where ctid = (select line from one)
$$),
('answer: it is what is stored', $$
	update history set line = jsonb_set(line, '{body,eventId}', '"t-x"')
	where ctid = (select line from one)
$$),
('answer: it is what is stored', $$
	update history set line = jsonb_set(line, '{body,verdict}', '"accept"')
	where ctid = (select line from one)
$$),
('answer: it is what is stored', $$
	update history set line = jsonb_set(line, '{body,score}', '101')
	where ctid = (select line from one)
$$),
('answer: it is what is stored', $$
	update history set line = jsonb_set(line, '{body,reasons}',
	    '[{"tag": "ring", "points": 1}]')
	where ctid = (select line from one)
$$),
('answer: it is what is stored', $$
	update history set line = jsonb_set(line, '{body,policyId}', '"pol_x"')
	where ctid = (select line from one)
$$),
('answer: it is what is stored', $$
	update history set line = line #- '{body,policyVersion}'
	where ctid = (select line from one)
$$),
('answer: it is what is stored', $$
	update assay.verdict_log set decided_at = decided_at + interval '1 ms'
	where id = (select id from one)
$$),
('answer: it is what is stored', $$
	update history set line = jsonb_set(line,
	    '{body,results,0,decision,score}', '101')
	where ctid = (select line from batch)
$$),
('answer: a key has one decision in all of them', $$
	insert into assay.verdict_log select decided_at, 'vd_0', event_id,
		event_type, verdict, score, reasons, policy_id, policy_version,
		review_queue, correlation_id, xid
	from assay.verdict_log where id = (select id from one);
	insert into history select jsonb_set(h.line, '{call}', '0')
	from history h, one where h.line->>'call' = one.call;
	update history set line = jsonb_set(line, '{body,id}', '"vd_0"')
	where line->>'call' = '0' and line->>'op' = 'answer'
$$),
('answer: a replay is of a decision', $$
	update assay.verdict_log set score = -1,
	    reasons = '[{"tag":"engine.degraded","points":0}]'
	where id = (select id from one);
	update history set line = line || '{"replay": true}'
	where ctid = (select line from one)
$$),
('verdict: its id is its own', $$
	insert into assay.verdict_log
	select * from assay.verdict_log where id = (select id from one)
$$),
('verdict: a key is decided once', $$
	insert into assay.verdict_log select decided_at, 'vd_0', event_id,
		event_type, verdict, score, reasons, policy_id, policy_version,
		review_queue, correlation_id, xid
	from assay.verdict_log where id = (select id from one)
$$),
('verdict: its event was sent, and not refused', $$
	delete from history where line->>'call' = (select call from one)
$$),
('verdict: its event was sent, and not refused', $$
	update history set line = line || '{"status": 400, "body":
	    {"error": true, "code": "INGEST_INVALID", "message": "no"}}'
	where ctid = (select line from one)
$$),
('verdict: it is of the type that was sent', $$
	update assay.verdict_log set event_type = 'card.guess'
	where id = (select id from one)
$$),
('verdict: a degraded one has score -1', $$
	update assay.verdict_log
	set reasons = '[{"tag":"engine.degraded","points":0}]', score = 0
	where id = (select id from one)
$$),
('key: it is there for decisions and no others', $$
	delete from assay.idempotency where key = (select key from one)
$$),
('key: it is there for decisions and no others', $$
	update assay.idempotency set key = 'key-x'
	where key = (select key from one)
$$),
('key: it is there for decisions and no others', $$
	update assay.verdict_log set score = -1,
	    reasons = '[{"tag":"engine.degraded","points":0}]'
	where id = (select id from one)
$$),
('key: it names a verdict', $$
	update assay.idempotency set verdict_id = 'vd_0'
	where key = (select key from one)
$$),
('detail: every verdict has its own', $$
	delete from assay.decision_detail where verdict_id = (select id from one)
$$),
('detail: every verdict has its own', $$
	update assay.decision_detail set request = null
	where verdict_id = (select id from one)
$$),
('detail: every verdict has its own', $$
	update assay.decision_detail set user_id = 'u-x'
	where verdict_id = (select id from one)
$$),
('detail: there is no other', $$
	update assay.decision_detail set verdict_id = 'vd_0'
	where verdict_id = (select id from one)
$$),
('verdict: its id is its own', $$
	insert into assay.decision_detail
	select * from assay.decision_detail where verdict_id = (select id from one)
$$),
('sample: scored verdicts have one, of that score', $$
	update assay.decision_detail set sample = null
	where verdict_id = (select id from one)
$$),
('sample: scored verdicts have one, of that score', $$
	update assay.decision_detail set sample = jsonb_set(sample::jsonb, '{score}', '101')
	where verdict_id = (select id from one)
$$),
('sample: scored verdicts have one, of that score', $$
	update assay.decision_detail set sample = jsonb_set(sample::jsonb, '{tags}', '{}')
	where verdict_id = (select id from one)
$$),
-- The signals miss another event of the user, or count one that was not stored.
('user: attempts', $$
	update assay.decision_detail set sample = sample::jsonb
	    || '{"signals": {"velocity.attemptsLast24h": 1000}}'
	where verdict_id = (select id from one)
$$),
('user: attempts', $$
	delete from history where line->>'call' = (select call from one);
	delete from assay.verdict_log where id = (select id from one);
	delete from assay.idempotency where key = (select key from one);
	delete from assay.decision_detail where verdict_id = (select id from one)
$$),
('user: samples', $$
	update assay.decision_detail set sample = sample::jsonb
	    || '{"signals": {"anomaly.samples": 1000}}'
	where verdict_id = (select id from one)
$$),
('user: devices', $$
	update assay.decision_detail set sample = sample::jsonb
	    || '{"signals": {"graph.devicesOnUser": 400}}'
	where verdict_id = (select id from one)
$$),
('user: a state for each that was scored', $$
	delete from assay.user_state where user_id = (select user_id from one)
$$),
('user: a state for each that was scored', $$
	insert into assay.user_state
	select 'u-x', node, root, state from assay.user_state limit 1
$$),
('graph: entities', $$
	delete from assay.entity where key = (select user_id from one)
$$),
('graph: entities', $$
	insert into assay.entity (kind, key) values (2, 'd-x')
$$),
('graph: links', $$
	delete from assay.entity_link where ctid = (select min(ctid) from assay.entity_link)
$$),
('graph: links', $$
	insert into assay.entity_link values (100000, 100001)
$$),
('graph: counters', $$
	update assay.entity set users = users + 1
	where id = (select min(id) from assay.entity where kind = 3)
$$),
('graph: counters', $$
	update assay.entity set devices = devices - 1
	where id = (select min(id) from assay.entity where devices > 1)
$$),
('graph: counters', $$
	update assay.entity set first_device = id
	where id = (select min(id) from assay.entity where devices > 0)
$$),
('graph: components', $$
	update assay.entity set size = size + 1
	where id = (select min(id) from assay.entity
		where parent is null and kind <> 5)
$$),
('graph: components', $$
	update assay.entity set parent = null
	where id = (select min(id) from assay.entity where parent is not null)
$$),
('graph: components', $$
	update assay.entity set parent = id
	where id = (select min(id) from assay.entity
		where parent is null and kind <> 5)
$$),
('graph: a user''s place', $$
	update assay.user_state set node = null, root = null
	where user_id = (select user_id from one)
$$),
('graph: a user''s place', $$
	update assay.user_state set root = 0
	where user_id = (select user_id from one)
$$),
('case: every review has one, and nothing else', $$
	update assay.review_case set verdict_id = 'vd_0'
	where verdict_id = (select id from reviewed)
$$),
('case: every review has one, and nothing else', $$
	insert into assay.review_case (id, event_id, verdict_id, queue, score,
		opened_at)
	select 'cse_0', event_id, verdict_id, queue, score, opened_at
	from assay.review_case where verdict_id = (select id from reviewed)
$$),
('case: every review has one, and nothing else', $$
	update assay.review_case set queue = 'nobody'
	where verdict_id = (select id from reviewed)
$$),
('case: it was opened once', $$
	insert into assay.case_trail select * from assay.case_trail
	where ctid = (select min(ctid) from assay.case_trail)
$$),
('case: it was opened once', $$
	delete from assay.case_trail
	where ctid = (select min(ctid) from assay.case_trail)
$$);

-- Make one change, run the checker, and undo the change.
create function pg_temp.missed(wants text, act text)
returns text language plpgsql as $$
declare
	touched int;
	got text[];
begin
	begin
		execute act;
		get diagnostics touched = row_count;
		got := array(select distinct finding from pg_temp.findings());
		raise sqlstate 'UNDO0';
	exception when sqlstate 'UNDO0' then null;
	end;
	return case when touched = 0 then 'nothing to do: ' || wants || act
	    when wants <> all (got) then 'missed: ' || wants || act end;
end
$$;
select said from mutation, pg_temp.missed(wants, act) as said
where said is not null;
