#!/bin/sh
# SPDX-License-Identifier: ISC
# Every rule of the house that a machine can check.  Each check prints what it
# did.  A missing tool is a visible skip, and in CI (CI=true) a failure.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
cd "$srcdir" || exit 99
PATH=$PATH:/usr/sbin:/sbin
tmp=$(mktemp -d "${TMPDIR:-/tmp}/assay-lint.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM HUP

# shellcheck source=t/checks.sh
. "$srcdir/t/checks.sh"
# shellcheck source=tools/stack.sh
. "$srcdir/tools/stack.sh"

# What automake adds to a release.
packaging='^((aclocal\.m4|configure|config\.h\.in|Makefile\.in|man/assay-api\.7)$|build-aux/)'
# The tree: what git tracks, or in a release what was packed.
if [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$srcdir" ]; then
	git ls-files --cached --others --exclude-standard
else
	find . -type f | sed 's,^\./,,' |
	    grep -vE "$packaging"
fi | grep -vE '^(_?build|var/)' | while read -r file; do
	[ ! -f "$file" ] || echo "$file"
done | LC_ALL=C sort >"$tmp/files"
# The text files that people wrote.
grep -vE '^(t/fuzz/corpus|third_party/swagger-ui)/|\.png$|^third_party/.*/(LICENSE|SOURCES|preact\.js|codemirror\.js)$' \
    "$tmp/files" >"$tmp/text"
grep -E '\.[ch]$' "$tmp/text" >"$tmp/c"
grep -v '^tools/packages$' "$tmp/text" | xargs awk '
	FNR == 1 && (FILENAME ~ /\.sh$/ || /^#!\/bin\/.*sh/) { print FILENAME }
	{ nextfile }' >"$tmp/scripts"

# The dependency arrow, from the folder of the file to what it may include.
rooms='worker|http|access|gate|ep|pool'
# shellcheck disable=SC2016 # this is awk
xargs awk -v rooms="$rooms" '
	FNR == 1 {
		may = "core|lib|fcgi|cron|ctl|t|bench"
		if (FILENAME ~ /^core\//) may = "core"
		if (FILENAME ~ /^lib\//) may = "core|lib"
		if (FILENAME ~ /^(fcgi|cron|ctl)\//)
			may = "core|lib|" substr(FILENAME, 1, index(FILENAME, "/") - 1)
		if (split(FILENAME, part, "/") > 2 && part[1] == "fcgi")
			may = "core|lib|fcgi/(" substr(rooms, 1, index(rooms, \
			    part[2]) + length(part[2]) - 1) ")"
	}
	/^[[:space:]]*#[[:space:]]*include[[:space:]]*"/ &&
	    $0 !~ "\"(config\\.h|(" may ")/[a-z0-9_./]+)\"" {
		print FILENAME ":" FNR ":" $0
	}' <"$tmp/c" >"$tmp/faults"
verdict "includes follow core <- lib <- fcgi, cron, ctl, and in fcgi worker <- http <- access <- gate <- ep <- pool"

xargs grep -nE '#[[:space:]]*include <libpq' <"$tmp/c" |
    grep -vE '^lib/db/' >"$tmp/faults"
verdict "only lib/db includes libpq"

xargs grep -nE '\<(clock_gettime|gettimeofday|time)\(' <"$tmp/c" |
    grep -vE '^(lib/sys/clock\.c|t/|bench/)' >"$tmp/faults"
verdict "only lib/sys/clock.c reads a clock"

xargs grep -nE '\<(strcpy|strcat|v?sprintf|strtok|gmtime|localtime|ctime|asctime|ato[ilf]|rand|system|popen)\(' \
    <"$tmp/c" | grep -v '^lib/sys/banned\.h:' >"$tmp/faults"
verdict "no banned call"

# core/base/writer.h sets the quotes and commas of JSON.  Two files write JSON for
# people, with blanks in it.
# shellcheck disable=SC2016 # this is perl
grep -E '^(core|lib|fcgi|cron|ctl)/' "$tmp/c" |
    grep -vE '^ctl/(config/config_document|train/train_bands)\.c$' |
    xargs perl -0ne 'print "$ARGV: $1\n"
	while /\bstr_add[cfn]?\([^;]*?(\\"[\w%]*\\":)/g' >"$tmp/faults"
verdict "members of JSON are written by writer_ functions"

xargs grep -nE 'typedef (struct|union|enum)|(TODO|FIXME)|^[[:space:]]*//|[;{}] //' \
    <"$tmp/c" >"$tmp/faults"
verdict "no typedef of a struct, no // comment, nothing left to do"

# A conversion that lib/sys/log.c does not know ends the program.  The access
# line of the pool is the only line without event=; t/unit/log.c tests the form.
# shellcheck disable=SC2016 # this is Perl
grep '\.c$' "$tmp/c" | grep -v '^t/unit/log\.c$' | xargs perl -0777 -ne '
	s/" PRId64(\s*")?/$1 ? "ld" : "ld\""/ge;
	while (/\blog_(?:error|warn|info|debug|numbers)\(([^;]*?)\);/gs) {
		my $fmt = join "", $1 =~ /"((?:[^"\\]|\\.)*)"/g;
		$fmt =~ s/%(?:s|d|ld|lld|zu|\.1f)//g;
		print "$ARGV: $fmt\n" if $fmt =~ /%/ ||
		    $fmt !~ /^event=|^method= route=/;
	}' >"$tmp/faults"
verdict "each line of the log begins with event= and uses known conversions"

# events FOLDER...: print the error events that the code there logs.
# shellcheck disable=SC2016 # this is Perl
events() {
	for folder in "$@"; do
		grep "^$folder/.*\.c\$" "$tmp/c"
	done | xargs perl -0777 -ne '
		while (/\blog_(?:error|numbers\(\s*LOG_LEVEL_ERROR,)[^;"]*"event=([a-z_]+)/g) {
			print "$1\n";
		}' | LC_ALL=C sort -u
}
# explained PAGE: print the events under its DIAGNOSTICS.
explained() {
	sed -n '/^\.Sh DIAGNOSTICS/,/^\.Sh [^D]/s/"/\n"/gp' "man/$1" |
	    sed -n 's/^"event=\([a-z_]*\).*/\1/p' | LC_ALL=C sort -u
}
explained assay-fcgi.8 >"$tmp/pool"
explained assay-cron.8 >"$tmp/companion"
LC_ALL=C sort -u "$tmp/pool" "$tmp/companion" >"$tmp/both"
{
	events fcgi | LC_ALL=C comm -23 - "$tmp/pool" |
	    sed 's/^/assay-fcgi(8) lacks event=/'
	events cron | LC_ALL=C comm -23 - "$tmp/companion" |
	    sed 's/^/assay-cron(8) lacks event=/'
	events lib | LC_ALL=C comm -23 - "$tmp/both" |
	    sed 's/^/assay-fcgi(8) and assay-cron(8) lack event=/'
	events fcgi lib cron | LC_ALL=C comm -13 - "$tmp/both" |
	    sed 's/^/no program logs the error event=/'
} >"$tmp/faults"
verdict "DIAGNOSTICS of the manuals have each error event, and no other"

# A key is in a format, in a list of numbers, or that of log_context().
# shellcheck disable=SC2016 # this is Perl
log_keys() {
	for folder in "$@"; do
		grep "^$folder/.*\.c\$" "$tmp/c"
	done | xargs perl -0777 -ne '
		while (/\blog_(?:error|warn|info|debug|numbers)\(([^;]*?)\);/gs) {
			my $fmt = join "", $1 =~ /"((?:[^"\\]|\\.)*)"/g;
			print "$1\n" while $fmt =~ /(?:^| )([a-z_]+)=/g;
		}
		print "$1\n" while /\blog_context\("([a-z_]+)"/g;
		while (/\bstruct log_number \w+\[\] = \{(.*?)\};/gs) {
			my $rows = $1;
			print "$1\n" while $rows =~ /"([a-z_]+)"/g;
		}' | tr '[:lower:]' '[:upper:]' | LC_ALL=C sort -u
}
sed -n 's/^\.It Li \([A-Z_]*\)$/\1/p' man/assay-fcgi.8 >"$tmp/pool"
sed -n 's/^\.It Li \([A-Z_]*\)$/\1/p' man/assay-cron.8 >"$tmp/companion"
{ log_keys fcgi lib && echo LEVEL; } | LC_ALL=C sort >"$tmp/keys"
{
	diff "$tmp/keys" "$tmp/pool" | sed -n \
	    's/^</assay-fcgi(8) lacks the field/p; s/^>/no line of the pool has/p'
	log_keys cron | LC_ALL=C comm -23 - "$tmp/keys" |
	    diff - "$tmp/companion" | sed -n \
	    's/^</assay-cron(8) lacks the field/p; s/^>/no line of a job has/p'
	LC_ALL=C sort "$tmp/pool" "$tmp/companion" | grep -xE '_.*|(CODE|SYSLOG|OBJECT|COREDUMP|INVOCATION)_.*|MESSAGE(_ID)?|PRIORITY|ERRNO|TID|UNIT|USER_UNIT|DOCUMENTATION' |
	    sed 's/$/ is a field of the journal itself/'
} >"$tmp/faults"
verdict "the manuals have each key of the log as a field of the journal, and no other"

# The alerts and the runbook.
rules=contrib/prometheus/assay.rules.yml
sed -n 's/^ *- alert: //p' $rules >"$tmp/alerts"
{
	{
		cat "$tmp/alerts"
		events core lib fcgi cron | sed 's/^/event=/'
	} | LC_ALL=C sort >"$tmp/want"
	sed -n 's/^### //p' docs/RUNBOOK.md | LC_ALL=C sort |
	    diff "$tmp/want" - | sed -n \
	    's/^</docs\/RUNBOOK.md lacks/p; s/^>/no alert or error event:/p'
	# shellcheck disable=SC2016 # this is Perl
	perl -0777 -ne 'for my $entry (/^### (.*?)(?=^##|\z)/gms) {
			my ($name) = $entry =~ /(.*)/;
			$entry =~ /^- \*\*$_\*\*:\s+\S/m or print "$name lacks: $_\n" for
			    "Meaning", "Severity", "Look at", "Do", "Solved when";
		}' docs/RUNBOOK.md
} >"$tmp/faults"
verdict "docs/RUNBOOK.md has each alert and each error event, and no other"

# shellcheck disable=SC2016 # this is Perl
perl -0777 -ne 'for my $rule (/- alert: (.*?)(?=\n\n|\z)/gs) {
		my ($alert) = $rule =~ /(.*)/;
		my $url = "https://.*/RUNBOOK.md#" . lc $alert;
		$rule =~ /^ *$_$/m or print "$alert lacks $_\n" for "for: .*",
		    "severity: (?:critical|warning)", "summary: .*",
		    "runbook_url: $url";
	}' $rules >"$tmp/faults"
while read -r alert; do
	sed -n "/^  - name: $alert\$/,/^\$/p" contrib/prometheus/assay.rules.test.yml |
	    grep -A 3 "{alertname=\"$alert\",alertstate=\"firing\"}" >"$tmp/tests"
	grep -q 'exp_samples: \[\]' "$tmp/tests" ||
	    echo "no test in which $alert does not fire"
	grep -q '  - labels: ' "$tmp/tests" || echo "no test in which $alert fires"
	grep -qE "^(fire|wrong_from_start=|    )[^#]*\\b$alert\\b" t/http/560*-alerts*.sh ||
	    echo "no scenario breaks what $alert is about"
done <"$tmp/alerts" >>"$tmp/faults"
verdict "each alert has a severity, a duration, a summary, a runbook entry, two tests and a fault"

sed -n 's/^      - record: //p' $rules | while read -r record; do
	grep -q "^          - labels: '$record{" contrib/prometheus/assay.rules.test.yml ||
	    echo "no test has a value of $record"
done >"$tmp/faults"
verdict "each recording rule has a test of its value"

what="promtool accepts rules, tests, scrape configuration and dashboards"
if have promtool "$what" && have jq "$what"; then
	jq -r '.panels[].targets[].expr' contrib/grafana/*.json |
	    sed 's/[$]__rate_interval/5m/g' | jq -nR '{ groups: [ { name: "panels",
		rules: [ inputs | { record: "r\(input_line_number)", expr: . } ] } ] }' \
	    >"$tmp/panels.yml"
	{
		promtool check config --syntax-only contrib/prometheus/prometheus.yml &&
		    promtool check rules "$tmp/panels.yml" &&
		    promtool test rules contrib/prometheus/assay.rules.test.yml
	} >"$tmp/out" 2>&1 || cat "$tmp/out" >"$tmp/faults"
	verdict "$what"
fi

what="PostgreSQL accepts the settings of contrib/postgresql"
postgres=$(stack_pg_bin)/postgres
if have "$postgres" "$what"; then
	mkdir "$tmp/cluster"
	cp contrib/postgresql/assay.conf "$tmp/cluster/postgresql.conf"
	sed -n 's/^\([a-z_]*\) = .*/\1/p' contrib/postgresql/assay.conf >"$tmp/names"
	[ -s "$tmp/names" ] || echo "there is no setting" >"$tmp/faults"
	while read -r setting; do
		"$postgres" -C "$setting" -D "$tmp/cluster" >"$tmp/out" 2>&1 ||
		    cat "$tmp/out"
	done <"$tmp/names" >>"$tmp/faults"
	verdict "$what"
fi

# Neither a debugger nor ctags can tell two definitions of one name apart.
xargs perl t/names.pl <"$tmp/c" >"$tmp/faults" 2>&1
verdict "tags and static names are unique and say what they mean"

# core is pure: it uses only these symbols of the operating system.
what="libcore.a needs nothing but memory, text, mathematics and addresses"
if [ ! -f "$builddir/libcore.a" ]; then
	skip "$what" "it is not built"
elif grep -q '^#define ARENA_MALLOC' "$builddir/config.h"; then
	skip "$what" "a build with sanitizers; the plain one shows it"
elif have nm "$what"; then
	nm "$builddir/libcore.a" 2>/dev/null | awk '
		NF == 3 && $2 ~ /[A-TV-Z]/ { defined[$3] = 1 }
		NF == 2 && $1 == "U" { wanted[$2] = 1 }
		END { for (s in wanted) if (!(s in defined)) print s }' |
	    LC_ALL=C sort | grep -vE '^(mem[a-z]+|__mem[a-z]+_chk)$' |
	    grep -vE '^(strn?(len|cmp|chr|casecmp)|strr?chr|strstr|str[cp]?spn|strpbrk|strto(d|ll?|ull?|[iu]max)|__isoc[0-9]+_strto[a-z]+)$' |
	    grep -vE '^(v?snprintf|__v?snprintf_chk)$' |
	    grep -vE '^(sqrt|cbrt|exp|exp2|expm1|log|log2|log10|log1p|pow|fabs|floor|ceil|trunc|l?l?round|l?l?rint|nearbyint|nextafter|fmod|fmin|fmax|hypot|sin|cos|tan|a?sin|acos|atan2?|ldexp|frexp|copysign|__isinf|__isnan|__finite|__float(un)?tidf)$' |
	    grep -vE '^(inet_pton|inet_ntop|qsort|__assert_fail|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_)$' \
	    >"$tmp/faults"
	verdict "$what"
fi

# A function of a higher room can be declared in a lower one.
what="no object uses a symbol of a room above its own"
if [ ! -f "$builddir/assay-fcgi" ]; then
	skip "$what" "the pool is not built"
elif have nm "$what"; then
	sed -n 's/^	\(fcgi\/.*\.\)c\>.*/\1o/p' fcgi/files.am |
	    (cd "$builddir" && xargs nm -A libcore.a libassay.a) 2>/dev/null |
	    awk -v rooms="libcore|libassay|$rooms" '
		BEGIN { n = split(rooms, name, "|") }
		{
			split($1, part, /[\/.]/)
			room = part[1] == "fcgi" ? part[2] : part[1]
			if ($2 == "U") wanted[room, $3]
			else if ($2 ~ /[A-Z]/) home[$3] = room
		}
		END {
			for (i = 1; i <= n; i++) rank[name[i]] = i
			for (s in home) seen[home[s]]
			for (room in rank)
				if (!(room in seen)) print room " defines nothing"
			for (s in home)
				for (room in rank)
					if (rank[room] < rank[home[s]] && (room, s) in wanted)
						print room " uses " s " of " home[s]
		}' >"$tmp/faults"
	verdict "$what"
fi

what="clang-format 14 has nothing to change"
format=clang-format-14
command -v "$format" >/dev/null || format=clang-format
if have "$format" "$what"; then
	case $("$format" --version) in
	*"version 14."*)
		xargs "$format" --dry-run -Werror <"$tmp/c" 2>"$tmp/faults"
		verdict "$what"
		;;
	*)
		skip "$what" "only another version is here"
		;;
	esac
