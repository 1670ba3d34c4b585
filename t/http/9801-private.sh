#!/bin/sh
# SPDX-License-Identifier: ISC
# What is personal or secret gets into no log, also when nginx, the pool and
# PostgreSQL have errors to report: the last test of every scenario looks for
# it, and here it finds what is planted.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

# repeat COUNT: so many letters.
repeat() {
	head -c "$1" /dev/zero | tr '\0' a
}

# logged WHAT PATTERN: PostgreSQL has had this to say.
logged() {
	check "PostgreSQL reports $1" grep -qE "$2" "$scratch/log/postgres.log"
}

ip=203.0.113.87
ip6=2001:db8:77::5e
phone=251955667788
mail=ada.lovelace@mail.example
start_database
start_pool METRICS_TOKEN=b7f0a3-metrics-9921 \
    AUTH_SECRET_PREVIOUS=0a1b9c7d5e3f2468ace013579bdf2468,77aa88bb99cc00dd11ee22ff33445566 \
    DATABASE_URL="postgresql://assay_decide:Tr0ub4dor-77@/assay?host=$scratch/run" \
    OPERATOR_DATABASE_URL="host=$scratch/run dbname=assay user=assay_operator password=c0rrect-9h0rse"
start_nginx
wait_ready
http POST /v1/auth/register \
    "{\"email\":\"$mail\",\"password\":\"battery staple 5\"}"
TOKEN=$(json .token)
is "an operator" "$STATUS" 201
http POST /v1/auth/login "{\"email\":\"$mail\",\"password\":\"staple battery 6\"}"
is_error "who mistypes" 401 INVALID_CREDENTIALS
api_key
TOKEN=

# event ID: one that holds all that is personal.
event() {
	printf '{"id":"%s","type":"payment.authorize","amount":12.50,
	    "currency":"EUR","subject":{"userId":"u-%s","deviceId":"d-%s",
	    "ip":"%s","phone":"+251 95 566 7788"}}' "$1" "$1" "$1" "${2:-$ip}"
}

# Refusals of ours.
http POST /v1/decisions "$(event good)" -H "Idempotency-Key: order-$phone"
is "a decision" "$STATUS" 200
http POST "/v1/decisions?ip=$ip&ip=$ip6" "$(event query)"
is_error "a query that is none" 400 INVALID_REQUEST
http POST /v1/decisions "$(event '4111 1111 1111 1111 ' | sed 's/"id"/"x"/')"
is_error "a card number" 400 INGEST_PAN_REJECTED
http POST /v1/decisions "$(event half | tr -d '}')"
is_error "half an event" 400 INVALID_JSON
http POST /v1/decisions "$(event bad | sed 's/113/999/')"
is_error "no address" 400 INGEST_INVALID
http GET "/v1/decisions/$ip6" "" -H "X-Forwarded-For: $ip" -H "Referer: $ip"
is_error "a look back by an address" 404 NOT_FOUND
http GET "/v1/graph/ip/$ip?phone=$phone"
is_error "an address in a path" 401 UNAUTHENTICATED
http GET "/v1/graphs/ip/$ip?phone=$phone"
is_error "and in one that is none" 404 NOT_FOUND
http GET /v1/apikeys "" -H 'Authorization: Bearer not-a-token-at-all'
is_error "a token that is none" 401 UNAUTHENTICATED
http GET /metrics "" -H 'Authorization: Bearer b7f0a3-metrics-9922'
is_error "nearly the token of /metrics" 401 UNAUTHENTICATED

# Refusals of nginx.
http POST /v1/decisions "{\"phone\":\"$phone\",\"ip\":\"$ip\",\"x\":\"$(repeat 40000)\"}"
is_error "a large body" 413 PAYLOAD_TOO_LARGE
raw 'GET /%s?ip=%s HTTP/1.1\r\nHost: a\r\n\r\n' "$(repeat 9000)" "$ip"
is_error "a long URL" 414 INVALID_REQUEST
raw 'GET /?%s HTTP/1.1\r\nHost: %s\r\nX-Api-Key: %s\r\nX-Long: %s%s\r\n\r\n' \
    "$ip" "$ip" "$KEY" "$phone" "$(repeat 9000)"
is_error "a long header" 431 INVALID_REQUEST
raw '%s %s\r\n\r\n' "$ip" "$phone"
is_error "no request line" 400 INVALID_REQUEST
raw 'GET /%s%%00 HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "$ip" "$ip6"
is_error "a NUL in a path" 400 INVALID_REQUEST

# Errors of PostgreSQL that have a row or a value to show.
# shellcheck disable=SC2016 # no variables of ours
sql 'create function assay.trouble() returns trigger language plpgsql as $f$
    begin
	if new.key like $$203.0.113.9%$$ then
	    raise exception $$trouble of ours$$ using detail = new.key,
		hint = new::text;
	end if;
	return new;
    end $f$;
    create trigger trouble before insert on assay.entity
	for each row execute function assay.trouble();
    alter table assay.entity add constraint not_these
	check (key not like $$203.0.113.8_$$) not valid'
