-- SPDX-License-Identifier: ISC
-- Cases: their pages, how they are assigned and resolved, and their trail.
\pset tuples_only on
\pset format unaligned

create table assay.verdict_log_202001 partition of assay.verdict_log
    for values from ('2020-01-01Z') to ('2020-02-01Z');
create table assay.decision_detail_202001 partition of assay.decision_detail
    for values from ('2020-01-01Z') to ('2020-02-01Z');
insert into assay.webhook_endpoint (id, url, events, secret, created_by)
values ('whk_1', 'https://a.example/', '{case.resolved.v1}', 's', 'me');

-- decide() logs a decision on an event of a user, so many minutes after the
-- year 2020 began; open_case() logs a review and opens its case.
create function at_minute(minute int) returns timestamptz language sql
return timestamptz '2020-01-01Z' + make_interval(mins => minute);
create function decide(n text, minute int, event text, of_user text,
    verdict text) returns void language sql
begin atomic
	insert into assay.verdict_log (decided_at, id, event_id, event_type,
	    verdict, score, reasons, policy_id, policy_version, correlation_id)
	values (at_minute(minute), 'vd_' || n, event, 'order.place', verdict,
	    50, '[]', 'p', 'v', 'c');
	insert into assay.decision_detail (decided_at, verdict_id, event_id,
	    event_type, user_id)
	values (at_minute(minute), 'vd_' || n, event, 'order.place', of_user);
end;
create function open_case(n text, in_queue text, minute int, event text,
    of_user text) returns void language sql
begin atomic
	select decide(n, minute, event, of_user, 'review');
	insert into assay.review_case (id, event_id, verdict_id, queue, score,
	    opened_at)
	values (n, event, 'vd_' || n, in_queue, 50, at_minute(minute));
	insert into assay.case_trail (case_id, at, action, actor)
	values (n, at_minute(minute), 'opened', 'engine');
end;

-- page() shows the ids on a page of cases, or why there is no page.
create function page(queue text default null, status text default null,
    event text default null, of_user text default null,
    page_limit int default 9, page_offset int default 0,
    before text default null) returns text language sql
return (select coalesce(p.refusal, (
	select string_agg(w.c ->> 'id', ' ' order by w.n)
	from json_array_elements(p.body::json) with ordinality w(c, n)), 'none')
    from assay.case_page(row(queue, status, event, of_user, null, null, null,
	null, null, null, null, null, null, null, null)::assay.case_filter,
	page_limit, page_offset, before, 'newest') p);
create view cases as select id, status, assigned_to, outcome, note, resolved_by,
	resolved_at is not null as has_time
from assay.review_case order by id;
create view trail as select case_id, action, actor, detail
from assay.case_trail order by case_id, at;

-- Without cases there are no queues, and a page is an empty array.
select count(*) from assay.case_queues();
select refusal is null, body from assay.case_page(null, 9, 0, null, 'newest');

-- Of b and c, opened at the same time, the greater id comes first.
select open_case('a', 'q1', 1, 'e-a', 'u-1');
select open_case('b', 'q2', 2, 'e-b', 'u-2');
select open_case('c', 'q1', 2, 'e-c', 'u-2');
select open_case('d', 'q3', 3, 'e-d', 'u-1');
select * from assay.case_queues();
select page();

-- Pages follow each other by offset and by the last case of the page before.
select page(page_limit => 2), page(page_limit => 2, page_offset => 2),
    page(page_limit => 2, page_offset => 4);
select page(queue => 'q1', page_limit => 1),
    page(queue => 'q1', page_limit => 1, page_offset => 1);
select page(page_limit => 1, before => 'c'), page(before => 'b'),
    page(before => 'a'), page(before => 'd', page_offset => 2);
select page(before => 'unknown');

-- Cases are selected by queue, status, event and user.
select page(queue => 'q1'), page(queue => 'unknown');
select page(status => 'open'), page(status => 'resolved');
select page(event => 'e-c'), page(event => 'unknown');
select page(of_user => 'u-1'), page(of_user => 'unknown');
select page(queue => 'q1', of_user => 'u-2'),
    page(status => 'open', of_user => 'u-2'),
    page(status => 'resolved', of_user => 'u-2');