fi

# Manuals: well-formed, and complete against the tables.
what="the manuals are well-formed"
if have mandoc "$what"; then
	# Pages with a template are in the build folder, but for the one of the API.
	perl man/assay-api.pl docs/openapi.json man/assay-api.7.in \
	    >"$tmp/assay-api.7" 2>"$tmp/faults"
	{
		grep -E '^man/.*\.[0-9](\.in)?$' "$tmp/files" | grep -v assay-api |
		    sed "s,^\(.*\)\.in\$,$builddir/\1,"
		echo "$tmp/assay-api.7"
	} | xargs -r mandoc -Tlint -Wwarning >>"$tmp/faults" 2>&1
	verdict "$what"
fi

# wants PAGE WHAT: each line of standard input must be in it, word by word.
wants() {
	page=man/$1
	[ ! -f "$page.in" ] || page=$builddir/$page
	if [ ! -f "$page" ]; then
		lacks "$2" "$page is not made yet"
		return
	fi
	have mandoc "$2" || return
	mandoc -Tascii "$page" | sed "s/.$(printf '\b')//g" |
	    tr -s '[:space:]' ' ' >"$tmp/page"
	while read -r words; do
		grep -qF -- "$words" "$tmp/page" || echo "missing: $words"
	done >"$tmp/faults"
	verdict "$2"
}

