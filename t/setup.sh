#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl setup with a real PostgreSQL and nginx's own check: a first run, runs
# that are killed, another run, and all that it refuses.  The test has its own
# /etc, /run, /var and prefix in a mount namespace; nothing else sees them.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
# shellcheck source=tools/stack.sh
. "$srcdir/tools/stack.sh"
# shellcheck source=t/cluster.sh
. "$srcdir/t/cluster.sh"
# shellcheck source=t/program.sh
. "$srcdir/t/program.sh"

if [ "${RUN_SERVICES:-}" != 1 ]; then
	echo "# skipped: needs PostgreSQL and nginx, RUN_SERVICES=1 runs it"
	exit 77
fi
prefix=$(sed -n 's/^prefix = //p' "$builddir/Makefile")
needs "root and a mount namespace" unshare -m true
needs systemd-sysusers command -v systemd-sysusers
needs "a prefix other than /usr" [ "$prefix" != /usr ]
[ "${1:-}" = inside ] || builddir=$builddir exec unshare -m "$0" inside

# This test changes /etc and /run, so it goes on only in a namespace that the
# process that started it does not have, and only while each mount is there.
outer=$(readlink "/proc/$PPID/ns/mnt")
inner=$(readlink /proc/self/ns/mnt)
if [ "${outer:-$inner}" = "$inner" ]; then
	echo "t/setup.sh: no mount namespace of its own" >&2
	exit 99
fi
cluster_guard

# The directories of this test.
cluster_scratch
cp -a /etc "$scratch/etc" && mount --bind "$scratch/etc" /etc &&
    mkdir -p "$prefix" || exit 99
for dir in "$prefix" /run /var/lib /var/log; do
	mount -t tmpfs tmpfs "$dir" && mountpoint -q "$dir" &&
	    [ -z "$(ls -A "$dir")" ] || exit 99
done
: >"$scratch/etc/assay-t"
mountpoint -q /etc && rm /etc/assay-t || exit 99
mkdir /run/postgresql /var/lib/nginx /var/log/nginx
stack_own /run/postgresql
rm -rf /etc/credstore /etc/nginx/conf.d/assay.conf
sed -i '/^assay:/d' /etc/passwd /etc/shadow /etc/group /etc/gshadow
(cd "$builddir" && MAKEFLAGS='' make -s install) >"$scratch/install" 2>&1 ||
    cat "$scratch/install"
etc=$(sed -n 's/^settings=\(.*\)\/assay\.conf$/\1/p' "$builddir/ctl/setup")
PATH=$prefix/bin:$PATH

# setup ARGUMENT ...: run it with one line of input; $status, out and err.
password='correct horse battery'
setup() {
	printf '%s\n' "$password" | assayctl setup "$@" >"$scratch/out" \
	    2>"$scratch/err"
	status=$?
}
# refuses STATUS CODE: how the last setup ended.
refuses() {
	[ "$status" -eq "$1" ] && grep -q "^assayctl setup: $2: " "$scratch/err"
}
# made: print how many things the last setup made.
made() { grep -c '^made ' "$scratch/err"; }
# sql DATABASE QUERY: as the user postgres, with peer authentication.
sql() {
	# shellcheck disable=SC2086 # a command and its arguments
	(cd / && $stack_as psql -X -q -h /run/postgresql -U postgres -d "$1" -At -c "$2")
}
# new_cluster: an empty PostgreSQL with the logins of Debian's package.
new_cluster() {
	stack_end "$stack_pg_pid" INT
	rm -rf "$scratch/pg" "$scratch/first" /etc/credstore "$etc" \
	    /etc/nginx/conf.d/assay.conf
	# Its first line is a rule.
	if [ ! -d "$scratch/empty" ]; then
		stack_pg_init "$scratch/empty"
		sed -i '/^#/d; /^$/d; s/^\(local.*\)trust$/\1peer/' \
		    "$scratch/empty/pg_hba.conf"
	fi
	cp -a "$scratch/empty" "$scratch/pg"
	stack_pg_start "$scratch/pg" /run/postgresql "$scratch/log/postgres.log" \
	    -c fsync=off -c unix_socket_permissions=0777
}

setpriv --reuid=nobody --clear-groups "$prefix/bin/assayctl" setup \
    >"$scratch/out" 2>"$scratch/err"
status=$?
check "another user than root is refused" refuses 77 NOT_ROOT
setup
check "setup without PostgreSQL is refused" refuses 69 NO_POSTGRESQL
is "setup without PostgreSQL makes nothing" "$(made)" 0

new_cluster
setup --check --email boss@example.com
is "--check prints what a first run would make" \
    "$status $(grep -c '^would make ' "$scratch/err")" "0 17"
check "--check makes nothing" [ ! -e /etc/credstore ]
is "--check makes no database" \
    "$(sql postgres "select count(*) from pg_database where datname = 'assay'")" 0

