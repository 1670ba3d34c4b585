# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Scenarios that use a page in a headless Chromium.  Sourced after lib.sh.
# shellcheck disable=SC2034,SC2119,SC2120,SC2154 # variables of lib.sh; no settings

node_dir=${NODE_DIR:-$srcdir/build-node}

# need_chromium: skip the scenario without a browser; in CI fail.
need_chromium() {
	command -v node >/dev/null || skip_browser "node is missing"
	chromium=$(stack_browser) || skip_browser "chromium is missing"
	[ -d "$node_dir/node_modules/playwright-core" ] ||
	    skip_browser "tools/install-node has not been run"
}

skip_browser() {
	trap - EXIT
	rm -rf "$scratch"
	echo "# skipped: $1"
	[ "${CI:-}" = true ] && exit 1
	exit 77
}

# start_console [NAME=VALUE ...]: start the stack with these settings and with the
# files of /docs and of the console; make an admin and an API key.
start_console() {
	stack_docs "$srcdir" "$scratch"
	stack_console "$srcdir" "$scratch"
	start_signed_in "$@"
}

# add_analysts: the analysts ana and bob, with the password of the admin.
add_analysts() {
	sql "insert into assay.operator (email, role, password)
	    select w.email, 'analyst', o.password from assay.operator o,
		(values ('ana@example.com'), ('bob@example.com')) as w(email)"
}

# start_tcp_site: a browser cannot use unix sockets, so a second nginx listens on a
# free port; site is its URL.
start_tcp_site() {
	free_port
	more_pids=$stack_nginx_pid
	mkdir "$scratch/tcp"
	stack_own "$scratch/tcp"
	stack_nginx_start "$scratch/nginx" "$scratch/tcp" "$scratch/log" \
	    LISTEN="127.0.0.1:$port" EXEMPT=yes \
	    DECIDE_SOCKET="$scratch/run/decide.sock" \
	    OPERATOR_SOCKET="$scratch/run/operator.sock"
	site=http://127.0.0.1:$port
}

# run_steps SCRIPT COUNT INPUT [ARGUMENT ...]: run a script of t/node with this text
# as its standard input; it makes so many steps.
run_steps() {
	steps_script=$1
	steps_count=$2
	steps_input=$3
	shift 3
	printf '%s' "$steps_input" | node "$srcdir/t/node/$steps_script" \
	    "$node_dir" "$chromium" "$site" "$@" \
	    >"$scratch/steps" 2>"$scratch/log/browser.log"
	while read -r line; do
		case $line in
		"ok "*) ok "${line#ok }" ;;
		*) not_ok "${line#not ok }" || : ;;
		esac
	done <"$scratch/steps"
	is "$steps_script${*:+ $*} made all its steps" \
	    "$(grep -c '^ok' "$scratch/steps")" "$steps_count"
}
