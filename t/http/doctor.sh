# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# shellcheck disable=SC2034,SC2119,SC2120,SC2154 # of lib.sh, and read by scenarios
# assayctl doctor in scenarios, with the settings of a healthy host.

# doctor [NAME=VALUE ...]: run it with more settings, with the options in
# doctor_options, under the command in doctor_under.  STATUS is its exit status;
# $scratch/out has its output.
doctor() {
	with_settings run_doctor ENGINE_ENV=production CORE_DUMPS=false \
	    DISK_HEALTH_PATHS="$scratch/spool" IDEMPOTENCY_MISMATCH=refuse "$@"
}
run_doctor() {
	# shellcheck disable=SC2086 # words
	env "$@" $doctor_under timeout 60 "$builddir/assayctl" doctor \
	    --config "$scratch/conf" --site "$scratch/site" $doctor_options \
	    >"$scratch/out" 2>"$scratch/err" </dev/null
	STATUS=$?
}
doctor_options=
doctor_under=

# found CHECK: its state, and what it found.
found() {
	sed -n "s/^\([a-z]*\)  *$1  */\1 /p" "$scratch/out"
}

# finds CHECK STATE PATTERN: the last doctor found this.
# shellcheck disable=SC2317 # called by name
finds() {
	found "$1" | grep -q "^$2 .*$3" || { cat "$scratch/out"; return 1; }
}

# start_healthy [option ...]: start PostgreSQL, with more options, and make what
# the companion makes.
start_healthy() {
	start_database -c fsync=on -c full_page_writes=on "$@"
	install -m 600 /dev/null "$scratch/conf"
	cron "retain --once"
}
