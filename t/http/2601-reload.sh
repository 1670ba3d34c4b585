#!/bin/sh
# SPDX-License-Identifier: ISC
# HUP under load: no request fails, whatever the settings file says, and good
# settings apply.
. "$(dirname "$0")/lib.sh"
use load

# The environment overrides the file, so DECIDE_WORKERS is unset in it.
POOL=$scratch/bin/pool
cat >"$POOL" <<END
#!/bin/sh
unset DECIDE_WORKERS
exec "$scratch/bin/assay-fcgi" --config "$scratch/settings"
END
chmod +x "$POOL"

# reload_pool SETTING ...: reload with these, and wait until the master accepts or
# refuses them.
reload_pool() {
	printf '%s\n' "$@" >"$scratch/settings"
	reload_n=$(grep -c ' event=reload_' "$scratch/log/pool.log")
	kill -HUP "$stack_pool_pid"
	stack_until 10 "$stack_pool_pid" reloads_are $((reload_n + 1))
}
# shellcheck disable=SC2317 # called by name
reloads_are() { [ "$(grep -c ' event=reload_' "$scratch/log/pool.log")" -ge "$1" ]; }
# workers_are_new COUNT: none of old runs, and COUNT others do.
# shellcheck disable=SC2317
workers_are_new() {
	for old_pid in $old; do
		stack_gone "$old_pid" || return 1
	done
	[ "$(worker_pids decide | grep -c .)" -eq "$1" ]
}

echo DECIDE_WORKERS=2 >"$scratch/settings"
start_with_key
load_start 4
check "the load runs before the reload" load_progresses

old=$(worker_pids decide)
reload_pool DECIDE_WORKERS=4
check "HUP replaces every worker" \
    stack_until 20 "$stack_pool_pid" workers_are_new 4
is "the pool has the new number of workers" "$(workers_running decide)" 4
check "the load continues after the reload" load_progresses

old=$(worker_pids decide)
reload_pool DECIDE_WORKERS=none
check "the log names the bad setting of a reload" grep -q \
    "level=error .*event=reload_refused where=$scratch/settings:1 why=\"DECIDE_WORKERS" \
    "$scratch/log/pool.log"
check "the load continues after a refused reload" load_progresses
is "a refused reload replaces no worker" "$(worker_pids decide)" "$old"

reload_pool DECIDE_WORKERS=1
check "HUP with fewer workers stops the others" \
    stack_until 20 "$stack_pool_pid" workers_are_new 1
check "the load continues with fewer workers" load_progresses

old=$(worker_pids decide)
reload_pool DECIDE_WORKERS=3
reload_pool DECIDE_WORKERS=3
reload_pool DECIDE_WORKERS=2
check "HUP after HUP replaces every worker" \
    stack_until 20 "$stack_pool_pid" workers_are_new 2
check "the load continues after HUP after HUP" load_progresses
load_stop "reload"
is "no worker died in the reloads" \
    "$(metric 'engine_worker_restarts_total{group="decide"}')" 0
finish
