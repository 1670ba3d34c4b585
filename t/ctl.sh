#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl without a database: help, exit statuses, rules check; manual and
# completion have every command and option.
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

# exits STATUS ARGUMENT ...: assayctl exits with this status.
exits() {
	exits_want=$1
	shift
	"$builddir/assayctl" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	[ $? -eq "$exits_want" ]
}

check "--version exits 0" exits 0 --version
check "--version prints program and version" \
    grep -Eqx 'assayctl [0-9.]+' "$scratch/out"
check "--help exits 0" exits 0 --help
sed -n 's/^  \([a-z]*\( [a-z-]\{1,\}\)\{0,1\}\)  .*/\1/p' "$scratch/out" \
    >"$scratch/commands"
check "--help lists the commands" grep -qx 'rules check' "$scratch/commands"
check "--help fits into 80 columns" is_narrow "$scratch/out"

# The help has the manual's sections with the same commands in the same order;
# every row of the table is in one of them.
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
check "assayctl without a command exits 64" exits 64
check "an unknown command exits 64" exits 64 frobnicate
check "the error names the unknown command" prints "no command 'frobnicate'"
check "a command far from any other gets no suggestion" \
    eval '! prints "did you mean"'
check "a mistyped command exits 64" exits 64 verdcits
check "the error suggests the nearest command" prints '  verdicts  '
check "a mistyped group exits 64" exits 64 casse
check "the error suggests the commands of the nearest group" \
    prints '  cases resolve  '
check "a mistyped second word exits 64" exits 64 cases shwo
check "the error suggests the nearest command of the group" \
    prints '  cases show  '
check "an unknown second word exits 64" exits 64 cases frobnicate
check "the error prints all commands of the group" prints '  cases assign  '
for group in cases lists keys admin; do
	check "the group '$group' without a command exits 64" exits 64 "$group"
	check "the group '$group' prints its commands" \
	    grep -q "^  $group [a-z-]*  " "$scratch/err"
	check "the group '$group' has a help" exits 0 "$group" --help
	check "the help of '$group' has only its commands" [ \
	    "$(sed -n 's/^  \([a-z]*\) .*/\1/p' "$scratch/out" | sort -u)" = \
	    "$group" ]
done
check "migrate with an unknown option exits 64" exits 64 migrate --frob
check "an option without its value exits 64" exits 64 migrate --sql
check "a value for an option without one exits 64" exits 64 migrate --status=yes
check "replay --offline refuses --jobs" \
    exits 64 replay --offline --jobs 2 file.csv
check "the error names the options for a service" prints "--batch, --jobs"
check "replay --export needs --offline" exits 64 replay --export x file.csv
check "replay --model needs --scorer ml" \
    exits 64 replay --offline --model x file.csv
check "replay --jobs refuses a word" exits 64 replay --jobs x file.csv
check "the error names the range of --jobs" prints "from 1 to 64"
check "key create without a name exits 64" exits 64 key create
check "key list with an argument exits 64" exits 64 key list now
check "key create refuses an unknown scope" exits 64 key create --scope all name
check "key create refuses a blank name" exits 64 key create '  '
check "key create refuses a name of two lines" exits 64 key create "a
b"
check "key create refuses a card number as name" \
    exits 64 key create 4111-1111-1111-1111
check "admin create refuses an escape in the email" \
    exits 64 admin create "$(printf 'a\033[2J@b.example')"
check "admin create refuses an invalid email" exits 64 admin create nobody
check "lists add refuses two ends" exits 64 lists add --days 1 \
    --expires 2050-01-01T00:00:00Z block user u
printf 'kind,subject,value\nblock,ip,1.2.3\n' >"$scratch/bad.csv"
check "lists import refuses a wrong row without a service" \
    exits 65 lists import "$scratch/bad.csv"
check "the error names file and line of the wrong row" \
    prints "$scratch/bad.csv:2: value must be"
check "the error does not repeat the wrong value" eval '! prints 1.2.3'
check "migrate without a database exits 78" exits 78 migrate --sql "$srcdir/sql"
check "the error names ADMIN_DATABASE_URL" prints ADMIN_DATABASE_URL
for url in 'postgresql://u:hunter2%ZZ@/assay' 'host=/x password=hunter2 five' \
    'postgresql://u:x@hunter2@localhost/assay' \
    'postgresql://u:hunter2/x@localhost/assay' \
    'postgresql://localhost:1/hunter2@localhost/assay'; do
	ADMIN_DATABASE_URL=$url
	export ADMIN_DATABASE_URL
	check "an invalid connection string exits 69: ${url#*:}" \
	    exits 69 migrate --sql "$srcdir/sql"
	check "the error does not repeat the password of ${url#*:}" \
	    eval '! prints hunter2'
