# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# shellcheck disable=SC2034,SC2154 # of lib.sh; read by scenarios
# assayctl in scenarios, with its own home, for the scenario's service.
unset ASSAY_TOKEN ASSAY_CA_FILE API_KEY BASE_URL XDG_CONFIG_HOME NO_COLOR || :
HOME=$scratch/home
ASSAY_URL=unix:$scratch/run/http.sock
export HOME ASSAY_URL
mkdir -m 700 "$HOME"

# ctl ARGUMENT ...: run assayctl.  STATUS is its exit status, OUT its output, which
# is also in $scratch/out and $scratch/err.
ctl() { ctl_in '' "$@"; }

# ctl_in TEXT ARGUMENT ...: run assayctl with this line on standard input.
ctl_in() {
	ctl_text=$1
	shift
	printf '%s\n' "$ctl_text" "$@" >>"$scratch/sent/ctl"
	printf '%s\n' "$ctl_text" | timeout 60 "$builddir/assayctl" "$@" \
	    >"$scratch/out" 2>"$scratch/err"
	STATUS=$?
	OUT=$(cat "$scratch/out")
}

# prints PATTERN: the output of the last ctl matches; its lines are joined by "|".
# shellcheck disable=SC2317 # called by name
prints() { cat "$scratch/out" "$scratch/err" | paste -sd '|' | grep -q -e "$1"; }

# ctl_as TOKEN ARGUMENT ...: run assayctl as an operator.
ctl_as() {
	ASSAY_TOKEN=$1
	shift
	export ASSAY_TOKEN
	ctl "$@"
}

# shows PATTERN ...: each matches a line of the output.
# shellcheck disable=SC2317 # called by name
shows() {
	for pattern in "$@"; do
		cat "$scratch/out" "$scratch/err" | grep -q -e "$pattern" || return 1
	done
}

# not COMMAND ...: the command fails.
# shellcheck disable=SC2317 # called by name
not() { ! "$@"; }

# login EMAIL PASSWORD: log in with assayctl.
login() { ctl_in "$2" login --email "$1"; }
# login_at URL: log in with assayctl as the admin at URL.
login_at() { ctl_in 'correct horse' login --email admin@example.com --url "$1"; }

# start_ctl_admin: start the stack, create an API key, and log in with assayctl as
# the admin.
start_ctl_admin() {
	start_with_key
	API_KEY=$KEY
	export API_KEY
	login admin@example.com 'correct horse'
}

# start_ctl_stack: the same, and add the analyst ana@example.com.
start_ctl_stack() {
	start_ctl_admin
	ctl_in 'the first one' users add ana@example.com
}

# pay_verdict ID AMOUNT: decide a payment, and print the verdict.
pay_verdict() {
	http POST /v1/decisions '{"id":"'"$1"'","type":"payment.authorize",
	    "amount":'"$2"',"currency":"EUR","subject":{"userId":"u-'"$1"'"}}'
	json .verdict
}

# stored_entries: print the entries of all lists as kind,subject,value[,reason][,end].
stored_entries() {
	sql "select string_agg(concat_ws(',', kind, subject, value, reason,
	    to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD')), ' '
	    order by kind, subject, value) from assay.list_entry"
}

# make_cases: open three cases.  ids has the ids of the cases, newest first, id the
# second and other the third.
make_cases() {
	ctl rules show payment.authorize
	printf 'rule all { when event.amount > 0 then score += 45, tag all }\n' \
	    >"$scratch/all.rule"
	ctl rules publish payment.authorize all "$scratch/all.rule"
	for n in 1 2 3; do
		http POST /v1/decisions '{"id":"order-'$n'","type":"payment.authorize",
		    "amount":'$n',"currency":"EUR","subject":{"userId":"u-'$n'"}}'
	done
	ctl cases list --json
	ids=$(jq -r '.[].id' "$scratch/out")
	id=$(echo "$ids" | sed -n 2p)
	other=$(echo "$ids" | sed -n 3p)
	is "three cases are open" "$(echo "$ids" | wc -l | tr -d ' ')" 3
}
