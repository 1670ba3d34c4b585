# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# A receiver of deliveries, and subscribers with its address.
# Sourced after lib.sh.
# shellcheck disable=SC2034,SC2154 # HOOK is read there, scratch is lib.sh's

mail=$scratch/mail
receiver_pid=

# Start t/http/receiver.pl; its port is in PORT.
start_receiver() {
	mkdir -p "$mail"
	perl "$srcdir/t/http/receiver.pl" "$mail" \
	    >>"$scratch/log/receiver.log" 2>&1 &
	receiver_pid=$!
	more_pids="$receiver_pid $more_pids"
	stack_until 10 "$receiver_pid" test -s "$mail/port" ||
	    { not_ok "the receiver listens"; exit 1; }
	PORT=$(cat "$mail/port")
	: >"$mail/secrets"
}

# start_deliveries: start the stack and the receiver; deliveries reach it with
# $settings.
start_deliveries() {
	settings=ALLOW_PRIVATE_TARGETS=true
	start_stack "$settings"
	start_receiver
	admin_token
}

# add_endpoint MODE NAME: add an endpoint of the receiver; its id is in HOOK.
add_endpoint() {
	http POST /v1/webhooks "{\"url\":\"http://127.0.0.1:$PORT/$1/$2\",
	    \"events\":[\"case.resolved.v1\"]}"
	HOOK=$(json .id)
	echo "$2 $(json .secret)" >>"$mail/secrets"
}

# queue_deliveries SUBSCRIBER FROM TO [EVENT [DATA]]: queue deliveries that are
# due, one for each number, which ends its id.
queue_deliveries() {
	case $1 in
	whk_*) queue_prefix=whd_ ;;
	*) queue_prefix=ntd_ ;;
	esac
	queue_data=${5-"{}"}
	sql "insert into assay.delivery (id, subscriber_id, event, data,
	    correlation_id, occurred_at)
	    select '$queue_prefix' || to_char(n, 'FM000000'), '$1',
		'${4:-case.resolved.v1}', '$queue_data', 'cor_x',
		timestamptz '2026-01-02 03:04:05.678+00'
	    from generate_series($2, $3) n"
}

# Let every delivery be due.
make_due() {
	sql "update assay.delivery set next_attempt_at = clock_timestamp()"
}

# received_by NAME: the lines of what the receiver got for that endpoint.
received_by() {
	grep "^$1 " "$mail/received" || :
}

# pending_state ID: "ATTEMPTS ERROR" of a delivery, "" if it is not pending.
pending_state() {
	sql "select attempts || ' ' || coalesce(last_error, '-')
	    from assay.delivery where id = '$1'"
}