# What is refused before anything is made.
exec 8>/run/assay-setup.lock
flock 8
setup 8>&-
exec 8>&-
check "a setup beside another is refused" refuses 75 BUSY
setup --server-name 'a;b'
check "a server name with other characters is refused" refuses 64 SERVER_NAME
setup --server-name 192.0.2.1
check "an address as server name is refused" refuses 64 SERVER_NAME
setup --operators-from 'all;'
check "wrong addresses of operators are refused" refuses 64 OPERATORS_FROM
setup --certificate "$scratch/a.pem"
check "a certificate without a key is refused" refuses 64 CERTIFICATE
setup --certificate a.pem --certificate-key a.key
check "a relative path of a certificate is refused" refuses 64 CERTIFICATE
setup --certificate "$scratch/a.pem" --certificate-key "$scratch/a.key"
check "a missing certificate is refused" refuses 66 CERTIFICATE
check "nothing is made for refused options" [ ! -e /etc/credstore ]
is "only root can open the lock" \
    "$(stat -c '%a %U' /run/assay-setup.lock)" "600 root"

# A first run, and another.
setup --email boss@example.com --server-name assay.example
is "a first run succeeds" "$status" 0
is "a first run prints only the API key to standard output" \
    "$(sed 's/^ak_live_[0-9a-f]\{32,\}$/key/' "$scratch/out")" key
is "a first run prints no secret in its messages" \
    "$(grep -cE "ak_live_|postgresql://|$password" "$scratch/err")" 0
is "only root can read the credentials" \
    "$(stat -c '%a %U' /etc/credstore /etc/credstore/* "$etc/tls/assay.key" |
    sort | uniq -c | tr -s ' ' | paste -sd ,)" " 6 600 root, 1 700 root"
check "the first settings have each setting as a comment" \
    cmp "$etc/assay.conf" "$prefix/share/assay/assay.conf"
is "the group of the programs can read the settings" \
    "$(stat -c '%a %U %G' "$etc/assay.conf")" "640 root assay"
is "the lines for the roles are the first of pg_hba.conf" \
    "$(cat "$prefix/share/assay/sql/pg_hba.conf" "$scratch/empty/pg_hba.conf")" \
    "$(cat "$scratch/pg/pg_hba.conf")"
is "pg_hba.conf keeps its owner and mode" \
    "$(stat -c '%a %U %G' "$scratch/pg/pg_hba.conf")" \
    "$(stat -c '%a %U %G' "$scratch/empty/pg_hba.conf")"
is "the certificate has the name of the service" "$(openssl x509 -noout \
    -in "$etc/tls/assay.pem" -ext subjectAltName | tail -n 1 | tr -d ' ')" \
    DNS:assay.example
check "the pool accepts the settings and the credentials" \
    "$prefix/sbin/assay-fcgi" -n -c "$etc/assay.conf"
is "the first admin has the given email" \
    "$(sql assay 'select email, role from assay.operator')" "boss@example.com|admin"
is "the printed key is the key in the database" \
    "$(sql assay 'select prefix from assay.service_key')" \
    "$(cut -c 1-16 "$scratch/out")"
rm -rf "$scratch/before"
cp -a /etc "$scratch/before"
cp "$scratch/pg/pg_hba.conf" "$scratch/before.hba"
PGHOST=/nowhere PGPORT=1 setup
is "another run succeeds" "$status" 0
is "another run makes nothing" "$(made) $(wc -c <"$scratch/out")" "0 0"
check "another run changes no file" \
    diff -r --no-dereference /etc "$scratch/before"
check "another run does not change pg_hba.conf" \
    cmp "$scratch/pg/pg_hba.conf" "$scratch/before.hba"
rm /etc/credstore/assay.AUTH_SECRET
setup
is "a run makes only what is missing" "$status $(made)" "0 1"
sleep 1.1
touch "$scratch/pg/pg_hba.conf"
setup
is "a changed pg_hba.conf is only read again" "$status $(grep '^made ' \
    "$scratch/err")" "0 made   PostgreSQL read pg_hba.conf again"
echo 'broken' >>/etc/nginx/conf.d/assay.conf
setup
check "a site that nginx refuses is reported" refuses 1 FAILED

# Killed with all its processes after two steps, until a run reaches the end.  A psql
# and an openssl of this test hold each run there: every other time before their own
# work, and after it.
new_cluster
mkdir -m 1777 "$scratch/held"
for program in psql openssl; do
	cat >"$prefix/bin/$program" <<EOF
#!/bin/sh
hold() { : >"$scratch/held/\$1" && exec sleep 1000; }
made=\$(grep -c '^made ' "$scratch/err")
[ "\$made" -lt 2 ] || [ "\$HOLD" != before ] || hold before
"/usr/bin/$program" "\$@" || exit
[ "\$made" -lt 2 ] || [ "\$HOLD" != after ] || hold after
EOF
	chmod 755 "$prefix/bin/$program"