select page(of_user => 'u-2', page_limit => 1),
    page(of_user => 'u-2', page_limit => 1, page_offset => 1),
    page(of_user => 'u-2', before => 'c'), page(of_user => 'u-2', before => 'b');

-- A second decision "allow" on an event adds no case; a second review does.
select decide('a2', 4, 'e-a', 'u-1', 'allow');
select page(event => 'e-a');
select open_case('e', 'q1', 5, 'e-a', 'u-1');
select page(event => 'e-a');

-- Cases of a user are found among the newest 10000 decisions on the user.
select open_case('f', 'q1', 0, 'e-f', 'u-3');
insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
    user_id)
select at_minute(10), 'vd_f' || n, 'e', 'order.place', 'u-3'
from generate_series(1, 9999) n;
select page(of_user => 'u-3');
select decide('f-10001', 11, 'e', 'u-3', 'allow');
select page(of_user => 'u-3');

-- An open case has no analyst and no resolution.
select body from assay.case_get('a');
select * from assay.case_get('unknown');

-- A case may be assigned again; the trail then has the previous analyst.
select * from assay.case_assign('a', 'ann@example.com');
select * from assay.case_assign('a', 'bob@example.com');
select * from assay.case_assign('a', 'bob@example.com');
select * from assay.case_assign('unknown', 'ann@example.com');
select * from cases where id = 'a';
select * from trail where case_id = 'a';
select page(status => 'assigned'), page(queue => 'q1', status => 'open');
select c.e ->> 'action', c.e ->> 'detail' from assay.case_get('a'),
	json_array_elements(body::json -> 'audit') with ordinality c(e, n)
order by c.n;

-- A resolved case keeps the analyst to whom it is assigned, even if another
-- analyst resolves it.  The outcome becomes the event's label and is published.
select refusal, body::jsonb #- '{resolution,at}' from assay.case_resolve('a',
    'ann@example.com', 'fraud', 'stolen card', 'cor_1');
select * from cases where id = 'a';
select * from trail where case_id = 'a';
select event_id, analyst from assay.label;
select event, data, correlation_id, user_id is null from assay.outbox;
select body::json -> 'status', (body::json -> 'resolution')::jsonb - 'at'
from assay.case_get('a');
select page(status => 'resolved'), page();

-- A resolved case cannot be resolved again or assigned, and does not change.
select * from assay.case_resolve('a', 'bob@example.com', 'legit', null, 'cor_2');
select * from assay.case_assign('a', 'bob@example.com');
select * from assay.case_resolve('unknown', 'bob@example.com', 'legit', null, 'c');
select * from cases where id = 'a';
select count(*) from trail where case_id = 'a';
select count(*), max(correlation_id) from assay.outbox;
select event_id, analyst from assay.label;

-- An open case is assigned to the analyst who resolves it.  Without a note
-- neither the answer nor the event has one.
select body::jsonb #- '{resolution,at}' from assay.case_resolve('b',
    'ann@example.com', 'legit', null, 'cor_3');
select * from cases where id = 'b';
select * from trail where case_id = 'b';
select data from assay.outbox where correlation_id = 'cor_3';

-- An inconclusive outcome is no label.
select refusal from assay.case_resolve('c', 'ann@example.com', 'inconclusive',
    null, 'cor_4');
select event_id, analyst from assay.label order by 1;

-- An unknown outcome is refused, and changes nothing.
select * from assay.case_resolve('d', 'ann@example.com', 'maybe', null, 'cor_5');
select * from cases where id = 'd';
select count(*) from trail where case_id = 'd';

-- Without a subscriber a case is resolved but not published.
update assay.webhook_endpoint set active = false;
select refusal is null from assay.case_resolve('d', 'ann@example.com', 'legit',
    null, 'cor_6');
select max(correlation_id) from assay.outbox;

-- The clock may be set back: the next entry of a trail is a microsecond later
-- than the last one.
update assay.case_trail set at = '2100-01-01Z' where case_id = 'e';
select refusal is null from assay.case_assign('e', 'ann@example.com');
select action, at = timestamptz '2100-01-01Z' + interval '1 microsecond'
from assay.case_trail where case_id = 'e' order by at;
