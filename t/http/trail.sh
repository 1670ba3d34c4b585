# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# assayctl as the owner of the database, for scenarios about the audit trail.
# Sourced after lib.sh.
# shellcheck disable=SC2034,SC2154 # variables of lib.sh
owner_url="host=$scratch/run dbname=assay user=postgres"

# owner_ctl ARGUMENT ...: its exit status is in STATUS.
owner_ctl() {
	ADMIN_DATABASE_URL="$owner_url" "$builddir/assayctl" "$@" \
	    >"$scratch/out" 2>"$scratch/err"
	STATUS=$?
}
# owner_ctl_says TEXT: the last owner_ctl printed it.
# shellcheck disable=SC2317 # called by name
owner_ctl_says() {
	grep -qF -e "$1" "$scratch/out"
}