# rows MACRO FILE FIELD: print a field of each row of a table: the field of that
# number between double quotes, or the first argument for 0.
rows() {
	[ ! -f "$2" ] || awk -F '"' -v macro="$1" -v field="$3" '
		index($0, macro "(") != 1 { next }
		field == 0 {
			sub(/^[^(]*\(/, "")
			sub(/,.*/, "")
			print
			next
		}
		{ print $(2 * field) }' "$2"
}

# An error that nginx answers instead of the pool reads like the pool's.  403 is
# about the address of the client, not about its role.
sed -n 's/^CODE(\([A-Z_]*\), \([0-9]*\), "\(.*\)")$/\2 \1 \3/p' \
    core/base/codes.tbl | LC_ALL=C sort >"$tmp/codes"
sed -n 's/^	\([a-z0-9]*\) .*"code":"\([A-Z_]*\)","message":"\(.*\)"}.;$/\1 \2 \3/p' \
    nginx/assay.conf.in |
    sed 's/^default UNAVAILABLE/503 UNAVAILABLE/; s/^default/400/' | grep -v '^403 ' |
    LC_ALL=C sort >"$tmp/rows"
while read -r status code text; do
	grep -q "^$status $code " "$tmp/codes" || continue
	grep -qxF "$status $code $text" "$tmp/codes" ||
	    echo "$status $code: core/base/codes.tbl does not say: $text"
done <"$tmp/rows" >"$tmp/faults"
[ -s "$tmp/rows" ] || echo "nginx/assay.conf.in has no error" >"$tmp/faults"
verdict "nginx answers errors with the texts of core/base/codes.tbl"

# The limits of the site: in rows of a list, ".It Li zone Ta rate Ta burst" and
# ".It Li size".
nginx/render loopback nginx/assay.conf.in LOG_DIR=l DECIDE_SOCKET=d \
    OPERATOR_SOCKET=o | sed -n \
    's/.*zone=assay_\([a-z]*\):.* rate=\([0-9]*\)r.*/\1 \2/p
    s/.* zone=assay_\([a-z]*\) burst=\([0-9]*\) .*/\1 \2/p
    s/.*client_max_body_size \([0-9]*\)k;/body \1/p' | LC_ALL=C sort -u \
    >"$tmp/rows"
sed -n 's/^\.It Li \([a-z]*\) Ta \([0-9]*\) Ta \([0-9]*\) Ta .*/\1 \2\n\1 \3/p
    s/^\.It Li \([0-9]*\) Ta .*/body \1/p' man/assay-fcgi.8 |
    LC_ALL=C sort -u | diff "$tmp/rows" - >"$tmp/faults"
verdict "assay-fcgi(8) has the limits of nginx/assay.conf.in"

# counts JOB: print the names of its counts, without a plural.
counts() {
	sed -n "s/^JOB($1, .*{ \(.*\) })\$/\1/p" cron/jobs.tbl | tr -d '" ' |
	    tr ',' '\n' | sed 's/s$//'
}
{
	sed -n 's/^ASYNC_RESULT([A-Z]*, "\(.*\)").*/\1/p' \
	    lib/shared/async_results.tbl
	sed -n 's/^RETAINED(\([A-Z_]*\),.*/\1/p' lib/shared/collections.tbl |
	    tr '[:upper:]' '[:lower:]' | sed 's/s$//'
	echo partition
} >"$tmp/rows"
{ counts decide && counts retain; } | diff "$tmp/rows" - >"$tmp/faults"
verdict "decide and retain count what async_results.tbl and collections.tbl have"
{
	rows METRIC lib/shared/metrics.tbl 1
	rows GAUGE lib/shared/gauges.tbl 1
	cat lib/*/*.c fcgi/*/*.c | grep -oE '"engine_[a-z_]+"' | tr -d '"'
} | LC_ALL=C sort -u >"$tmp/metrics"
wants assay-api.7.in "assay-api(7) has every metric" <"$tmp/metrics"
{
	cat "$tmp/metrics"
	sed -n 's/^METRIC([A-Z_]*, "\(.*\)", HISTOGRAM,.*/\1_bucket\n\1_count\n\1_sum/p' \
	    lib/shared/metrics.tbl
	sed -n 's/^ *- record: //p' $rules
} | LC_ALL=C sort >"$tmp/rows"
grep -ohE '(engine_|assay:)[a-z0-9_:]+' $rules contrib/grafana/*.json |
    LC_ALL=C sort -u | LC_ALL=C comm -23 - "$tmp/rows" >"$tmp/faults"
verdict "rules and dashboards read metrics that exist"
rows CONF lib/conf/conf.tbl 0 >"$tmp/rows"
wants assay.5 "assay(5) has every setting" <"$tmp/rows"
{
	rows SIGNAL core/signal/signals.tbl 1
	rows SIGNAL core/signal/signals.tbl 2
} >"$tmp/rows"
wants assay-rules.5 "assay-rules(5) has every signal, with its meaning" \
    <"$tmp/rows"
# The entry of a check has its limits, too.
# shellcheck disable=SC2016 # this is Perl
perl -0777 -e 'my ($table, $page) = map { open my $f, "<", $_; <$f> } @ARGV;
	my %entry = $page =~ /^\.It Li (\w+)\n(.*?)(?=^\.(?:It|El))/gms;
	while ($table =~ /^(?:HOST|SERVER)_CHECK\(\w+, "(\w+)",(?: \w+,)? (\w+), (\w+), "/gm) {
		my ($name, @limits) = ($1, $2, $3);
		print "assayctl(8) lacks the check $name\n" if !$entry{$name};
		$_ eq "NEVER" || $entry{$name} =~ /\b$_\b/ or
		    print "assayctl(8) lacks the limit $_ of $name\n" for @limits;
	}' ctl/doctor/doctor_checks.tbl man/assayctl.8 >"$tmp/faults" 2>&1
verdict "assayctl(8) has each check of assayctl doctor, with its limits"
rows SIGNAL core/signal/signals.tbl 1 | while read -r signal; do
	grep -qF " $signal " t/rules/every-signal.rule ||
	    echo "t/rules/every-signal.rule lacks $signal"
done >"$tmp/faults"
verdict "t/rules/every-signal.rule reads every signal"

for release in t/compat/[0-9]*; do
	rows SIGNAL core/signal/signals.tbl 1 |
	    head -n "$(wc -l <"$release/signals.txt")" |
	    diff "$release/signals.txt" - || echo "$release/signals.txt differs"
done >"$tmp/faults" 2>&1
verdict "the signals of each release keep their places in samples"

# Workers of two releases share the active model.  By the version of the features
# a worker knows whether the model fits its own.
vector="version $(sed -n 's/^#define FEATURES_VERSION \([0-9]*\).*/\1/p' \
    core/signal/features.h) have the cksum $(sed -n '/^FEATURE(/p' \
    core/signal/features.tbl | cksum | cut -d ' ' -f 1)"
grep -qF " * Those of $vector." core/signal/features.tbl ||
    echo "core/signal/features.tbl does not say: Those of $vector." >"$tmp/faults"
verdict "no feature changes without FEATURES_VERSION"

# docs/UPGRADE.md has the migrations of each release and their checksum.
sed -n 's/^- \*\*Migrations\*\*: \([0-9]*\) to \([0-9]*\), cksum \([0-9]*\),.*/\1 \2 \3/p' \
    docs/UPGRADE.md | while read -r first last sum; do
	printf '%s\n' sql/migrations/* | awk -F / -v "first=$first" \
	    -v "last=$last" 'substr($3, 1, 4) >= first && substr($3, 1, 4) <= last' |
	    xargs cat | cksum | grep -q "^$sum " ||
	    echo "a migration of $first to $last has changed"
done >"$tmp/faults"
grep -q '^- \*\*Migrations\*\*: 0001 to .*, cksum' docs/UPGRADE.md ||
    echo "docs/UPGRADE.md has no checksum" >>"$tmp/faults"
verdict "no migration of a release has changed"

# In the map a line at four blanks names folders of the tree, one at six blanks those
# inside the folder above.  A release has no .ci.
awk '/^Includes go one way/ { exit }
	/^    / {
		top = /^     / ? room : ""
		for (i = 1; i <= NF && $i ~ /\/$/; i++)
			print top $i
		if (top == "")
			room = $1
	}' ARCHITECTURE.md | LC_ALL=C sort >"$tmp/want"
awk -F / 'NF > 1 { print $1 "/" }
	NF > 2 && /^(core|lib|fcgi|cron|ctl|sql|console)\// { print $1 "/" $2 "/" }' \
    "$tmp/files" | LC_ALL=C sort -u >"$tmp/got"
{
	LC_ALL=C comm -13 "$tmp/want" "$tmp/got" | sed 's/^/ARCHITECTURE.md lacks /'
	LC_ALL=C comm -23 "$tmp/want" "$tmp/got" | grep -vx '\.ci/' | while read -r folder; do
		[ -d "$folder" ] || echo "there is no $folder"
	done
	LC_ALL=C uniq -d "$tmp/want" | sed 's/^/ARCHITECTURE.md has twice /'
} >"$tmp/faults"
verdict "the map of ARCHITECTURE.md has each folder of the tree and of the rooms"

# A folder or file that these pages name exists.  A function in the walks of
# ARCHITECTURE.md is defined in the file beside it.
{
	sed -n 's/^    \([a-z]*\/[a-z_/]*\.[a-z]*\)  *\([a-z_0-9]\{2,\}\)  .*/\1 \2/p' \
	    ARCHITECTURE.md | while read -r file function; do
		case $file in
		*.sql) grep -q "function assay\.$function(" "$file" ;;
		*) grep -q "^$function(" "$file" ;;
		esac 2>/dev/null || echo "$file has no $function"
	done
	# shellcheck disable=SC2016 # these are backticks of Markdown
	grep -oE '`[a-z]+/[a-z_./-]+`' ARCHITECTURE.md CONTRIBUTING.md \
	    docs/GLOSSARY.md | sed 's/.*`\(.*\)`/\1/' | LC_ALL=C sort -u |
	    while read -r path; do
		case $path in
		sample/generate | t/fuzz/found/ | t/unit/unit) ;; # built, or made
		*) [ -e "$path" ] || echo "there is no $path" ;;
		esac
	    done
	# Comments, too.
	grep -E '\.([ch]|tbl|sql|awk|js)$' "$tmp/text" | grep -v '^t/' |
	    xargs grep -hoE '\<(core|lib|fcgi|cron|ctl)/[a-z_/]+\.(c|h|tbl)\>' |
	    LC_ALL=C sort -u | while read -r path; do
		[ -e "$path" ] || [ -e "$builddir/$path" ] || echo "there is no $path"
	    done
} >"$tmp/faults"
verdict "pages and comments name files and functions that exist"

