#!/bin/sh
# SPDX-License-Identifier: ISC
# /docs in a browser: log in, create a key and send an event by its forms, without
# an error in the browser.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
node_dir=${NODE_DIR:-$srcdir/build-node}

# skip_browser WHY: skip the scenario; in CI fail.
skip_browser() {
	trap - EXIT
	rm -rf "$scratch"
	echo "# skipped: $1"
	[ "${CI:-}" = true ] && exit 1
	exit 77
}

command -v node >/dev/null || skip_browser "node is missing"
chromium=$(command -v chromium) || skip_browser "chromium is missing"
[ -d "$node_dir/node_modules/playwright-core" ] ||
    skip_browser "tools/install-node has not been run"

stack_docs "$srcdir" "$scratch"
start_stack
admin_token

# A browser cannot use unix sockets: a second nginx listens on a free port.
free_port
more_pids=$stack_nginx_pid
mkdir "$scratch/tcp"
stack_own "$scratch/tcp"
stack_nginx_start "$scratch/nginx" "$scratch/tcp" "$scratch/log" \
    LISTEN="127.0.0.1:$port" EXEMPT=yes \
    DECIDE_SOCKET="$scratch/run/decide.sock" \
    OPERATOR_SOCKET="$scratch/run/operator.sock"

printf '%s' '{"email":"admin@example.com","password":"correct horse"}' |
    node "$srcdir/t/node/browser.mjs" "$node_dir" "$chromium" \
    "http://127.0.0.1:$port" >"$scratch/steps" 2>"$scratch/log/browser.log"
while read -r line; do
	case $line in
	"ok "*) ok "${line#ok }" ;;
	*) not_ok "${line#not ok }" || : ;;
	esac
done <"$scratch/steps"
is "the browser made all its steps" "$(grep -c '^ok' "$scratch/steps")" 12
finish