done
: >"$scratch/keys"
kills=0
# held: the run is held, or has ended by itself.
held() { [ -e "$scratch/held/$HOLD" ] || stack_gone "$run"; }
export HOLD=before
while [ "$kills" -lt 20 ]; do
	: >"$scratch/err"
	rm -f "$scratch/held"/*
	printf '%s\n' "$password" | setsid "$prefix/bin/assayctl" setup \
	    >>"$scratch/keys" 2>"$scratch/err" &
	run=$!
	stack_until 60 0 held
	! stack_gone "$run" || break
	kill -s KILL -- "-$run"
	wait "$run" 2>/dev/null
	kills=$((kills + 1))
	if [ "$HOLD" = before ]; then HOLD=after; else HOLD=before; fi
done
check "runs that are killed reach the end" wait "$run"
check "at least five runs are killed" [ "$kills" -ge 5 ]
unset HOLD
rm "$prefix/bin/psql" "$prefix/bin/openssl"
is "killed runs make one key and print it" "$(grep -c '^ak_live_' "$scratch/keys")" 1
setup
is "a run after killed runs has nothing to make" "$status $(made)" "0 0"

# On a terminal: questions with defaults, and a password that is not shown.
# openssl fails, and createdb fails after it has made the database.
new_cluster
# shellcheck disable=SC2016 # the scripts expand it
printf '#!/bin/sh\n/usr/bin/createdb "$@"\nexit 1\n' >"$prefix/bin/createdb"
# shellcheck disable=SC2016
printf '#!/bin/sh\n[ $1 = rand ] && exec /usr/bin/openssl "$@"
    echo no entropy >&2\nexit 1\n' >"$prefix/bin/openssl"
chmod 755 "$prefix/bin/createdb" "$prefix/bin/openssl"
mkfifo "$scratch/typed"
script -qfec "sh -c 'assayctl setup; echo ended \$?'" \
    "$scratch/seen" <"$scratch/typed" >/dev/null 2>&1 &
terminal=$!
exec 7>"$scratch/typed"
seen() { grep -q -e "$1" "$scratch/seen" 2>/dev/null; }
# answer PROMPT LINE: wait for the prompt and type the line.
answer() { stack_until 60 "$terminal" seen "$1" && echo "$2" >&7; }
answer 'Email of the first admin \[admin@' boss@example.com
answer 'Name of the service in its address \[' ''
answer 'File of the certificate \[' ''
answer 'File of its key \[' ''
answer 'Addresses of operators \[' 10.0.0.0/8
answer Password: "$password"
stack_until 60 "$terminal" seen '^ended '
exec 7>&-
wait "$terminal"
is "the terminal does not show the typed password" \
    "$(grep -c "$password" "$scratch/seen")" 0
check "the typed email is the first admin's" \
    [ "$(sql assay 'select email from assay.operator')" = boss@example.com ]
check "a database that was made after all is used" seen '^made   the database assay'
check "the cause is printed if openssl fails" seen '^no entropy'
check "a failure of openssl ends setup" seen '^assayctl setup: FAILED: '
rm "$prefix/bin/createdb" "$prefix/bin/openssl"
echo 'broken' >/etc/nginx/conf.d/other.conf
setup
check "a site is refused if nginx refuses its configuration" refuses 1 FAILED
check "the refused site is removed" [ ! -e /etc/nginx/conf.d/assay.conf ]
rm /etc/nginx/conf.d/other.conf
setup
is "a run after the refusals makes the rest" "$status $(made)" "0 2"
is "a certificate of setup is kept" "$(grep -c '^found .*assay.pem' "$scratch/err")" 1

# What belongs to others.
new_cluster
password=short
setup
check "a short password is refused" refuses 65 FAILED
password='correct horse battery'
setup
is "a run with a longer password succeeds" "$status" 0
echo 'postgresql://db.example/assay' >/etc/credstore/assay.DATABASE_URL
setup
check "a connection string of the operator is refused" refuses 77 FOREIGN_SETTING
rm /etc/credstore/assay.DATABASE_URL
setup
check "a password of an unknown role is refused" refuses 77 FOREIGN_ROLE
setup --new-passwords
is "--new-passwords replaces a lost password" "$status $(made)" "0 2"
sql postgres "alter role assay_decide password 'other'"
setup
check "a password that does not fit is reported" refuses 77 LOGIN
setup --new-passwords
is "--new-passwords keeps the passwords that fit" "$status $(made)" "0 1"
new_cluster
sql postgres 'create database assay'
sql assay 'create table public.shop ()'
setup
check "the database of another program is refused" refuses 77 FOREIGN_DATABASE
sql assay 'drop table public.shop; create role other; create schema assay authorization other'
setup
check "the schema of another owner is refused" refuses 77 FOREIGN_DATABASE
check "nothing is made for a refused database" [ ! -e /etc/credstore ]
sql assay 'drop schema assay; create extension pg_stat_statements'
setup
is "a database with only an extension is used" "$status $(grep -c '^found  the database' "$scratch/err")" "0 1"
conclude