# A scenario may send the request through a helper that it uses.
{
	echo t/http/lib.sh
	ls t/http/[0-9]*.sh
	sed -n 's/^use \([a-z_ ]*\)$/\1/p' t/http/*.sh | tr ' ' '\n' | sed 's/.*/t\/http\/&.sh/'
} | LC_ALL=C sort -u >"$tmp/scenarios"
# shellcheck disable=SC2016 # this is Perl
rows ROUTE fcgi/http/routes.tbl 1 | perl -e '
	@ARGV = split(" ", `cat "$ARGV[0]"`);
	my @routes = <STDIN>;
	my $all = do { local $/; join "", <> };
	for my $path (@routes) {
		chomp $path;
		my $pattern = $path =~ s/\{[A-Za-z]*\}/[^ "\n]+/gr;
		print "no scenario uses $path\n" if $all !~ m![ "]$pattern(?:[ "?]|$)!m;
	}' "$tmp/scenarios" >"$tmp/faults"
verdict "every route is in a scenario"

# For shellcheck every function may exist.  "as", "model" and "rules" are also
# words of SQL and of texts.
# shellcheck disable=SC2016 # this is Perl
perl -e '
	my (%of, %uses, %text);
	for my $file (@ARGV) {
		my ($name) = $file =~ m!([^/]+)\.sh$!;
		open my $f, "<", $file or die "$file: $!";
		$text{$name} = do { local $/; <$f> };
		push @{ $of{$1} }, $name
		    while $name =~ /^[a-z]/ && $text{$name} =~ /^(\w+)\(\)/gm;
		$uses{$name} = [ map { split } $text{$name} =~ /^use ([a-z_ ]+)$/gm ];
	}
	for my $name (grep { /^[0-9]/ } sort keys %text) {
		my %has = (lib => 1);
		my @more = @{ $uses{$name} };
		while (defined(my $used = shift @more)) {
			print "$name: there is no $used.sh\n" if !$text{$used};
			push @more, @{ $uses{$used} || [] } if !$has{$used}++;
		}
		my %own = map { $_ => 1 } $text{$name} =~ /^\s*(\w+)\(\)/gm;
		my %called = map { $_ => 1 } $text{$name} =~
		    /(?:^\t*|\$\(|&& |\|\| )(\w+)(?=[\s;)])/gm;
		for my $call (grep { $of{$_} && !$own{$_} &&
		    !/^(?:as|model|rules)$/ } sort keys %called) {
			print "$name: $call is of @{ $of{$call} }\n"
			    if !grep { $has{$_} } @{ $of{$call} };
		}
	}' t/http/*.sh >"$tmp/faults" 2>&1
