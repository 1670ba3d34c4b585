#!/bin/sh
# SPDX-License-Identifier: ISC
# The server ends the session of a worker that is idle.  A decision that is the first
# to need a statement, which the lost session never had, is made all the same.
. "$(dirname "$0")/lib.sh"

start_signed_in DECIDE_WORKERS=1
event=$(login_event u-1)
http POST /v1/decisions "$event"
is "the session of the decide worker ends" \
    "$(sql "select pg_terminate_backend(pid, 60000) from pg_stat_activity
	where usename = 'assay_decide'")" t
http POST /v1/decisions "$event" -H "X-Engine-Mode: shadow"
is "its first dry run is scored" "$STATUS $(json '.score >= 0')" "200 true"
finish
