#!/bin/sh
# SPDX-License-Identifier: ISC
# Erasure of users whose decisions are in another host's spool; a silent host, a
# quarantined file, and retention.
. "$(dirname "$0")/lib.sh"
use away erase

start_with_key

# far_drained: check that the other host's spool is empty.
# shellcheck disable=SC2317 # called by stack_until
far_drained() {
	on 2 GET /metrics
	[ "$(printf '%s\n' "$BODY" |
	    awk '$1 == "engine_spool_records" { print $2 }')" = 0 ]
}

# Each host reports its spool to the database.
# shellcheck disable=SC2317 # called by stack_until
spools_reported() {
	[ "$(sql "select count(*) from assay.spool_host")" = 2 ]
}
start_host 2
check "both hosts have reported their spools" stack_until 20 0 spools_reported
decide_login u-here l-0
on 2 POST /v1/decisions '{"type":"account.login","subject":{"userId":"u-2"}}'
refuse_pool
for i in 1 2 3; do
	on 2 POST /v1/decisions "{\"id\":\"h-$i\",\"type\":\"account.login\",
	    \"subject\":{\"userId\":\"u-far\"}}"
done
check "decisions go to the spool of the other host" \
    grep -q u-far "$scratch/spool2/active"
is "an erasure is not complete while another host's spool has records" \
    "$(erase_complete u-far)" \
    "200 false"
admit_pool
stack_until 20 0 far_drained || not_ok "the other host drains its spool"
is "the other host's drain writes no detail of the erased user" \
    "$(degraded_rows 'h-%') $(detail_rows u-far)" "3 0"
# shellcheck disable=SC2317 # called by stack_until
far_complete() {
	[ "$(erase_complete u-far)" = "200 true" ]
}
check "an erasure is complete once both hosts report empty spools" \
    stack_until 20 0 far_complete

# A silent host may have records on its disk.
sql "update assay.spool_host set reported_at = reported_at - interval '1 day';
    insert into assay.spool_host (spool, records, quarantined, reported_at)
    values ('gone', 0, 0, now() - interval '1 day')" >/dev/null
is "an erasure is not complete while a host is silent" \
    "$(erase_complete u-far)" \
    "200 false"
sql "delete from assay.spool_host where spool = 'gone'" >/dev/null
check "an erasure is complete once the silent host is deleted" \
    stack_until 20 0 far_complete

# Quarantined spool files are on the disk, too.
: >"$scratch/spool/old.quarantine"
is "an erasure is not complete while a spool file is quarantined" \
    "$(erase_complete u-far)" \
    "200 false"
rm "$scratch/spool/old.quarantine"
is "an erasure is complete once the quarantined file is removed" \
    "$(erase_complete u-far)" "200 true"

# The drain restores no detail that retention would have removed.
sql "insert into assay.retention_watermark values ('activity', now() +
    interval '1 hour') on conflict (collection) do update
    set until = excluded.until" >/dev/null
refuse_pool
decide_login u-old r-1
admit_pool
wait_drained
is "a spooled record older than the retention watermark has no detail" \
    "$(degraded_rows r-1) $(detail_rows u-old)" "1 0"

# Retention deletes an erasure once no record of that time can come back.
sql "delete from assay.retention_watermark;
    update assay.erasure set erased_at = now() - interval '91 days';
    insert into assay.spool_host values ('long gone', 3, 0,
	now() - interval '91 days')" >/dev/null
erase_complete u-last >/dev/null
cron "retain --once"
is "retention deletes erasures older than the activity window" \
    "$(sql 'select count(*) from assay.erasure')" 1
is "retention deletes hosts that were silent for that window" \
    "$(sql "select count(*)
    from assay.spool_host where spool = 'long gone'")" 0
finish
