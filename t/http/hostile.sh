# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Texts that try to be HTML, that turn the text around them, and that are as long as they
# can be, in every field that a caller or an operator fills.  Sourced after lib.sh and
# chromium.sh; needs an admin's TOKEN, a KEY and the analysts of add_analysts.
# shellcheck disable=SC2016,SC2034,SC2154 # jq's variables, those of the scenario and of lib.sh

# HTML, a character that turns the text after it, a line separator, an emoji, and two
# characters without a width.
hostile=$(printf '<img src=x onerror=document.title=1></script>\342\200\256gpj%b' \
    '\342\200\250\360\237\230\200\342\200\213A\342\200\215B')
word=$(printf '%04000d' 0 | tr 0 W)
# body FILTER: a body with $text, the hostile text, and $word, 4,000 letters.
body() {
	jq -nc --arg text "$hostile" --arg word "$word" "$1"
}
# send LABEL STATUS PATH FILTER: store a hostile text.
send() {
	http POST "$3" "$(body "$4")"
	is "$1 is accepted" "$STATUS" "$2"
}

# store_hostile: store them; case_id, exception, proposal and backtest are what has
# them.
store_hostile() {
	send "a list reason" 201 /v1/lists '{kind: "watch", subject: "user",
	    value: ("u" + $text), reason: ($text + $word[:150])}'
	send "a listed word" 201 /v1/lists '{kind: "block", subject: "user",
	    value: $word[:128], reason: $word[:256]}'
	for n in 1 2 3 4; do
		send "the event $n" 200 /v1/decisions '{id: ("e'$n'" + $text),
		    type: "order.place", amount: 5000, currency: "EUR",
		    subject: {userId: ("u" + $text), phone: "+251911234544",
		    ip: "196.188.1.2", channel: $word[:128]},
		    attributes: {note: $text, word: $word[:256]}}'
	done
	ids=$(sql "select id from assay.review_case where event_id ~ '^e[1-4]<'")
	case_id=${ids%%"$lf"*}
	is "each event has a case" "$(echo "$ids" | wc -l)" 4
	send "the reason of an exception" 201 /v1/exceptions '{kind: "tag",
	    name: "velocity", subject: "fingerprint", value: ("f" + $text),
	    reason: ($text + $word[:150]), expiresAt: (now + 9e6 | todate)}'
	exception=$(json .id)
	send "a note" 201 "/v1/cases/$case_id/notes" '{text: $text}'
	send "a long note" 201 "/v1/cases/$case_id/notes" '{text: $word}'
	send "the name of a key" 201 /v1/apikeys '{name: $text}'
	send "a long name of a key" 201 /v1/apikeys '{name: $word[:128]}'
	send "the name of a view" 201 /v1/views '{name: $text, screen: "cases",
	    query: {}, shared: true}'
	admin=$TOKEN
	http POST /v1/auth/login '{"email":"ana@example.com","password":"correct horse"}'
	TOKEN=$(json .token)
	send "the reason of an analyst's proposal" 201 /v1/proposals '{action: "POST /v1/lists",
	    reason: $word[:1000], body: {kind: "block", subject: "user", value: $text,
	    reason: $text}}'
	proposal=$(json .id)
	TOKEN=$admin
	send "a backtest" 200 /v1/backtest '{eventType: "order.place"}'
	http GET /v1/backtest
	backtest=$(json '.kept[0].id')
}
