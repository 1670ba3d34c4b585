#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl without a database: help, exit statuses, rules check, and that its
# manual and its completion know every command and option.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
unset ADMIN_DATABASE_URL DATABASE_URL API_KEY BASE_URL
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
n=0
failed=0

check() {
	n=$((n + 1))
	what=$1
	shift
	if "$@"; then
		echo "ok $n - $what"
	else
		failed=$((failed + 1))
		echo "not ok $n - $what"
		sed 's/^/#   /' "$scratch/out" "$scratch/err"
	fi
}

# ends STATUS ARGUMENT ...: assayctl, called so, ends so.
ends() {
	want=$1
	shift
	"$builddir/assayctl" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	[ $? -eq "$want" ]
}
says() { grep -qF -e "$1" "$scratch/out" "$scratch/err"; }

check "--version" ends 0 --version
check "names program and version" grep -Eqx 'assayctl [0-9.]+' "$scratch/out"
check "--help" ends 0 --help
sed -n 's/^  \([a-z]*\( [a-z]*\)\{0,1\}\)  .*/\1/p' "$scratch/out" \
    >"$scratch/commands"
check "lists commands" grep -qx 'rules check' "$scratch/commands"
check "nothing is no command" ends 64
check "neither is anything" ends 64 frobnicate
check "which is told" says "no command 'frobnicate'"
check "an option that is none" ends 64 migrate --frob
check "a value that is missing" ends 64 migrate --sql
check "a value that is too much" ends 64 migrate --status=yes
check "a number that is none" ends 64 replay --jobs x file.csv
check "the range is told" says "from 1 to 64"
check "an argument that is missing" ends 64 key create
check "an argument too many" ends 64 key list now
check "a scope that is none" ends 64 key create --scope all name
check "no email address" ends 64 admin create nobody
check "two ends of an entry" ends 64 lists add --days 1 \
    --expires 2050-01-01T00:00:00Z block user u
check "a value that is none" ends 64 lists add block ip 1.2.3
check "which is not repeated" eval '! says 1.2.3'
check "what it must be is told" says "must be an IPv4 or IPv6 address"
printf 'kind,subject,value\nblock,ip,1.2.3\n' >"$scratch/bad.csv"
check "a list with a bad row, before any database" \
    ends 65 lists import "$scratch/bad.csv"
check "is told by its line" says "$scratch/bad.csv:2: value must be"
check "no database" ends 78 migrate --sql "$srcdir/sql"
check "says what to set" says ADMIN_DATABASE_URL
for url in 'postgresql://u:hunter2%ZZ@/assay' 'host=/x password=hunter2 five' \
    'postgresql://u:x@hunter2@localhost/assay' \
    'postgresql://u:hunter2/x@localhost/assay' \
    'postgresql://localhost:1/hunter2@localhost/assay'; do
	ADMIN_DATABASE_URL=$url
	export ADMIN_DATABASE_URL
	check "a connection string that is none" \
	    ends 69 migrate --sql "$srcdir/sql"
	check "is not repeated" eval '! says hunter2'
done
unset ADMIN_DATABASE_URL
check "no API key" ends 78 replay "$srcdir/sample/transactions.csv"

# Every command and option is in the manual and in the completion.
while read -r command; do
	# shellcheck disable=SC2086 # one or two words
	check "$command --help" ends 0 $command --help
	check "$command is in the manual" \
	    grep -q "^\.It Cm ${command% *}.*" "$srcdir/man/assayctl.8"
	check "$command is completed" grep -qw "${command##* }" \
	    "$srcdir/ctl/assayctl.bash"
	sed -n 's/^  --\([a-z-]*\).*/\1/p' "$scratch/out" >"$scratch/options"
	while read -r option; do
		check "--$option is in the manual" \
		    grep -q "Fl -$option" "$srcdir/man/assayctl.8"
		check "--$option is completed" grep -qw -e "--$option" \
		    "$srcdir/ctl/assayctl.bash"
	done <"$scratch/options"
done <"$scratch/commands"

# rules check.
cat >"$scratch/good.rule" <<'RULE'
# spelt freely
rule big { when (event.amount>3000)
  then score += 14, tag "amount" }
RULE
check "a good ruleset" ends 0 rules check "$scratch/good.rule"
check "is counted" says "good.rule: 1 rules"
check "in its canonical form" ends 0 rules check --print "$scratch/good.rule"
check "is printed" says \
    'rule big { when event.amount > 3000 then score += 14, tag amount }'
printf 'rule a {\n  when event.amuont > 3 then score += 1, tag t }\n' \
    >"$scratch/bad.rule"
check "a bad one" ends 65 rules check "$scratch/good.rule" "$scratch/bad.rule"
check "is told by line and column" says "$scratch/bad.rule:2:8: "
check "one that is missing" ends 66 rules check "$scratch/none.rule"

# replay, with nobody there.
API_KEY=ak_live_none
export API_KEY
check "a refused port" ends 69 replay --url http://127.0.0.1:1 \
    "$srcdir/sample/transactions.csv"
check "is told" says "no answer from http://127.0.0.1:1/v1/decisions"
check "the key is not" eval '! says ak_live_none'
check "an address that is none" ends 69 replay --url nowhere://x \
    "$srcdir/sample/transactions.csv"
check "a file that is missing" ends 66 replay "$scratch/none.csv"
: >"$scratch/empty.csv"
check "an empty file" ends 65 replay "$scratch/empty.csv"
printf 'userId\n' >"$scratch/head.csv"
check "a file without rows" ends 0 replay "$scratch/head.csv"

echo "1..$n"
[ "$failed" -eq 0 ]
