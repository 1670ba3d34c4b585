#!/bin/sh
# SPDX-License-Identifier: ISC
# Another server, which is behind the database, takes its place: pool and
# companion forget what they read from the old one.
. "$(dirname "$0")/lib.sh"

url=http://127.0.0.1:1 # no receiver listens: deliveries stay queued
start_signed_in ALLOW_PRIVATE_TARGETS=true SCORER=learned
http POST /v1/webhooks "{\"url\":\"$url/t\",\"events\":[\"verdict.reached.v1\"]}"
is "a webhook subscribes to verdicts" "$STATUS" 201

# decide_order EVENT [USER [AMOUNT]]: decide an order.
decide_order() {
	http POST /v1/decisions "{\"id\":\"$1\",\"type\":\"order.place\",
	    \"amount\":${3:-20},\"currency\":\"EUR\",
	    \"subject\":{\"userId\":\"${2:-u-1}\"}}"
}

# burn_transactions N: use up transaction ids.
burn_transactions() {
	sql "do \$\$ begin
		for i in 1..$1 loop
			perform pg_current_xact_id();
			commit;
		end loop;
	end \$\$"
}

# configure_server USER LIMIT TAGS: block a user, set a limit, a policy and
# counts of tags; the epochs do not depend on the values.
configure_server() {
	http POST /v1/lists "{\"kind\":\"block\",\"subject\":\"user\",
	    \"value\":\"$1\"}"
	http PUT /v1/config/rate-limits "{\"decisionsPerMin\":$2}"
	http GET /v1/policies
	http POST /v1/policies "$(json ".[] | select(.eventType == \"order.place\")
	    | .policy | .version = \"of-$1\"")"
	sql "insert into assay.tag_count (tag, fraud, legit)
	    values ('amount', $3, 10);
	    update assay.tag_epoch set number = 7"
}

# The other server is a copy of the first one at this moment.
stop_database
cp -a "$scratch/pg" "$scratch/behind"
start_database
wait_ready
configure_server u-old 777 0
burn_transactions 4000
decide_order e-large u-2 4000
is "a decision has the weights, policy and limit of the first server" \
    "$(json '"\(.score) \(.policyVersion)"'
    ) $(header x-ratelimit-limit)" "2 of-u-old 777"
decide_order e-1 u-old
is "a decision has the lists of the first server" "$(json .verdict)" deny

# The companion has read the log and claims a delivery when its session ends.
sql "create function assay.wait() returns trigger language plpgsql
    as 'begin perform pg_sleep(60); return new; end';
    create trigger wait before update on assay.delivery
    for each row execute function assay.wait()"
# shellcheck disable=SC2317 # stack_until calls it
is_claiming() {
	[ "$(sql "select count(*) from pg_stat_activity
	    where wait_event = 'PgSleep'")" = 1 ]
}
start_cron "deliver --for 10m"
check "the companion waits while it claims a delivery" \
    stack_until 20 "$stack_cron_pid" is_claiming
kill -s STOP "$stack_cron_pid"
stop_database
mv "$scratch/pg" "$scratch/ahead"
mv "$scratch/behind" "$scratch/pg"
start_database
wait_ready
configure_server u-new 555 50
want=
for i in 1 2 3 4 5; do
	decide_order "m-$i" "u-3"
	want="$want${want:+ }m-$i"
done
burn_transactions 6000
decide_order m-6 u-3
decide_order m-7 u-3
want="$want m-6 m-7"
kill -s CONT "$stack_cron_pid"
# shellcheck disable=SC2317 # stack_until calls it
all_queued() {
	[ "$(sql "select string_agg(data::json ->> 'eventId', ' ' order by
	    data::json ->> 'eventId') from assay.delivery
	    where data::json ->> 'eventId' like 'm-%'")" = "$want" ]
}
stack_until 20 "$stack_cron_pid" all_queued || :
is "each verdict of the other server is queued for the webhook" \
    "$(sql "select string_agg(data::json ->> 'eventId', ' ' order by
	data::json ->> 'eventId') from assay.delivery
	where data::json ->> 'eventId' like 'm-%'")" "$want"

# The same epochs do not mean the same configuration.
decide_order e-2 u-new
is "a user whom the other server blocks is denied" "$(json .verdict)" deny
# shellcheck disable=SC2317 # stack_until calls it
is_stopped() {
	[ "$(ps -o state= -p "$worker")" = T ]
}
for worker in $(worker_pids decide); do
	kill -s STOP "$worker"
	stack_until 20 "$worker" is_stopped
	decide_order "e-3-$worker" u-old
	is "each worker allows a user whom only the first server blocks" \
	    "$(json '"\(.verdict) \(.policyVersion)"')" "allow of-u-new"
	kill -s CONT "$worker"
done
decide_order e-4 u-4 4000
is "weights, policy and limit are those of the other server" \
    "$(json '"\(.score) \(.policyVersion)"') $(header x-ratelimit-limit)" \
    "37 of-u-new 555"
finish
