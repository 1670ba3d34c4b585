#!/bin/sh
# SPDX-License-Identifier: ISC
# With 100000 cases every list, every count and the next case are read from an
# index, and a list that passes over cases stops and says where.
. "$(dirname "$0")/lib.sh"
use list cases

start_cases
# The queue "big" has 60000 open cases, the oldest 200 of them snoozed, 1000
# assigned ones and 34000 resolved ones; "small" has 5000 open ones.  One case of
# each queue, the oldest that is not snoozed, has the tag "rare".
sql "insert into assay.review_case (id, event_id, verdict_id, queue, score,
    status, assigned_to, claim_expires_at, outcome, resolved_by, resolved_at,
    snoozed_until, opened_at, event_type, amount, currency, tags)
    select 'cse_' || lpad(n::text, 26, '0'), 'x-' || n, 'vd_0',
	case when n <= 95000 then 'big' else 'small' end, n * 7919 % 101,
	s.status, case when s.status <> 'open' then 'a' || n % 20 || '@a.bc' end,
	case when s.status = 'assigned' then now() + interval '1 h' end,
	case when s.status = 'resolved' then 'legit' end,
	case when s.status = 'resolved' then 'a' || n % 20 || '@a.bc' end,
	case when s.status = 'resolved' then now() end,
	case when n <= 200 then now() + interval '1 d' end,
	now() - make_interval(secs => 200000 - n), 'order.place', n, 'EUR',
	case when n in (201, 95001) then array['rare'] else array['amount'] end
    from generate_series(1, 100000) n, lateral (select case
	when n <= 60000 or n > 95000 then 'open'
	when n <= 61000 then 'assigned' else 'resolved' end) as s(status);
    insert into assay.case_queue values ('big', 1000)"
sql 'vacuum analyze assay.review_case'

# reads LABEL MAX STATEMENT: as the role of the operators' workers it scans no
# table of cases from its beginning, and fetches at most MAX cases.
reads() {
	counted=$(sql "begin; set local role assay_operator;
	    set local plan_cache_mode = force_generic_plan;
	    set local jit = off;
	    create temp table answer on commit drop as $3;
	    select coalesce(seq_scan, 0), coalesce(idx_tup_fetch, 0)
	    from pg_stat_xact_user_tables where relname = 'review_case'")
	is "$1: no scan of the whole table" "${counted%|*}" 0
	check "$1: at most $2 cases are fetched, not ${counted#*|}" \
	    [ "${counted#*|}" -le "$2" ]
}
sql 'grant temp on database assay to assay_operator'

# list LABEL MAX ORDER FILTER AFTER: a page of 100 cases.
list() {
	reads "$1" "$2" "select * from assay.case_page(jsonb_populate_record(
	    null::assay.case_filter, jsonb_build_object($4)), 100, 0,
	    ${5:-null}, '$3')"
}
for order in newest oldest score; do
	list "a queue, $order" 1000 "$order" "'queue', 'big', 'snoozed', false"
	list "all open cases, $order" 1000 "$order" "'status', 'open'"
	big="'queue', 'big', 'status', 'open'"
	list "a page in the middle, $order" 1000 "$order" "$big" \
	    "'cse_00000000000000000000030000'"
	list "a rare tag, $order" 21000 "$order" "'tag', 'rare'"
	list "an amount that no case has, $order" 21000 "$order" \
	    "$big, 'min_amount', 1e9"
	list "a score, $order" 21000 "$order" "$big, 'min_score', 100"
	list "an hour, $order" 21000 "$order" "$big,
	    'opened_after', now() - interval '170000 s',
	    'opened_before', now() - interval '166400 s'"
	list "an analyst, $order" 21000 "$order" "'assignee', 'a7@a.bc'"
	list "an unknown analyst, $order" 21000 "$order" \
	    "'assignee', 'a99@a.bc'"
	list "snoozed cases, $order" 21000 "$order" "'snoozed', true"
done
list "an analyst's newest" 1000 newest "'assignee', 'a7@a.bc'"
list "snoozed cases, newest" 1000 newest "'snoozed', true"
list "an event" 10 newest "'event_id', 'x-5'"
reads "queues" 31000 "select assay.queue_list('a7@a.bc')"
for by_score in true false; do
	reads "the next case, by score: $by_score" 1000 \
	    "select assay.case_next(null, $by_score, 'ana', 30)"
done

# A list that stops: pages after Assay-Read-Until find the case.
pages=0
after=
found=0
until [ "$found" -eq 2 ] || [ "$pages" -eq 40 ]; do
	http GET "/v1/cases?queue=*&tag=rare&snoozed=false$after"
	pages=$((pages + 1))
	found=$((found + $(json length)))
	after="&after=$(header assay-read-until)"
done
is "pages after Assay-Read-Until find all cases with the tag" "$found" 2
check "more than one page was needed, not $pages" [ "$pages" -gt 1 ]
until [ -z "$(header assay-read-until)" ] || [ "$pages" -eq 60 ]; do
	http GET "/v1/cases?queue=*&tag=rare&snoozed=false$after"
	pages=$((pages + 1))
	after="&after=$(header assay-read-until)"
done
is "the last page has no Assay-Read-Until" \
    "$STATUS $(header assay-read-until)" "200 "
http GET /v1/queues
is_json "a queue counts up to 10000 cases" '.queues |
    map("\(.queue) \(.open) \(.assigned) \(.snoozed) \(.breached)") |
    join(", ")' "big 10000 1000 200 10000, small 5000 0 0 0"
http GET '/v1/cases?queue=big&limit=100'
is "a full page has no Assay-Read-Until" "$(header assay-read-until)" ""
http POST /v1/cases/next '{"queue":"big"}'
is_json "the next case is past its target and not snoozed" .case.eventId x-201
finish