verdict "a scenario uses the helpers whose functions it calls"

# A label of a scenario is a sentence that is true without its neighbours, and
# unique: at least three words, and none that points to the label before it.
# shellcheck disable=SC2016 # this is Perl
grep '^t/http/[0-9].*\.sh$' "$tmp/text" | xargs perl -ne '
	%seen = () if $. == 1;
	if (/^(?:.*(?:\|\||&&|;) )?\s*(ok|not_ok|check|is(?:_json|_error)?) "((?:[^"\\]|\\.)+)"/ &&
	    $2 !~ /^\$\d$/) {
		my ($act, $label, $at) = ($1, $2, "$ARGV:$.");
		print "$at: under three words: $label\n" if $label !~ /\S \S+ \S/;
		print "$at: needs the label before it: $label\n"
		    if $label =~ /^(?:and|but|n?or|also|so|its?|they|them|which|that|then|likewise|again|says|is|does)\b/;
		print "$at: twice in this file: $label\n"
		    if $act ne "not_ok" && $seen{$label}++;
	}
	close ARGV if eof' >"$tmp/faults"
verdict "labels of scenarios are sentences, each once in its file"

grep '^t/http/[0-9].*\.sh$' "$tmp/text" |
    xargs awk 'FNR == 151 { print FILENAME " has more lines" }' >"$tmp/faults"
