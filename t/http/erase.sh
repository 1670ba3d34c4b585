# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What the scenarios of erasure share.  Sourced after lib.sh, by scenarios that
# keep the admin's token in $token and send none otherwise.
# shellcheck disable=SC2034,SC2154 # of lib.sh

# decide_order ID USER [MEMBERS]: one order, with these members of subject.
decide_order() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"order.place\",
	    \"amount\":20.5,\"currency\":\"EUR\",
	    \"subject\":{\"userId\":\"$2\"${3:+,$3}}}"
}

# decide_login USER ID: one login, with a device and an attribute that name the
# user.
decide_login() {
	http POST /v1/decisions "{\"id\":\"$2\",\"type\":\"account.login\",
	    \"subject\":{\"userId\":\"$1\",\"deviceId\":\"d-$1\"},
	    \"attributes\":{\"plan\":\"plan-of-$1\"}}"
}

# erase_user USER: erase the user as an admin.
erase_user() {
	TOKEN=$token
	http POST /v1/privacy/erase "{\"userId\":\"$1\"}"
	TOKEN=
}

# erase_complete USER: erase, and print whether the erasure is complete.
erase_complete() {
	erase_user "$1"
	echo "$STATUS $(json .complete)"
}

# refuse_pool: the database refuses the decide role, but not operators.
refuse_pool() {
	sql 'alter role assay_decide nologin' >/dev/null
	sql "select pg_terminate_backend(pid) from pg_stat_activity
	    where usename = 'assay_decide'" >/dev/null
}

# admit_pool: the database accepts the decide role again.
admit_pool() {
	sql 'alter role assay_decide login' >/dev/null
}

# last_signals: print the signals of the last decision about earlier events.
last_signals() {
	sql "select concat_ws(' ', s->>'device.firstSeen',
	    s->>'device.fingerprintFirstSeen', s->>'anomaly.samples',
	    s->>'velocity.attemptsLast24h', s->>'graph.ringSize',
	    s->>'graph.usersOnIp', s->>'graph.usersOnPhone')
	from (select signals(sample) as s from assay.decision_detail
	    order by decided_at desc limit 1) x"
}

# detail_rows USER: print the number of the user's detail rows.
detail_rows() {
	sql "select count(*) from assay.decision_detail where user_id = '$1'"
}

# degraded_rows LIKE: print how many degraded events have such ids.
degraded_rows() {
	sql "select count(*) from assay.verdict_log
	    where event_id like '$1' and score = -1"
}
