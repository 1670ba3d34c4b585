#!/bin/sh
# SPDX-License-Identifier: ISC
# HUP under load: no request fails, whatever the settings file says, and good
# settings come into force.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=t/http/load.sh
. "$(dirname "$0")/load.sh"

# What the environment says goes before the file, so it says nothing.
POOL=$scratch/bin/pool
cat >"$POOL" <<END
#!/bin/sh
unset DECIDE_WORKERS
exec "$scratch/bin/assay-fcgi" --config "$scratch/settings"
END
chmod +x "$POOL"

# reload SETTING ...: and wait for the master's word on them.
reload() {
	printf '%s\n' "$@" >"$scratch/settings"
	reload_n=$(grep -c ' reload=' "$scratch/log/pool.log")
	kill -HUP "$stack_pool_pid"
	stack_until 10 "$stack_pool_pid" reloads_are $((reload_n + 1))
}
# shellcheck disable=SC2317 # called by name
reloads_are() { [ "$(grep -c ' reload=' "$scratch/log/pool.log")" -ge "$1" ]; }
# shellcheck disable=SC2317
all_new() {
	for all_pid in $old; do
		stack_gone "$all_pid" || return 1
	done
	[ "$(pids decide | grep -c .)" -eq "$1" ]
}

echo DECIDE_WORKERS=2 >"$scratch/settings"
start_stack
admin_token
api_key
TOKEN=
load_start 4
check "the load runs" load_goes_on

old=$(pids decide)
reload DECIDE_WORKERS=4
check "HUP replaces every worker" stack_until 20 "$stack_pool_pid" all_new 4
is "and the new settings count" "$(workers decide)" 4
check "under load" load_goes_on

old=$(pids decide)
reload DECIDE_WORKERS=none
check "a bad setting is refused" grep -q \
    "level=error .*reload=refused where=$scratch/settings:1 why=\"DECIDE_WORKERS" \
    "$scratch/log/pool.log"
check "under load" load_goes_on
is "and changes nothing" "$(pids decide)" "$old"

reload DECIDE_WORKERS=1
check "HUP takes workers away" stack_until 20 "$stack_pool_pid" all_new 1
check "under load" load_goes_on

old=$(pids decide)
reload DECIDE_WORKERS=3
reload DECIDE_WORKERS=3
reload DECIDE_WORKERS=2
check "HUP on HUP" stack_until 20 "$stack_pool_pid" all_new 2
check "under load" load_goes_on
load_stop "HUP"
is "no worker died" "$(metric 'engine_worker_restarts_total{group="decide"}')" 0
finish