verdict "no scenario has more than 150 lines"

# Code, tables, pictures and headings may be longer.
grep '\.md$' "$tmp/text" | xargs awk 'length > 80 && !/^(    |\||!\[|#)/ {
	print FILENAME ":" FNR }' >"$tmp/faults"
verdict "no line of prose in a page has more than 80 columns"

# A function ends with a line of its own, or with the expression that it returns.
# shellcheck disable=SC2016 # this is awk
grep '^sql/functions/' "$tmp/text" | xargs awk '
	/^create or replace function / { name = $5; start = FNR; expression = 0 }
	/^return / { expression = 1 }
	start && FNR == start + 60 {
		sub(/\(.*/, "", name)
		print FILENAME ": " name " has more lines"
	}
	/^(\$\$|end);$/ || expression && /;$/ { start = 0 }' >"$tmp/faults"
verdict "no function in sql/functions has more than 60 lines"

# sql/ has the columns of all files but those with SQL text, which call db_query().
cat sql/stmt.sql sql/*/*.sql | tr -cs 'a-z0-9_' '\n' | sort -u >"$tmp/sql_names"
# shellcheck disable=SC2016 # this is perl
xargs grep -L 'db_query(' <"$tmp/c" | xargs perl -0ne '
	print "$1\n" while /\brows_\w+\([^;"]*?,\s*"(\w+)"/g' | sort -u |
    comm -23 - "$tmp/sql_names" >"$tmp/faults"
verdict "each column that C reads is a name in sql/"

grep -vE '\.(tbl|md|csv|out|want|bad|rule|json|txt)$|^(LICENSE|CHANGES|\.gitignore|\.clang-format|debian/(changelog|copyright|source/format))' \
    "$tmp/text" | xargs awk '
	FNR <= 3 && /SPDX-License-Identifier: ISC/ { names[FILENAME] }
	END {
		for (i = 1; i < ARGC; i++)
			if (!(ARGV[i] in names))
				print ARGV[i]
	}' >"$tmp/faults"
verdict "every source names its licence"

# The version of a release.
version=$(sed -n 's/^AC_INIT(\[assay\], \[\([0-9.]*\)\].*/\1/p' configure.ac)
{
	sed -n '1s/^assay (\(.*\)) .*/debian\/changelog \1/p' debian/changelog
	sed -n '1,/"version"/s/.*"version": "\(.*\)".*/docs\/openapi.json \1/p' \
	    docs/openapi.json
	sed -n '1s/^\([0-9.]*\) .*/CHANGES \1/p' CHANGES
} >"$tmp/rows"
for file in debian/changelog docs/openapi.json CHANGES; do
	grep -qxF "$file $version" "$tmp/rows" ||
	    echo "$file does not have the version $version of configure.ac"
done >"$tmp/faults"
verdict "configure.ac, debian/changelog, docs/openapi.json and CHANGES agree"

# The bill of materials has each package of SOURCES, in the form of SPDX 2.3.
# shellcheck disable=SC2016 # this is Perl
perl -MMIME::Base64 -ne 'my ($name, $version, $licence, $hash) =
	    /^(\S+) (\S+) (\S+) sha512-(\S+)$/ or next;
	my $purl = "pkg:npm/" . ($name =~ s/@/%40/r) . "\@$version";
	print join(" ", $name, $version, $licence,
	    unpack("H*", decode_base64($hash)), $purl), "\n"' \
    third_party/*/SOURCES | LC_ALL=C sort >"$tmp/want"
# shellcheck disable=SC2016
tools/sbom 1.2.3 | perl -00 -ne 'my %of = /^(\w+): (.*)$/gm;
	push @faults, "no id of its own: $of{SPDXID}\n"
	    if $of{SPDXID} !~ /^SPDXRef-[A-Za-z0-9.-]+$/ || $seen{$of{SPDXID}}++;
	push @faults, "no tool with a version: $of{Creator}\n"
	    if $. == 1 && $of{Creator} !~ /^Tool: [a-z-]+-1\.2\.3$/;
	next if $. <= 2;
	push @faults, "not in the package: $of{SPDXID}\n"
	    if $of{Relationship} ne "SPDXRef-assay CONTAINS $of{SPDXID}";
	print join(" ", @of{"PackageName", "PackageVersion",
	    "PackageLicenseDeclared"}, $of{PackageChecksum} =~ s/^SHA512: //r,
	    $of{ExternalRef} =~ s/^PACKAGE-MANAGER purl //r), "\n";
	END { print @faults }' | LC_ALL=C sort | diff "$tmp/want" - >"$tmp/faults"
[ -s "$tmp/want" ] || echo "SOURCES names no package" >>"$tmp/faults"
verdict "the bill of materials has each package of third_party"

env -u MAKEFLAGS -u MFLAGS make -s -C "$builddir" distdir distdir="$tmp/release" \
    >"$tmp/release.log" 2>&1 || tail -n 5 "$tmp/release.log"
(cd "$tmp/release" && find . -type f) | sed 's,^\./,,' |
    grep -vE "$packaging" |
    LC_ALL=C sort >"$tmp/packed"
grep -vE '^(\.git|\.ci/)' "$tmp/files" | diff - "$tmp/packed" >"$tmp/faults"
verdict "a release has each file, and no other"

# A release is whole rooms, so it has also a file that nothing builds or installs.
grep -oE '[a-z]+(/[a-z0-9_-]+)+\.(c|[0-9])\>' -h Makefile.am ./*/files.am ./*/*/files.am |
    LC_ALL=C sort -u >"$tmp/rows"
sed -nE 's,^((core|lib|fcgi|cron|ctl|t|bench|sample)/.*\.c|man/.*\.[0-9])(\.in)?$,\1,p' \
    "$tmp/files" | grep -v '^t/fuzz/corpus/' | LC_ALL=C sort | LC_ALL=C comm -23 - "$tmp/rows" |
    sed 's/$/ is in no files.am, nor in Makefile.am/' >"$tmp/faults"
verdict "each compiled file and each manual page is a row of its room"

what="shellcheck finds nothing"
if have shellcheck "$what"; then
	# With -x it reads the libraries again for each scenario, most of its time.
	# Without, it does not know their variables; set -u finds a wrong one.
	grep -v '^t/http/[0-9]' "$tmp/scripts" |
	    xargs -n 50 shellcheck -x >"$tmp/faults" 2>&1
	shellcheck -e SC1090,SC1091,SC2034,SC2153,SC2154 t/http/[0-9]*.sh >>"$tmp/faults" 2>&1
	verdict "$what"
fi

what="ansible-lint finds nothing"
if have ansible-lint "$what"; then
	cp -R contrib/ansible "$tmp/ansible"
	(cd "$tmp/ansible" && ansible-lint --offline --nocolor -q site.yml) \
	    >"$tmp/faults" 2>&1 && : >"$tmp/faults"
	verdict "$what"
fi

what="nginx accepts its site"
if have nginx "$what" && have openssl "$what"; then
	mkdir "$tmp/nginx"
	openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=assay \
	    -keyout "$tmp/key" -out "$tmp/cert" 2>/dev/null
	for hops in 0 2; do
		for mode in loopback tls; do
			nginx/render "$mode" nginx/assay.conf.in \
			    TRUST_PROXY="$hops" SERVER_NAME=assay.example \
			    LISTEN="unix:$tmp/nginx/site" \
			    LISTEN_HTTP="unix:$tmp/nginx/plain" \
			    DECIDE_SOCKET="$tmp/d" OPERATOR_SOCKET="$tmp/o" \
			    CERTIFICATE="$tmp/cert" \
			    CERTIFICATE_KEY="$tmp/key" \
			    LOG_DIR="$tmp/nginx" >"$tmp/nginx/site.conf"
			nginx/render loopback nginx/main.conf.in \
			    RUN_DIR="$tmp/nginx" LOG_DIR="$tmp/nginx" \
			    SITE="$tmp/nginx/site.conf" \
			    >"$tmp/nginx/nginx.conf"
			rm -f "$tmp/nginx/site" "$tmp/nginx/plain"
			nginx -t -q -e "$tmp/nginx/log" \
			    -c "$tmp/nginx/nginx.conf" 2>&1 |
			    sed "s/^/$mode, TRUST_PROXY $hops: /"
		done
	done >"$tmp/faults"
	verdict "$what, for tls and loopback, with and without proxies"
fi

grep -vE '^t/(rules|sql)/' "$tmp/text" |
    xargs grep -nIE '[[:space:]]+$' >"$tmp/faults"
verdict "no white space at the end of a line"

# Plain words; t/words.pl lists what to avoid, and what to write instead.
what="comments, manuals and labels avoid the words of t/words.pl"
grep -vE '^(t/(rules|node/package)|third_party/|LICENSE)|\.(out|csv|want|bad|rule)$' \
    "$tmp/text" | perl t/words.pl >"$tmp/faults" 2>&1
verdict "$what"

xargs grep -nIE '(^|[^a-z.])(/[w]ork/|/[t]mp/wt|/[h]ome/[a-z]|/[r]oot/)' \
    <"$tmp/text" >"$tmp/faults"
verdict "no path of a developer's machine"

echo "1..$n"
[ "$failed" -eq 0 ]
