-- SPDX-License-Identifier: ISC
-- Drift: counts by event type, merged days, labels on the days of their
-- decisions, and the days that were compared.
\pset tuples_only on
\pset format unaligned
\pset null -
create function base() returns date language sql stable
return (now() at time zone 'UTC')::date + 40;

create function today() returns date language sql stable
return (now() at time zone 'UTC')::date;

-- Log a decision some days after the base; with p a model has scored it.
create function decide(verdict text, event text, day int, score int,
    p float8 default null, tag text default 't') returns void language sql
begin atomic
	insert into assay.verdict_log (decided_at, id, event_id, event_type,
	    verdict, score, reasons, policy_id, policy_version, correlation_id)
	values ((base() + day + time '12:00') at time zone 'UTC',
	    decide.verdict, event, 'order.place', 'review', score,
	    json_build_array(json_build_object('tag', tag, 'points', 1)),
	    'p', 'v', 'c');
	insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
	    user_id, sample)
	values ((base() + day + time '12:00') at time zone 'UTC',
	    decide.verdict, event, 'order.place', 'u', json_build_object('scorer',
	    case when p is null then 'weighted' else 'ml' end, 'p', p));
end;
create view counted as select kind, day - base() as day, event_type, name, n
	from assay.analytics_count where day > '-infinity'
	order by kind, day, event_type, name;
create view calibrated as select day - base() as day, measure, bin, labels,
	fraud, total from assay.calibration order by 1, 2, 3;
create function label(events text[], source text, outcome text)
returns table (risk bigint, counted bigint) language plpgsql as $$
begin
	perform assay.label_put(e, source, outcome, 'c') from unnest(events) e;
	perform from assay.labels_match(100);
	return query select (select l.labels from assay.risk_slot_labels(100) l
		where l.entity = 0), (assay.drift_step(100)).labels;
end
$$;

-- Days count exact scores by event type; the totals count scores by tens.
select decide('v-1', 'e-1', 0, 0);
select decide('v-2', 'e-2', 0, 57);
select decide('v-3', 'e-3', 0, 57);
select decide('v-4', 'e-4', 1, 100, 0.9876543);
select decide('v-5', 'e-5', 1, 41, 0.0512345);
select decide('v-6', 'e-6', 1, -1, null, 'list.block');
select counted from assay.analytics_project(100);
select * from counted;
select kind, name, n from assay.analytics_total order by 1, 2;

-- The counts of two windows leave out decisions that were not scored.
select * from assay.drift_counts('score', base() + 1, 1, 1);
select * from assay.drift_counts('tag', base() + 1, 1, 1);
select * from assay.drift_counts('score', base() + 1, 2, 1);
select * from assay.drift_counts('score', base() + 2, 1, 1);

-- A label counts on the day of its decision, by score or by probability.
select * from label('{e-1,e-2,e-3}', 'analyst', 'legit');
select * from label('{e-4,e-5}', 'analyst', 'fraud');
select * from calibrated;
select (assay.drift_step(100)).labels;

-- A changed label moves its count, also after the sample was removed, and is
-- never counted twice.
select * from label('{e-2}', 'chargeback', 'fraud');
update assay.decision_detail set sample = null;
update assay.label set analyst = 'legit' where event_id = 'e-4';
update assay.label set credited_outcome = outcome where event_id = 'e-4';
select * from label('{}', 'analyst', 'legit');
select * from calibrated;
select * from assay.drift_calibration(base() + 1, 1, 1);
begin;
select * from label('{e-3}', 'chargeback', 'fraud');
select * from calibrated where bin = 5;
rollback;
select * from calibrated where bin = 5;

-- Without a sample the label counts by score; without the verdict, or on a
-- merged day, it does not count.
select decide('v-7', 'e-7', 2, 70, 0.5);
select decide('v-8', 'e-8', 2, 71);
select decide('v-9', 'e-9', 3, 72);
select counted from assay.analytics_project(100);
update assay.decision_detail set sample = null where verdict_id = 'v-7';
select * from label('{e-7,e-8}', 'analyst', 'fraud');
delete from assay.verdict_log where id = 'v-8';
update assay.label set analyst = 'legit' where event_id = 'e-8';
update assay.label set credited_outcome = outcome where event_id = 'e-8';
select * from label('{}', 'analyst', 'legit');
update assay.analytics_cursor set compacted_before = base() + 4;
select * from label('{e-9}', 'analyst', 'fraud');
update assay.analytics_cursor set compacted_before = '-infinity';
select * from calibrated where day not in (0, 1);

-- Old days are merged once a day; the totals do not change.
insert into assay.analytics_count (kind, day, name, n, event_type)
select w.kind, today() - 400 + w.day, w.name, 5, w.event_type
from (values ('score', -1, '57', 'order.place'),
    ('score', -1, '52', 'card.refund'), ('tag', -30, 't', 'order.place'),
    ('verdict', -30, 'deny', ''), ('score', 0, '3', 'order.place'))
    as w(kind, day, name, event_type);
insert into assay.analytics_count (kind, day, name, n)
values ('score', '-infinity', '50', 2);
insert into assay.calibration values (today() - 401, 'order.place', 'score',
    3, 1, 1, 30), (today() - 400, 'order.place', 'score', 3, 1, 1, 30);
select assay.analytics_compact();
select count(*) from assay.analytics_count where day < today() - 400;
insert into assay.analytics_count (kind, day, name, n)
values ('tag', today() - 401, 't', 1);
select assay.analytics_compact();
select count(*) from assay.analytics_count where day < today() - 400;
update assay.analytics_cursor set compacted_before = compacted_before - 1;
select assay.analytics_compact();
select kind, day, event_type, name, n from assay.analytics_count
where day < today() - 400 order by 1, 4;
select count(*) from assay.calibration where day < today();
select assay.analytics_first_complete_day() >= compacted_before from assay.analytics_cursor;

-- Only the first companion of a day records the drift and publishes the alert.
insert into assay.alert_channel (id, type, url, url_hint, events, created_by)
values ('ntf_1', 'webhook', 'https://a.example', '"h"', '{alert.drift.v1}', 'me');
select (assay.drift_step(1)).due = (today() - 1)::text;
select assay.drift_record(today() - 1,
    '{order.place,card.refund,card.capture}', '{0.5,null,0.1}',
    '{"{\"psi\":0.5}",null,null}', 'cor-1');
select (assay.drift_step(1)).due;
select assay.drift_record(today() - 1,
    '{order.place,card.refund}', '{0.5,null}', '{"{\"psi\":0.5}",null}', 'cor-2');
select event_type, psi from assay.drift order by 1;
select event, data, correlation_id, user_id from assay.outbox;
select assay.drift_record(today(),
    '{order.place}', '{0.6}', '{"{\"psi\":0.6}"}', 'cor-3');
select event, data, correlation_id from assay.outbox where data like '%psi%';
select name, value from assay.gauges(10) where name like 'psi%' order by 1;

-- A record of a future day, left by a clock that was set back, is ignored.
update assay.drift set day = today() + 30;
select (assay.drift_step(1)).due = (today() - 1)::text;
select assay.drift_record(today() - 1,
    '{order.place}', '{0.7}', '{"{\"psi\":0.7}"}', 'cor-4');
select (assay.drift_step(1)).due;