done
unset ADMIN_DATABASE_URL
check "replay without an API key exits 78" \
    exits 78 replay "$srcdir/sample/transactions.csv"

# Every command and option is in the manual, and bash completes it.
# complete_words PROGRAM WORD ...: print how bash completes the last of these words.
complete_words() {
	bash -c 'compopt() { echo "$@"; }
	    . "$0"
	    COMP_WORDS=(assayctl "${@:2}")
	    COMP_CWORD=$(($# - 1))
	    _assayctl "$1"
	    printf "%s\n" "${COMPREPLY[@]}"' \
	    "$srcdir/ctl/assayctl.bash" "$@" 2>&1
}
# A stand-in that prints what assayctl has printed, because many sanitized programs
# take long to start.
"$builddir/assayctl" --help >"$scratch/help"
printf '#!/bin/sh\n[ $# -gt 1 ] || exec cat "%s"\nexec cat "%s"\n' \
    "$scratch/help" "$scratch/out" >"$scratch/printed"
chmod +x "$scratch/printed"
grep -o 'Fl -[a-z-]*' "$srcdir/man/assayctl.8" | sed 's/^Fl /-/' >"$scratch/documented"
while read -r command; do
	# shellcheck disable=SC2086 # one or two words
	{
		check "$command --help exits 0" exits 0 $command --help
		complete_words "$scratch/printed" $command -- \
		    >"$scratch/completed"
	}
	check "$command is in the manual" grep -Eq \
	    "^\.It Cm $command( |\$)" "$srcdir/man/assayctl.8"
	sed -n 's/^  \(--[a-z-]*\).*/\1/p' "$scratch/out" >"$scratch/options"
	check "the options of $command are in the manual" eval \
	    "! grep -vxFf '$scratch/documented' '$scratch/options' >'$scratch/err'"
	check "the options of $command are completed" eval \
	    "! grep -vxFf '$scratch/completed' '$scratch/options' >'$scratch/err'"
done <"$scratch/commands"
completes() {
	completes_want=$1
	shift
	complete_words "$builddir/assayctl" "$@" >"$scratch/out"
	[ "$(tr '\n' ' ' <"$scratch/out")" = "$completes_want " ]
}
check "bash completes the first word" \
    completes "activity admin analytics audit" a
check "bash completes the second word" \
    completes "release reopen resolve resolve-all" cases re
check "bash completes an operand" \
    completes "fraud inconclusive legit" cases resolve id ''
check "bash completes an operand after an option" \
    completes "fraud" cases resolve --note x id f
check "bash completes an option's value" completes "assigned open resolved" \
    cases list --status ''
check "bash completes a repeated operand" \
    completes "verdict.reached.v1 verdict.revised.v1" webhooks add \
    http://x case.resolved.v1 v
check "bash completes file names" completes "-o default " backtest --rules ''
check "bash completes event types" \
    completes "$(sed -n 's/^EVENT_TYPE(.*"\(.*\)".*/\1/p' \
    "$srcdir/core/event/event_types.tbl" | LC_ALL=C sort | paste -sd ' ')" \
    rules show ''

# Errors before any request.
check "cases list without a session exits 77" exits 77 cases list
check "the error without a session names assayctl login" prints "assayctl login"
check "cases resolve refuses an unknown outcome" exits 64 cases resolve id maybe
check "the error lists the outcomes" prints "fraud|legit|inconclusive"
check "cases list refuses an unknown status" exits 64 cases list --status new
check "policies simulate refuses a word as score" \
    exits 64 policies simulate pol x
check "cases show refuses an empty id" exits 64 cases show ''
check "erase without a terminal exits 64" exits 64 erase u-1
check "the error of erase names --yes" prints --yes
check "login without a terminal exits 64" exits 64 login
check "settings set refuses an unknown setting" exits 64 settings set colour=1
check "settings set refuses a word as number" \
    exits 64 settings set loginPerMin=fast
check "settings set refuses a name without a value" \
    exits 64 settings set loginPerMin
check "label without an API key exits 78" exits 78 label chargeback e-1
ASSAY_TOKEN=hunter2
export ASSAY_TOKEN
check "keys list refuses an ftp address" exits 64 keys list --url ftp://x
check "a closed port exits 69" exits 69 keys list --url http://127.0.0.1:1
check "the error names the address of the closed port" \
    prints "no answer from http://127.0.0.1:1"
check "a missing socket exits 69" exits 69 keys list --url "unix:$scratch/none"
check "the error does not repeat the token" eval '! prints hunter2'
printf 'rule a {\n  when event.amuont > 3 then score += 1, tag t }\n' \
    >"$scratch/bad.rule"
check "rules publish refuses a syntax error" \
    exits 65 rules publish card.authorize v1 \
    "$scratch/bad.rule"
check "rules publish prints line and column of the error" \
    prints "$scratch/bad.rule:2:8: "
printf '{"onError":"fail_open"}' >"$scratch/bad.json"
check "policies publish refuses a policy without bands" \
    exits 65 policies publish pol v1 \
    "$scratch/bad.json"
printf '{"bands":' >"$scratch/bad.json"
check "backtest refuses an incomplete policy file" \
    exits 65 backtest --policy "$scratch/bad.json" \
    card.authorize
check "policies publish without its file exits 66" \
    exits 66 policies publish pol v1 "$scratch/none"
unset ASSAY_TOKEN

# The file that holds the session.
mkdir -p "$scratch/.config/assay"
printf 'url http://127.0.0.1:1\ntoken t\nemail e\nrole r\nuntil u\n' \
    >"$scratch/.config/assay/token"
check "a session file that others can read exits 77" exits 77 whoami
check "the error about the session file names chmod" prints "chmod 600"
chmod 600 "$scratch/.config/assay/token"
check "a private session file is accepted" exits 0 whoami
check "whoami prints operator, role, service and end" \
    prints 'e (r) at http://127.0.0.1:1 until u'
check "the session's token is not sent to another service" \
    exits 77 keys list --url http://127.0.0.2:1
check "the error names the session's service" \
    prints "the session belongs to http://127.0.0.1:1"
check "logout exits 69 if the service is away" exits 69 logout
check "logout removes the token although the service is away" \
    [ ! -e "$scratch/.config/assay/token" ]

# The command rules check.
cat >"$scratch/good.rule" <<'RULE'
# spelt freely
rule big { when (event.amount>3000)
  then score += 14, tag "amount" }
RULE
check "rules check accepts a valid ruleset" \
    exits 0 rules check "$scratch/good.rule"
check "rules check counts the rules" prints "good.rule: 1 rules"
check "rules check --print exits 0" \
    exits 0 rules check --print "$scratch/good.rule"
check "rules check --print prints the canonical form" prints \
    'rule big { when event.amount > 3000 then score += 14, tag amount }'
printf 'rule a {\n  when event.amuont > 3 then score += 1, tag t }\n' \
    >"$scratch/bad.rule"
check "rules check refuses one wrong file of two" \
    exits 65 rules check "$scratch/good.rule" "$scratch/bad.rule"
check "rules check prints line and column of the error" \
    prints "$scratch/bad.rule:2:8: "
printf 'rule a { when event.amuont > 3 then score += 101, tag t }\nrule b {' \
    >"$scratch/bad.rule"
check "rules check refuses a file with several mistakes" \
    exits 65 rules check "$scratch/bad.rule"
is "rules check prints each mistake" \
    "$(sed 's/: .*//; s/.*bad.rule//' "$scratch/err" | tr '\n' ' ')" \
    ":1:15 :1:46 :2:9 "
printf 'rule a { when graph.ringSize < 1 then score += 1, tag t }' \
    >"$scratch/bad.rule"
check "rules check accepts a rule that never fires" \
    exits 0 rules check "$scratch/bad.rule"
check "rules check warns about the rule that never fires" \
    prints "$scratch/bad.rule:1: warning: the rule a never fires: "
check "rules check without its file exits 66" \
    exits 66 rules check "$scratch/none.rule"

# The command rules test.
cat >"$scratch/account.login.rule" <<'RULE'
rule fast { when velocity.attemptsLast2m > 4 then score += 45, tag velocity }
rule far { when geo.impossibleTravel then score += 45, tag travel }
test sixth { given velocity.attemptsLast2m == 5 expect challenge because velocity }
RULE
check "rules test accepts tests that pass" \
    exits 0 rules test --sql "$srcdir/sql" "$scratch/account.login.rule"
check "rules test counts the tests and names untested tags" \
    prints "account.login.rule: 1 tests passed; no test expects travel"
cat >"$scratch/strict.json" <<'POLICY'
{"onError": "fail_open", "bands": [
    {"verdict": "allow", "min": 0, "max": 40}, {"verdict": "deny", "min": 41, "max": 100}]}
POLICY
check "rules test refuses tests that fail with another policy" \
    exits 65 rules test --sql "$srcdir/sql" \
    --policy "account.login=$scratch/strict.json" "$scratch/account.login.rule"
check "rules test prints the place and the decision" prints \
    "account.login.rule:3:56: the test sixth expected challenge, found deny with a score of 45 because velocity"
printf "rule b {" >"$scratch/worse.rule"
check "rules test prints the compiler's errors" \
    exits 65 rules test --type account.login --sql "$srcdir/sql" \
    "$scratch/worse.rule" "$scratch/account.login.rule"
check "rules test goes on with the next file" \
    prints "account.login.rule: 1 tests passed"
cp "$scratch/account.login.rule" "$scratch/other.rule"
check "rules test refuses a file whose name is no event type" \
    exits 64 rules test --sql "$srcdir/sql" "$scratch/other.rule"
check "the error names --type" prints '--type'
check "rules test refuses an unknown type" \
    exits 64 rules test --type login "$scratch/other.rule"
check "rules test refuses a policy that does not exist" \
    exits 66 rules test --sql "$srcdir/sql" --policy "$scratch/none.json" \
    "$scratch/account.login.rule"
cp "$scratch/account.login.rule" "$scratch/laid.rule"
check "rules format prints the layout" exits 0 rules format "$scratch/laid.rule"
check "rules format puts each clause on its line" prints '	then score += 45, tag travel'
check "rules format --check refuses another layout" \
    exits 65 rules format --check "$srcdir/sql/seed/rules/card.authorize.rule" \
    "$scratch/laid.rule"
is "rules format --check names the file alone, unchanged" \
    "$(cat "$scratch/out") $(cmp "$scratch/laid.rule" "$scratch/account.login.rule")" \
    "$scratch/laid.rule "
chmod 640 "$scratch/laid.rule"
check "rules format --write changes the file" \
    exits 0 rules format --write "$scratch/laid.rule"
is "rules format --write keeps the mode" "$(stat -c %a "$scratch/laid.rule")" 640
check "rules format --check accepts what --write has written" \
    exits 0 rules format --check "$scratch/laid.rule"
check "rules format refuses a text with mistakes" \
    exits 65 rules format --write "$scratch/worse.rule"
check "rules format refuses --check with --write" \
    exits 64 rules format --check --write "$scratch/laid.rule"
check "rules check --print prints tests" \
    exits 0 rules check --print "$scratch/account.login.rule"
check "in their canonical form" prints \
    'test sixth { given velocity.attemptsLast2m == 5 expect challenge because velocity }'

# The command replay when no service runs.
API_KEY=ak_live_none
export API_KEY
check "replay to a closed port exits 69" \
    exits 69 replay --url http://127.0.0.1:1 \
    "$srcdir/sample/transactions.csv"
check "the error of replay names the address" \
    prints "no answer from http://127.0.0.1:1/v1/decisions"
check "the error of replay does not repeat the key" eval '! prints ak_live_none'
check "replay refuses an address of another scheme" \
    exits 64 replay --url nowhere://x \
    "$srcdir/sample/transactions.csv"
check "replay without its file exits 66" exits 66 replay "$scratch/none.csv"
: >"$scratch/empty.csv"
check "replay refuses an empty file" exits 65 replay "$scratch/empty.csv"
printf 'userId\n' >"$scratch/head.csv"
check "replay of a file without rows exits 0" exits 0 replay "$scratch/head.csv"

# replay --offline: the directory of the seed, and rules that fire too often.
check "replay --offline without the seed exits 65" exits 65 replay --offline \
    --sql "$scratch/none" "$srcdir/sample/transactions.csv"
check "the error names the option for the seed" prints --sql
check "replay --offline decides the sample" exits 0 replay --offline \
    --sql "$srcdir/sql" "$srcdir/sample/transactions.csv"
check "no rule fires on most events of the sample" \
    eval '! prints "fires on"'
awk 'BEGIN { print "time,userId,terminal,amount"
	for (n = 0; n < 400; n++)
		printf "2026-01-%02dT00:00:00Z,u-%d,shop-%d,10\n",
		    1 + n / 20, n % 97, n % 3 }' >"$scratch/shops.csv"
check "replay --offline decides a history with terminals as devices" exits 0 \
    replay --offline --sql "$srcdir/sql" --map deviceId=terminal \
    "$scratch/shops.csv"
check "a warning names the rule that fires on most events" \
    grep -Eq 'the rule [a-z_]+ of card.authorize fires on [0-9.]+ % of' \
    "$scratch/err"
check "a warning names the likely reason" prints "terminal is not a deviceId"
check "replay --offline decides the history without the terminals" \
    exits 0 replay --offline --sql "$srcdir/sql" \
    "$scratch/shops.csv"
check "without the terminals no rule fires on most events" \
    eval '! prints "fires on"'

# What a file has and its events do not.
awk 'BEGIN {
	printf "time,userId,type,steps,attr.guest,attr.mcc,attr.v"
	for (i = 2; i < 65; i++) printf ",attr.v%d", i
	for (row = 0; row < 2; row++) {
		printf "\n2018-04-02 00:00:00,1,PAYMENT,7,%s,%s",
		    row == 0 ? "TRUE" : "False", row == 0 ? 5411 : "0742"
		for (i = 1; i < 65; i++) printf ",1"
	}
	print "\n" }' >"$scratch/wide.csv"
