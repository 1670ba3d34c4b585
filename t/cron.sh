#!/bin/sh
# SPDX-License-Identifier: ISC
# assay-cron without a database: help, exit statuses, and that its manual has
# every job and option.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
unset COMPANION_DATABASE_URL DATABASE_URL ENGINE_ENV NODE_ENV || :
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=t/program.sh
. "$srcdir/t/program.sh"

# exits STATUS ARGUMENT ...: the companion exits with this status.
exits() {
	exits_want=$1
	shift
	"$builddir/assay-cron" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	[ $? -eq "$exits_want" ]
}

check "--help exits 0" exits 0 --help
check "--help fits into 80 columns" is_narrow "$scratch/out"
sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' "$scratch/out" >"$scratch/jobs"
check "--help lists the jobs" grep -qx work "$scratch/jobs"
while read -r job; do
	check "the manual has the job $job" grep -qx "\\.It Cm $job" \
	    "$srcdir/man/assay-cron.8"
done <"$scratch/jobs"
sed -n 's/^  --\([a-z-]*\), of .*/\1/p' "$scratch/out" >"$scratch/options"
check "--help lists the options of jobs" grep -qx rebuild "$scratch/options"
while read -r option; do
	check "the manual has the option --$option" \
	    grep -qx "\.It Fl -$option" \
	    "$srcdir/man/assay-cron.8"
done <"$scratch/options"
check "--version exits 0" exits 0 --version
check "--version prints program and version" \
    grep -Eqx 'assay-cron [0-9.]+' "$scratch/out"
check "assay-cron without a job exits 64" exits 64
check "an unknown job exits 64" exits 64 frobnicate
check "the error names the unknown job" prints "unknown job 'frobnicate'"
check "two jobs without work exit 64" exits 64 project drain
check "work with two jobs needs their database" exits 78 work project drain
# shellcheck disable=SC2046 # names of jobs
check "work takes all jobs at once" exits 78 work $("$builddir/assay-cron" --help |
    sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' | grep -vx work)
check "an option of another job exits 64" exits 64 --rebuild drain
check "the error names the job of the option" \
    prints "only the job 'project' takes --rebuild"
check "an option without a job exits 64" exits 64 --rebuild
check "an option of one of several jobs is accepted" \
    exits 78 --rebuild work drain project
for time in 0 -1 x 5d 55ss 99999999999999999999 367000h; do
	check "--for $time exits 64" exits 64 --for "$time" drain
done
check "--once with --for exits 64" exits 64 --once --for 5s drain
check "a job without a database exits 78" exits 78 drain
check "the error names DATABASE_URL" prints DATABASE_URL
check "--check-config without a job exits 0" exits 0 --check-config
check "-n with a job exits 78 without its database" exits 78 -n drain
printf 'DATABASE_URL=x\nNONSENSE=1\n' >"$scratch/conf"
check "a settings file with a wrong line exits 78" \
    exits 78 -n -c "$scratch/conf"
check "the error names file and line of the setting" prints "$scratch/conf:2"
DATABASE_URL=host=/nonexistent
SPOOL_DIR=$scratch/spool
CORE_DUMPS=true # a sanitizer traces what it looks at
export CORE_DUMPS DATABASE_URL SPOOL_DIR
check "a job exits 75 if its database is away" exits 75 project
check "the log says that the database is away" prints "event=job_database_lost"
check "all jobs together exit 75 if the database is away" \
    exits 75 work project drain
check "--for exits 75 if the database is away" exits 75 --for 1s project
check "--print-config exits 0" exits 0 --print-config
check "--print-config prints only that a secret is set" \
    prints "COMPANION_DATABASE_URL=(set)"
conclude
