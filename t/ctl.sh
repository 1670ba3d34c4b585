#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl without a database: help, exit statuses, rules check, and that its
# manual and its completion know every command and option.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
unset ADMIN_DATABASE_URL DATABASE_URL API_KEY BASE_URL \
    ASSAY_CA_FILE ASSAY_TOKEN ASSAY_URL XDG_CONFIG_HOME || :
scratch=$(mktemp -d)
HOME=$scratch
export HOME
trap 'rm -rf "$scratch"' EXIT
# shellcheck source=t/program.sh
. "$srcdir/t/program.sh"

# ends STATUS ARGUMENT ...: assayctl, called so, ends so.
ends() {
	want=$1
	shift
	"$builddir/assayctl" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	[ $? -eq "$want" ]
}

check "--version" ends 0 --version
check "names program and version" grep -Eqx 'assayctl [0-9.]+' "$scratch/out"
check "--help" ends 0 --help
sed -n 's/^  \([a-z]*\( [a-z-]\{1,\}\)\{0,1\}\)  .*/\1/p' "$scratch/out" \
    >"$scratch/commands"
check "lists commands" grep -qx 'rules check' "$scratch/commands"
check "in 80 columns" is_narrow "$scratch/out"

# The sections of the help are those of the manual, with the same commands in
# the same order; and every row of the table is in one of them.
sed -n '/^[A-Z][a-z]/s/^/# /p; s/^  \([a-z]*\( [a-z-]\{1,\}\)\{0,1\}\)  .*/\1/p' \
    "$scratch/out" >"$scratch/sections"
sed -n '/^\.Sh ENVIRONMENT/q
    s/^\.Ss /# /p
    s/^\.It Cm \([a-z]*\( [a-z-]\{1,\}\)\{0,1\}\).*/\1/p' \
    "$srcdir/man/assayctl.8" |
    awk '/^#/ { title = $0; next }
	{ if (title != "") print title; title = ""; print }' \
    >"$scratch/documented"
check "the help has the manual's sections and commands, in its order" \
    diff "$scratch/documented" "$scratch/sections"
sed -n 's/^C[OMALND]*("\([a-z -]*\)".*/\1/p' "$srcdir/ctl/request/commands.tbl" |
    LC_ALL=C sort >"$scratch/table"
LC_ALL=C sort "$scratch/commands" >"$scratch/sorted"
check "every command of the table is in one section of the help" \
    diff "$scratch/table" "$scratch/sorted"
check "assayctl without a command fails" ends 64
check "a word that is no command fails" ends 64 frobnicate
check "the unknown command is named" says "no command 'frobnicate'"
check "nothing is suggested that is far from it" \
    eval '! says "did you mean"'
check "a mistyped command fails" ends 64 verdcits
check "the command that is typed nearly so is suggested" says '  verdicts  '
check "a mistyped group fails" ends 64 casse
check "the commands of the group typed nearly so are suggested" \
    says '  cases resolve  '
check "a mistyped second word fails" ends 64 cases shwo
check "the nearest command of the group is suggested" says '  cases show  '
check "a far second word fails" ends 64 cases frobnicate
check "all commands of the group are printed then" says '  cases assign  '
for group in cases lists keys admin; do
	check "the group '$group' without a command fails" ends 64 "$group"
	check "the group '$group' prints its commands" \
	    grep -q "^  $group [a-z-]*  " "$scratch/err"
	check "the group '$group' has help" ends 0 "$group" --help
	check "the help of '$group' has no other group's commands" [ \
	    "$(sed -n 's/^  \([a-z]*\) .*/\1/p' "$scratch/out" | sort -u)" = \
	    "$group" ]
done
check "an option that is none" ends 64 migrate --frob
check "a value that is missing" ends 64 migrate --sql
check "a value that is too much" ends 64 migrate --status=yes
check "a number that is none" ends 64 replay --jobs x file.csv
check "the range is told" says "from 1 to 64"
check "an argument that is missing" ends 64 key create
check "an argument too many" ends 64 key list now
check "a scope that is none" ends 64 key create --scope all name
check "a key's name that is blank" ends 64 key create '  '
check "a key's name of two lines" ends 64 key create "a
b"
check "a key's name that is a card number" ends 64 key create 4111-1111-1111-1111
check "an email with an escape" ends 64 admin create "$(printf 'a\033[2J@b.example')"
check "no email address" ends 64 admin create nobody
check "two ends of an entry" ends 64 lists add --days 1 \
    --expires 2050-01-01T00:00:00Z block user u
printf 'kind,subject,value\nblock,ip,1.2.3\n' >"$scratch/bad.csv"
check "a list with a bad row, before any service" \
    ends 65 lists import "$scratch/bad.csv"
check "is told by its line" says "$scratch/bad.csv:2: value must be"
check "its value is not repeated" eval '! says 1.2.3'
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

