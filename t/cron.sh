#!/bin/sh
# SPDX-License-Identifier: ISC
# assay-cron without a database: help, exit statuses, and that its manual
# knows every job.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
unset COMPANION_DATABASE_URL DATABASE_URL ENGINE_ENV NODE_ENV || :
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=t/program.sh
. "$srcdir/t/program.sh"

# ends STATUS ARGUMENT ...: the companion, called so, ends so.
ends() {
	want=$1
	shift
	"$builddir/assay-cron" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	[ $? -eq "$want" ]
}

check "--help" ends 0 --help
check "in 80 columns" is_narrow "$scratch/out"
sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' "$scratch/out" >"$scratch/jobs"
check "which names jobs" grep -qx work "$scratch/jobs"
while read -r job; do
	check "the manual has $job" grep -qx "\\.It Cm $job" \
	    "$srcdir/man/assay-cron.8"
done <"$scratch/jobs"
sed -n 's/^  --\([a-z-]*\), of .*/\1/p' "$scratch/out" >"$scratch/options"
check "and their options" grep -qx rebuild "$scratch/options"
while read -r option; do
	check "the manual has --$option" grep -qx "\.It Fl -$option" \
	    "$srcdir/man/assay-cron.8"
done <"$scratch/options"
check "--version" ends 0 --version
check "names program and version" grep -Eqx 'assay-cron [0-9.]+' "$scratch/out"
check "nothing is no job" ends 64
check "neither is anything" ends 64 frobnicate
check "which is told" says "no job 'frobnicate'"
check "nor are two" ends 64 project drain
check "unless as work" ends 78 work project drain
check "an option of another job" ends 64 --rebuild drain
check "says whose it is" says "--rebuild is for the job 'project'"
check "of none" ends 64 --rebuild
check "of one of several" ends 78 --rebuild work drain project
for time in 0 -1 x 5d 55ss 99999999999999999999 367000h; do
	check "--for $time" ends 64 --for "$time" drain
done
check "once and for a time" ends 64 --once --for 5s drain
check "no database" ends 78 drain
check "says what to set" says DATABASE_URL
check "settings alone" ends 0 --check-config
check "but not those of a job that lacks its database" ends 78 -n drain
printf 'DATABASE_URL=x\nNONSENSE=1\n' >"$scratch/conf"
check "a file with a bad line" ends 78 -n -c "$scratch/conf"
check "says which" says "$scratch/conf:2"
DATABASE_URL=host=/nonexistent
SPOOL_DIR=$scratch/spool
CORE_DUMPS=true # a sanitizer traces what it looks at
export CORE_DUMPS DATABASE_URL SPOOL_DIR
check "a job whose database is away" ends 75 project
check "says so" says "step=away"
check "and all of them together" ends 75 work project drain
check "for a time" ends 75 --for 1s project
check "secrets are not printed" ends 0 --print-config
check "only that they are set" says "COMPANION_DATABASE_URL=(set)"
conclude