http POST /v1/decisions "$(event raise 203.0.113.91)"
is "a trigger that raises degrades" "$STATUS $(json .score)" "200 -1"
http POST /v1/decisions "$(event check 203.0.113.83)"
is "a constraint that fails degrades" "$STATUS $(json .score)" "200 -1"
logged "the trigger" 'ERROR:  trouble of ours$'
logged "the constraint" 'ERROR:  .* violates check constraint "not_these"$'
sql "drop trigger trouble on assay.entity"

# Many at once under one key: all but one meet the unique index.
seq 12 | xargs -P 12 -I{} curl -s --unix-socket "$scratch/run/http.sock" \
    -H "X-API-Key: $KEY" -H 'Content-Type: application/json' \
    -H "Idempotency-Key: invoice-$phone" -o /dev/null "$BASE/v1/decisions" \
    -d "{\"type\":\"account.login\",\"subject\":{\"userId\":\"k-{}\",\"ip\":\"198.51.100.{}\"}}"

mkfifo "$scratch/fifo"
cluster_psql postgres assay -At <"$scratch/fifo" >/dev/null &
holder=$!
exec 8>"$scratch/fifo"
echo "begin; lock table assay.entity in access exclusive mode;" >&8
sleep 0.5
http POST /v1/decisions "$(event slow 192.0.2.44)"
is "a lock that is held degrades" "$STATUS $(json .score)" "200 -1"
echo "rollback;" >&8
exec 8>&-
wait "$holder"
logged "the end of its patience" 'ERROR:  canceling statement due to statement timeout$'
is "and nothing beside its errors" "$(grep -cE \
    '(DETAIL|HINT|CONTEXT|QUERY|STATEMENT):' "$scratch/log/postgres.log")" 0

# Nobody there.
stop_pool
http POST "/v1/decisions?ip=$ip" "$(event gone)"
is_error "the pool is away" 503 UNAVAILABLE
start_pool DATABASE_URL="postgresql://assay_decide:p%ZZ-9h0rse-44@/assay"
http GET /readyz
is "a connection string that is none" "$STATUS" 503
stop_database
http POST /v1/decisions "$(event nowhere)"
is_error "the database is away" 503 UNAVAILABLE
check "which the pool says" grep -q 'readyz=not_ready' "$scratch/log/pool.log"

# What is planted is found, each by what it is, and nothing else.
# planted LINE WANT
planted() {
	printf 'so far so good\nreq=cor_1 %s x\n' "$1" >"$scratch/run/planted.log"
	is "planted: $2" "$(private_lines "$scratch"/sent/* -- \
	    "$scratch/run/planted.log")" "${2:+planted.log:2: $2}"
}
planted "client: $ip, server" address
planted "ip=[2001:DB8:77:0::5E]:443" address
planted "ip=::ffff:203.0.113.83" address
planted "phone=$phone" phone
planted 'phone="+251 95 566 7788"' phone
planted "number=4111-1111-1111-1111" card
planted "user=$mail" email
planted "X-API-Key: $KEY" key
planted "why=password authentication: staple battery 6" password
planted "url=postgresql://assay_decide:Tr0ub4dor-77@/assay" password
planted "host=/tmp password=c0rrect-9h0rse dbname=x" password
planted "Bearer not-a-token-at-all" token
planted "secret=77aa88bb99cc00dd11ee22ff33445566" secret
planted "token=b7f0a3-metrics-9921" secret
planted "Key (key)=(invoice-$phone) already exists" \
    "idempotency key
planted.log:2: phone"
planted "ip=203.0.113.8 at 2026-11-21 06:52:24 [$phone$phone]" ""
rm "$scratch/run/planted.log"

# What is no logfmt is found, with what is wrong in it.
# unreadable LINE WANT
unreadable() {
	printf 'level=info why="so \\u00e9 far"\n%s\n' "$1" \
	    >"$scratch/run/lines.log"
	is "a line '$1' is ${2:-logfmt}" "$(perl "$srcdir/t/http/logfmt.pl" \
	    "$scratch/run/lines.log")" "${2:+lines.log:2: $2}"
}
unreadable '<3>level=error n=-1 path=/v1/{id}' ""
unreadable 'assay-fcgi: A: is wrong' ""
unreadable 'level=info why=two words' "a key is missing"
unreadable 'level=info where= why=x' "where= has an invalid value"
unreadable 'level=info why=""' "why= is empty"
unreadable 'level=info why=a=b' "no blank follows why="
unreadable 'level=info why="\x22"' "why= has an invalid value"
unreadable 'level=info why= x' "why= has an invalid value"
unreadable 'level=info  why=x' "a key is missing"
unreadable 'level=info n=1 n=2' "n= appears twice"
rm "$scratch/run/lines.log"
finish