# Every command and option is in the manual and completed by bash.
# completed WORD ...: what the last of these words is completed to.
completed() {
	bash -c 'compopt() { echo "$@"; }
	    . "$0"
	    COMP_WORDS=(assayctl "${@:2}")
	    COMP_CWORD=$(($# - 1))
	    _assayctl "$1"
	    printf "%s\n" "${COMPREPLY[@]}"' \
	    "$srcdir/ctl/assayctl.bash" "$builddir/assayctl" "$@" 2>&1
}
while read -r command; do
	# shellcheck disable=SC2086 # one or two words
	{
		check "$command --help" ends 0 $command --help
		completed $command -- >"$scratch/completed"
	}
	check "$command is in the manual" grep -Eq \
	    "^\.It Cm $command( |\$)" "$srcdir/man/assayctl.8"
	sed -n 's/^  --\([a-z-]*\).*/\1/p' "$scratch/out" >"$scratch/options"
	while read -r option; do
		check "--$option is in the manual" \
		    grep -q "Fl -$option" "$srcdir/man/assayctl.8"
		check "--$option is completed" grep -qx -e "--$option" \
		    "$scratch/completed"
	done <"$scratch/options"
done <"$scratch/commands"
completes() {
	want=$1
	shift
	completed "$@" >"$scratch/out"
	[ "$(tr '\n' ' ' <"$scratch/out")" = "$want " ]
}
check "the first word" completes "activity admin analytics audit" a
check "the second" completes "assign list resolve show" cases ''
check "an operand" completes "fraud inconclusive legit" cases resolve id ''
check "behind an option" completes "fraud" cases resolve --note x id f
check "an option's value" completes "assigned open resolved" \
    cases list --status ''
check "one that repeats" completes verdict.reached.v1 webhooks add \
    http://x case.resolved.v1 v
check "a file" completes "-o default " backtest --rules ''
check "event types" completes "$(sed -n 's/^EVENT_TYPE(.*"\(.*\)".*/\1/p' \
    "$srcdir/core/event/event_types.tbl" | LC_ALL=C sort | paste -sd ' ')" \
    rules show ''

# What is said before any service is asked.
check "nobody is logged in" ends 77 cases list
check "and what to do" says "assayctl login"
check "an operand that is none of its choices" ends 64 cases resolve id maybe
check "which are told" says "fraud|legit|inconclusive"
check "an option that is none" ends 64 cases list --status new
check "a number that is none" ends 64 policies simulate pol x
check "an empty operand" ends 64 cases show ''
check "erase without anyone to ask" ends 64 erase u-1
check "says what to do" says --yes
check "login without anyone to ask" ends 64 login
check "a setting that is none" ends 64 settings set colour=1
check "a value that is none" ends 64 settings set loginPerMin=fast
check "no value" ends 64 settings set loginPerMin
check "no API key" ends 78 label chargeback e-1
ASSAY_TOKEN=hunter2
export ASSAY_TOKEN
check "an address that is none" ends 64 keys list --url ftp://x
check "nobody there" ends 69 keys list --url http://127.0.0.1:1
check "is told" says "no answer from http://127.0.0.1:1"
check "no socket there" ends 69 keys list --url "unix:$scratch/none"
check "the token is not told" eval '! says hunter2'
printf 'rule a {\n  when event.amuont > 3 then score += 1, tag t }\n' \
    >"$scratch/bad.rule"
check "bad rules are not sent" ends 65 rules publish card.authorize v1 \
    "$scratch/bad.rule"
check "but told by line and column" says "$scratch/bad.rule:2:8: "
printf '{"onError":"fail_open"}' >"$scratch/bad.json"
check "a policy without bands" ends 65 policies publish pol v1 \
    "$scratch/bad.json"
printf '{"bands":' >"$scratch/bad.json"
check "one that is no JSON" ends 65 backtest --policy "$scratch/bad.json" \
    card.authorize
check "a file that is missing" ends 66 policies publish pol v1 "$scratch/none"
unset ASSAY_TOKEN

# The session's file.
mkdir -p "$scratch/.config/assay"
printf 'url http://127.0.0.1:1\ntoken t\nemail e\nrole r\nuntil u\n' \
    >"$scratch/.config/assay/token"
check "a file that others can read" ends 77 whoami
check "is told" says "chmod 600"
chmod 600 "$scratch/.config/assay/token"
check "one that they cannot" ends 0 whoami
check "says who" says 'e (r) at http://127.0.0.1:1 until u'
check "its token goes to no other service" \
    ends 77 keys list --url http://127.0.0.2:1
check "which is told" says "the session is one of http://127.0.0.1:1"
check "logged out of a service that is away" ends 69 logout
check "the token is gone" [ ! -e "$scratch/.config/assay/token" ]

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
check "an address that is none" ends 64 replay --url nowhere://x \
    "$srcdir/sample/transactions.csv"
check "a file that is missing" ends 66 replay "$scratch/none.csv"
: >"$scratch/empty.csv"
check "an empty file" ends 65 replay "$scratch/empty.csv"
printf 'userId\n' >"$scratch/head.csv"
check "a file without rows" ends 0 replay "$scratch/head.csv"


# replay --offline: where the seed is, and rules that fire on most events.
check "a history without the seed is refused" ends 65 replay --offline \
    --sql "$scratch/none" "$srcdir/sample/transactions.csv"
check "the option for the seed's directory is named" says --sql
check "the sample is decided offline" ends 0 replay --offline \
    --sql "$srcdir/sql" "$srcdir/sample/transactions.csv"
check "no rule fires on most events of the sample" \
    eval '! says "fires on"'
awk 'BEGIN { print "time,userId,terminal,amount"
	for (n = 0; n < 400; n++)
		printf "2026-01-%02dT00:00:00Z,u-%d,shop-%d,10\n",
		    1 + n / 20, n % 97, n % 3 }' >"$scratch/shops.csv"
check "a history whose deviceId is a terminal is decided" ends 0 \
    replay --offline --sql "$srcdir/sql" --map deviceId=terminal \
    "$scratch/shops.csv"
check "a rule that fires on most events is named" \
    grep -Eq 'the rule [a-z_]+ of card.authorize fires on [0-9.]+ % of' \
    "$scratch/err"
check "the likely reason is named" says "terminal is no deviceId"
check "without the terminals" ends 0 replay --offline --sql "$srcdir/sql" \
    "$scratch/shops.csv"
check "no rule is named" eval '! says "fires on"'

conclude
