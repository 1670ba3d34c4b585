-- SPDX-License-Identifier: ISC
-- Queues and the next case; cases with equal times and several queues; what old
-- cases get from the logs.
\pset tuples_only on
\pset format unaligned
\setenv PGHOST :HOST
\setenv PGUSER :USER
\setenv PGDATABASE :DBNAME

create function open_case(n text, in_queue text, points int, minutes int)
returns void language sql
begin atomic
	insert into assay.review_case (id, event_id, verdict_id, queue, score,
	    opened_at)
	values (n, 'e-' || n, 'v-' || n, in_queue, points,
	    now() - make_interval(mins => minutes));
end;
create function next(of_queue text default null, by_score boolean default false)
returns text language sql
return assay.case_next(of_queue, by_score, 'ann', 30)::json -> 'case' ->> 'id';
create view cases as select id, status, assigned_to,
	claim_expires_at - now() < '31 min' as claimed, snoozed_until
from assay.review_case order by id;
create view trail as select case_id, action, actor, detail
from assay.case_trail order by case_id, at;

-- Without cases there is no next one.
select next(), next('q'), next('q', true);
select assay.queue_list('ann');

-- Equal times are ordered by id, in all queues together.
select open_case('b', 'q', 10, 5), open_case('a', 'p', 10, 5),
    open_case('c', 'q', 10, 6);
select next(), next(), next(), next();
select * from cases;
select * from trail;

-- By score, equal scores are ordered by time.
update assay.review_case set status = 'open', assigned_to = null,
	claim_expires_at = null;
select open_case('d', 'p', 90, 1), open_case('e', 'q', 10, 9);
select next(null, true), next(null, true), next(null, true);

-- Only a case that is not snoozed now is next; a claim ends it.
update assay.review_case set status = 'open', assigned_to = null,
	claim_expires_at = null, snoozed_until = now() + interval '1 s';
select next();
update assay.review_case set snoozed_until = now() where id = 'a';
select next(), next();
select snoozed_until is null from assay.review_case where id = 'a';

-- A claim ends at its time.  A case that was assigned before claims were
-- stored has none and is never next.
update assay.review_case set claim_expires_at = now() where id = 'a';
update assay.review_case set status = 'assigned', assigned_to = 'bob',
	claim_expires_at = null, snoozed_until = null where id = 'b';
select next(), next();

-- Cases past the targets of their queues are first, the earliest target first.
update assay.review_case set status = 'open', assigned_to = null,
	claim_expires_at = null, snoozed_until = null;
select assay.queue_put('p', 1), assay.queue_put('q', 8);
select (c.j ->> 'dueAt')::timestamptz - (c.j ->> 'openedAt')::timestamptz
from (select body::json from assay.case_get('a')) as c(j);
select next(null, true), next(null, true), next(null, true), next(null, true);
select assay.queue_put('p', null);
select body::json ->> 'dueAt' from assay.case_get('a');

-- A case that another session has locked is left out, and next does not wait.
update assay.review_case set status = 'open', assigned_to = null,
	claim_expires_at = null;
select count(*) from assay.case_candidates('{p,q}', false, 16);
begin;
select from assay.review_case where id in ('a', 'c', 'e') for update;
\! psql -XAtc 'select next(), next(), next()'
rollback;
