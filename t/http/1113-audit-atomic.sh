#!/bin/sh
# SPDX-License-Identifier: ISC
# A change and its audit entry are one transaction: an entry that cannot be written
# undoes the change, and the trail has failed changes.
. "$(dirname "$0")/lib.sh"
use load

start_stack
admin_token

sql 'alter table assay.audit add constraint never check (status <> 201)
    not valid'
http POST /v1/apikeys '{"name":"unheard of"}'
is_error "a change whose entry cannot be written answers 500" 500 INTERNAL
is "a change whose entry cannot be written is not made" \
    "$(sql "select count(*) from assay.service_key
    where name = 'unheard of'")" 0
sql 'alter table assay.audit drop constraint never'
http GET '/v1/audit?limit=1'
is_json "the trail has the failed change" '.entries[0].status' 500

# PostgreSQL cancels a change that waits for a lock.
hold_lock 'lock table assay.service_key'
post_later waited /v1/apikeys '{"name":"held up"}' -H "Authorization: Bearer $TOKEN"
stack_until 20 0 lock_waiters_are 1
sql "select pg_cancel_backend(pid) from pg_locks where not granted" >/dev/null
await_answer waited
release_lock
is_error "a cancelled change answers 503" 503 UNAVAILABLE
is "a cancelled change may be sent again after a second" \
    "$(header retry-after)" 1
is "a cancelled change is not made" \
    "$(sql "select count(*) from assay.service_key
    where name = 'held up'")" 0
check "the log has PostgreSQL's reason for the cancelled change" grep -q \
    'event=request_failed code=UNAVAILABLE why="database error 57014' \
    "$scratch/log/pool.log"
finish
