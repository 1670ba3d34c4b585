#!/bin/sh
# SPDX-License-Identifier: ISC
# Hundreds of users have one device: their decisions on two hosts, in transactions of
# one event and of many, lose nothing that the device's velocities count.
. "$(dirname "$0")/lib.sh"
use velocities

# order_of N USERS: the Nth order, of one of that many users, all on one device.
order_of() {
	printf '{"id":"o-%d","type":"order.place","amount":%d.25,"currency":"EUR",
	    "attributes":{"card":"c-%d"},"subject":{"userId":"u-%d","deviceId":"d"}}' \
	    "$1" "$1" $(($1 % 50)) $(($1 % $2))
}

# send_orders FIRST LAST USERS: in 16 connections to both hosts at once.
send_orders() {
	for n in $(seq "$1" "$2"); do
		side=$scratch/run
		[ $((n % 2)) -eq 0 ] || side=$scratch/run2
		printf 'next\nsilent\nunix-socket = "%s"\n' "$side/http.sock"
		printf 'url = "%s/v1/decisions"\nheader = "X-API-Key: %s"\n' \
		    "$BASE" "$KEY"
		printf 'header = "Content-Type: application/json"\ndata = "%s"\n' \
		    "$(order_of "$n" "$3" | tr -d '\n' | sed 's/"/\\"/g')"
		printf 'output = "%s"\nwrite-out = "%%{http_code}\\n"\n' \
		    "$scratch/order.body"
	done | sed 1d >"$scratch/orders.conf"
	curl -Z --parallel-max 16 --parallel-immediate --max-time 30 \
	    -K "$scratch/orders.conf" 2>/dev/null | sort | uniq -c | tr -s ' '
}

start_stack
start_host 2
admin_token
api_key
publish_velocities order.place one 'velocity orders = count by deviceId over 24h
velocity spent = sum(event.amount) by deviceId over 24h
velocity cards = distinct(attr.card) by deviceId over 24h
velocity own = count by userId over 24h
rule r_any { when event.amount > 0 then score += 1, tag any }'
cron velocity
begin_fills
cron velocity
is "the velocities are known" "$(sql 'select count(*), bool_and(complete)
    from assay.velocity')" "4|t"

is "400 orders of 200 users are decided" "$(send_orders 1 400 200)" " 400 200"
http POST /v1/decisions "$(order_of 401 200)"
is "the count of the device has lost none" "$(seen o-401 orders)" 401
is "the sum of the device has lost none" "$(seen o-401 spent)" \
    "$(jq -n '[range(1; 402)] | add + 401 / 4')"
is "the distinct values of the device are all there" "$(seen o-401 cards)" 50
is "a velocity by userId counts the events of one user" "$(seen o-401 own)" 3
is "the device has a state for each of its shards" \
    "$(sql "select count(*) from assay.velocity_state s join assay.velocity v using (number)
	where v.definition like 'count by deviceId%'")" 16
is "a user has one state" "$(sql "select count(*), max(s.shard)
    from assay.velocity_state s join assay.velocity v using (number)
    where v.definition like 'count by userId%'")" "200|0"

# The statements were planned while the table was empty.  A decision reads at most a
# state for each of 4 velocities, all 16 shards of 3, and what it updates.
states_read() {
	[ "$(sql "select coalesce(sum(idx_tup_read), 0) from pg_stat_user_indexes
	    where relname = 'velocity_state'")" -ge 2000 ]
}
check "the reads of states are counted" stack_until 20 "$stack_pool_pid" states_read
check "a decision reads only the states of its keys" [ "$(sql "
    select sum(idx_tup_read) from pg_stat_user_indexes
    where relname = 'velocity_state'")" -lt $((401 * (3 * 4 + 3 * 16))) ]

# In one transaction: each event sees those before it.
http POST /v1/decisions/batch "$(for n in $(seq 402 441); do order_of "$n" 5; done |
    jq -sc '{events: .}')"
is "a batch of 40 orders is decided" "$STATUS $(json '.results // . | length')" "200 40"
is "the first of a batch counts itself" "$(seen o-402 orders)" 402
is "the last of a batch sees those before it" "$(seen o-441 orders) $(seen o-441 own)" \
    "441 11"
finish