check "replay --type decides rows of another type" exits 0 \
    replay --offline --sql "$srcdir/sql" --type card.authorize "$scratch/wide.csv"
check "replay names columns that are no field of an event" \
    grep -qx 'assayctl: columns that are no field of an event: steps' \
    "$scratch/err"
check "replay names attributes beyond the limit" \
    grep -q 'at most 64 attributes: attr.v63, attr.v64$' "$scratch/err"
check "replay names attributes of several types, with lines" prints \
    'attr.mcc has values of several types: 1 numbers (line 2), 1 texts (line 3)'
printf 'rule g { when attr.guest == true then score += 7, tag guest }' \
    >"$scratch/guest.rule"
"$builddir/assayctl" replay --offline --sql "$srcdir/sql" --json \
    --type card.authorize --rules "$scratch/guest.rule" "$scratch/wide.csv" \
    >"$scratch/out" 2>/dev/null
is "replay reads the booleans of spreadsheets" \
    "$(jq -r 'select(.score != null) | .score' "$scratch/out" | tr '\n' ' ')" "7 0 "
check "replay --strict refuses such a file" exits 65 \
    replay --offline --sql "$srcdir/sql" --strict --type card.authorize \
    "$scratch/wide.csv"
check "replay --strict says that nothing was sent" prints 'nothing was sent'
printf 'time,userId\n2018-04-02 00:00:00,1\n1\n' >"$scratch/broken.csv"
check "replay --strict refuses a file that it cannot read to its end" exits 65 \
    replay --offline --sql "$srcdir/sql" --strict "$scratch/broken.csv"
check "replay --strict sends no row of such a file" prints 'nothing was sent'
check "replay --strict refuses a pipe" exits 65 \
    replay --offline --sql "$srcdir/sql" --strict /dev/stdin
check "replay --map leaves out fields without a column" exits 0 \
    replay --offline --sql "$srcdir/sql" \
    --map type=,attr.mcc=,userId=attr.v64 "$scratch/wide.csv"
check "replay names the columns that --map leaves out" grep -qx \
    'assayctl: columns that are no field of an event: userId, type, steps, attr.mcc' \
    "$scratch/err"
cut -d, -f1,2 "$scratch/wide.csv" >"$scratch/narrow.csv"
check "replay --strict accepts a file of which nothing is left out" exits 0 \
    replay --offline --sql "$srcdir/sql" --strict "$scratch/narrow.csv"
printf 'time;userId\n2018-04-02 00:00:00;1\n' >"$scratch/semicolons.csv"
check "replay refuses semicolons" exits 65 \
    replay --offline --sql "$srcdir/sql" "$scratch/semicolons.csv"
check "the error names the separator" prints 'separate the fields by commas'

conclude
