#!/bin/sh
# SPDX-License-Identifier: ISC
# assayctl migrate, admin and key on an empty PostgreSQL: what is applied
# once, what is refused, and two at the same time.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
# shellcheck source=tools/stack.sh
. "$srcdir/tools/stack.sh"
# shellcheck source=t/cluster.sh
. "$srcdir/t/cluster.sh"
# shellcheck source=t/program.sh
. "$srcdir/t/program.sh"
# shellcheck source=t/locks.sh
. "$srcdir/t/locks.sh"

if [ "${RUN_SERVICES:-}" != 1 ]; then
	echo "# skipped: needs PostgreSQL, RUN_SERVICES=1 runs it"
	exit 77
fi

cluster_guard

# ctl ARGUMENT ...: run assayctl; $status, and what it printed in out and err.
ctl() {
	"$builddir/assayctl" "$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
}
# prints_like PATTERN: the program printed a line that matches.
prints_like() { grep -q -e "$1" "$scratch/out" "$scratch/err"; }
sql() { cluster_psql postgres "${2:-assay}" -At -c "$1"; }

cluster_scratch
stack_pg_init "$scratch/pg"
stack_pg_start "$scratch/pg" "$scratch/run" "$scratch/log/postgres.log" \
    -c fsync=off
unset ADMIN_DATABASE_URL
DATABASE_URL="host=$scratch/run dbname=assay user=postgres"
export DATABASE_URL
cp -R "$srcdir/sql" "$scratch/sql"
chmod -R u+w "$scratch/sql"

ctl migrate --sql "$scratch/sql"
check "a missing database is named in the error" \
    prints_like 'database "assay" does not'
is "a missing database ends with 69" "$status" 69
sql 'create database assay' postgres

ctl migrate --sql "$scratch/sql" --status
check "status of an empty database shows every migration as pending" \
    prints_like '0001_configuration .*pending'
check "status does not mention skipped numbers without any" \
    eval "! prints_like 'never used'"
is "status changes nothing" \
    "$(sql "select count(*) from pg_namespace where nspname = 'assay'")" 0

# Two at once: one works, the other waits and then finds everything done.
"$builddir/assayctl" migrate --sql "$scratch/sql" >"$scratch/other" 2>&1 &
other=$!
ctl migrate --sql "$scratch/sql"
is "the first of two concurrent runs succeeds" "$status" 0
wait "$other"
status=$?
is "the second of two concurrent runs succeeds" "$status" 0
cat "$scratch/other" >>"$scratch/out"
check "each migration was applied once" [ \
    "$(grep -c '^applied 0001_configuration$' "$scratch/out")" -eq 1 ]
check "one of two concurrent runs has nothing to do" prints_like '^up to date$'

ctl migrate --sql "$scratch/sql"
check "a second run prints that the schema is up to date" \
    [ "$(cat "$scratch/out")" = "up to date" ]
is "every event type has its rules" \
    "$(sql "select count(*) from assay.ruleset_active
	where version = 'seed@v0.4'")" 7
is "every event type has its policy" \
    "$(sql "select count(*) from assay.policy_active")" 7
is "partitions reach 24 months ahead" \
    "$(sql "select count(*) from pg_inherits
	where inhparent = 'assay.verdict_log'::regclass")" 25
ctl migrate --sql "$scratch/sql" --status
check "status shows when a migration was applied" \
    prints_like '0001_configuration  *20..-..-..T'

# A seed fills what is missing, and only that.
sql "delete from assay.ruleset_active where event_type <> 'order.place';
    delete from assay.ruleset where event_type <> 'order.place'"
printf 'rule r { when event.amuont > 3 then score += 1, tag t }\n' \
    >"$scratch/sql/seed/rules/card.refund.rule"
ctl migrate --sql "$scratch/sql"
is "a bad seed is refused" "$status" 65
check "a bad seed is reported by file and line" \
    prints_like 'card.refund.rule:1:'
cp "$srcdir/sql/seed/rules/card.refund.rule" "$scratch/sql/seed/rules/"
ctl migrate --sql "$scratch/sql"
check "a missing ruleset is seeded" \
    prints_like 'seeded the rules of card.refund'
check "a present ruleset is not seeded" eval "! prints_like 'order.place'"

sql "delete from assay.policy_active where event_type = 'card.refund';
    delete from assay.policy where event_type = 'card.refund'"
echo '{"onError":"fail_open","bands":[]}' \
    >"$scratch/sql/seed/policies/card.refund.json"
ctl migrate --sql "$scratch/sql"
is "a bad policy is refused" "$status" 65
check "a bad policy is reported by its file" \
    prints_like 'card.refund.json.*bands'
cp "$srcdir/sql/seed/policies/card.refund.json" "$scratch/sql/seed/policies/"
ctl migrate --sql "$scratch/sql"
check "a missing policy is seeded" \
    prints_like 'seeded the policies of card.refund'
check "present policies are not seeded" eval "! prints_like 'card.capture'"

# A migration that fails changes nothing.
cat >"$scratch/sql/migrations/9998_bad.sql" <<'SQL'
create table assay.half (a int);
create table assay.half (a int);
SQL
ctl migrate --sql "$scratch/sql"
is "a failing migration ends with 70" "$status" 70
check "a failing migration is reported by file with the server's words" \
    prints_like '9998_bad.sql: .*already exists'
is "a failing migration leaves no table" \
    "$(sql "select to_regclass('assay.half')")" ''
echo 'create table assay.whole (a int);' >"$scratch/sql/migrations/9998_bad.sql"
ctl migrate --sql "$scratch/sql"
check "a corrected migration is applied" prints_like '^applied 9998_bad$'
ctl migrate --sql "$scratch/sql" --status
check "status explains the skipped numbers" \
    prints_like 'the missing numbers were never used'

# others_lock MODE: another session holds the tables of decisions in this mode
# until others_leave.
others_lock() {
	rm -f "$scratch/reader"
	mkfifo "$scratch/reader"
	cluster_psql postgres assay <"$scratch/reader" >/dev/null &
	exec 8>"$scratch/reader"
	echo "begin; lock table assay.idempotency, assay.verdict_log,
	    assay.decision_detail, assay.review_case, assay.case_trail, assay.label,
	    assay.alert_channel, assay.analytics_cursor, assay.async_queue,
	    assay.user_state, assay.entity, assay.entity_link
	    in $1 mode;" >&8
	counted=0
	until [ "$(sql "select count(*) from pg_locks where granted
	    and relation = 'assay.entity_link'::regclass")" = 1 ] ||
	    [ "$counted" -eq 100 ]; do
		counted=$((counted + 1))
		sleep 0.1
	done
}
others_leave() {
	echo 'commit;' >&8
	exec 8>&-
}

# A run that changes no table does not wait for writers.
others_lock "row exclusive"
ctl migrate --sql "$scratch/sql" --wait 0
is "a run with nothing to do ends during decisions" "$status" 0
check "a run with nothing to do prints so during decisions" \
    [ "$(cat "$scratch/out")" = "up to date" ]
ctl migrate --sql "$scratch/sql" --wait 0 --again
check "all functions are created again during decisions" \
    prints_like '^created the functions of'
echo '-- changed' >>"$scratch/sql/functions/audit.sql"
ctl migrate --sql "$scratch/sql" --wait 0
check "changed functions are created during decisions" \
    prints_like '^created the functions of'
ctl migrate --sql "$scratch/sql" --wait 0
check "changed functions are created once" \
    [ "$(cat "$scratch/out")" = "up to date" ]
for n in 1 2 3 4; do
	"$builddir/assayctl" migrate --sql "$scratch/sql" --again \
	    >"$scratch/many.$n" 2>&1 &
	eval "many_$n=$!"
done
status=0
for n in 1 2 3 4; do
	eval "wait \$many_$n" || status=$?
done
is "four concurrent runs succeed during decisions" "$status" 0
others_leave

# A migration that changes a table does not wait for ever.
echo 'alter table assay.decision_detail add column wide int;' \
    >"$scratch/sql/migrations/9999_wide.sql"
others_lock "access share"
ctl migrate --sql "$scratch/sql" --wait 1
is "a table in use for longer than --wait ends the run" "$status" 75
check "a run that ends after --wait gives the reason" \
    prints_like 'run the command again'
is "a run that ends after --wait applies nothing" \
    "$(sql "select count(*)
    from assay.migration where number = 9999")" 0

# A migration waits for a long reader, and no other session waits behind it.
"$builddir/assayctl" migrate --sql "$scratch/sql" --wait 300 \
    >"$scratch/other" 2>&1 &
other=$!
check "a waiting run prints that it waits" stack_until 60 "$other" \
    grep -q 'for another session' "$scratch/other"
check "a waiting run does not block decisions" \
    sql "set lock_timeout = '1500ms'; begin;
    lock table assay.decision_detail in row exclusive mode; commit"
others_leave
wait "$other"
status=$?
is "a waiting run continues when the other session ends" "$status" 0
rm "$scratch/sql/migrations/9999_wide.sql"
sql "delete from assay.migration where number = 9999;
    alter table assay.decision_detail drop column wide"

# History is not rewritten.
echo '-- afterthought' >>"$scratch/sql/migrations/9998_bad.sql"
ctl migrate --sql "$scratch/sql"
check "a changed file is refused" prints_like '9998_bad.sql: has changed'
check "the refusal of a changed file says what to do" \
    prints_like 'restore it, or create a database of an unreleased build again$'
is "a changed file ends with 65" "$status" 65
rm "$scratch/sql/migrations/9998_bad.sql"
ctl migrate --sql "$scratch/sql"
check "a newer database is refused" prints_like '9998_bad: .*use a newer'
sql "delete from assay.migration where number = 9998"

# Two later migrations.  The database is at the first one, and a function reads
# the table that the second one replaces.
sql 'create database older' postgres
cp -R "$scratch/sql" "$scratch/older"
echo 'create table assay.parcel (weight int);' \
    >"$scratch/older/migrations/9996_parcel.sql"
cat >"$scratch/older/functions/parcel.sql" <<'SQL'
create or replace function assay.parcels() returns bigint language sql
    begin atomic select count(*) from assay.parcel; end;
SQL
cp -R "$scratch/older" "$scratch/newer"
cat >"$scratch/newer/migrations/9997_shipment.sql" <<'SQL'
create table assay.shipment (weight int);
insert into assay.shipment select weight from assay.parcel;
drop function if exists assay.parcels();
drop table assay.parcel;
SQL
cat >"$scratch/newer/functions/parcel.sql" <<'SQL'
create or replace function assay.parcels() returns bigint language sql
    begin atomic select count(*) from assay.shipment; end;
SQL
newest=$DATABASE_URL
DATABASE_URL="host=$scratch/run dbname=older user=postgres"
ctl migrate --sql "$scratch/older"
check "the older program applies the first migration" \
    prints_like '^applied 9996_parcel$'
sql 'insert into assay.parcel values (1), (2)' older
ctl migrate --sql "$scratch/newer"
check "the newer program applies the second migration alone" [ \
    "$(grep '^applied' "$scratch/out")" = 'applied 9997_shipment' ]
is "the newer program brings the older database up to date" "$status" 0
check "a function of the newer program reads the new table" [ \
    "$(sql 'select assay.parcels()' older)" = 2 ]
check "the audit trail records the migration" [ "$(sql "select params::json
    from assay.audit where action like '%migrate'" older)" = \
    '{"from":"9996_parcel","to":"9997_shipment"}' ]
ctl migrate --sql "$scratch/older"
check "the older program refuses the newer database" \
    prints_like '9997_shipment: .*use a newer'

# A migration after which this program must not use the database.
echo 'update assay.schema_state set required_migration = 9999;' \
    >"$scratch/newer/migrations/9999_break.sql"
ctl migrate --sql "$scratch/newer"
check "a migration that needs a newer program is applied" \
    prints_like '^applied 9999_break$'
check "this program stops after that migration" \
    prints_like 'needs a newer program'
ctl key list
check "this program refuses the database" prints_like 'needs a newer program'
check "the refusal is an error" [ "$status" -ne 0 ]
DATABASE_URL=$newest
sql 'drop database older' postgres

# The locks of statements are found.
sql 'alter table assay.review_case add constraint later check (score < 900) not valid'
n=0
while IFS='|' read -r did want; do
	n=$((n + 1))
	echo "$did" >"$scratch/migration.sql"
	is "the locks of migration $n are found" "$(locks_of "$scratch/migration.sql" assay |
	    sed 's/^-- locks: //' | paste -sd ,)" "$want"
done <<'END'
create table assay.parcel (a int);|nothing
alter table assay.spool_host add column a int not null default 7;|spool_host all moment
alter table assay.spool_host add column a int default random();|spool_host all rewrite
alter table assay.spool_file alter column drained type text;|spool_file all rewrite
create index on assay.verdict_log (score);|verdict_log writes index
alter table assay.review_case add check (score < 9);|review_case all scan
alter table assay.review_case add check (score < 9) not valid;|review_case all moment
alter table assay.review_case validate constraint later;|review_case nothing scan
reindex table assay.review_case;|review_case all index
create unique index on assay.operator (role, email);|operator writes index
alter table assay.saved_view add foreign key (owner) references assay.operator;|operator writes moment,saved_view writes scan
select from assay.operator for update;|operator rows scan
drop view assay.analytics_fact cascade;|analytics_fact all moment
alter table assay.operator add x int; create table assay.parcel as select id from assay.review_case;|operator all moment,review_case nothing scan
alter table assay.review_case alter column assigned_to set not null;|review_case all scan
create table assay.parcel (a text references assay.review_case);|review_case writes moment
update assay.operator set role = role;|operator rows rows
drop table assay.spool_file;|spool_file all moment
END

printf '%s\n' '-- locks: review_case writes index' '-- locks: operator all moment' \
    'create index on assay.review_case (score);' >"$scratch/migration.sql"
is "a migration may say more than it locks" \
    "$(locks_hidden "$scratch/migration.sql" assay)" ""
printf '%s\n' '-- locks: review_case writes moment' \
    'create index on assay.review_case (score);' >"$scratch/migration.sql"
is "a migration that says less than it locks is found" \
    "$(locks_hidden "$scratch/migration.sql" assay)" \
    "migration.sql: -- locks: review_case writes index"
is "each migration after those of 0.7.0 says what it locks" \
    "$(find "$srcdir/sql/migrations" -name '*.sql' ! -name '000*' \
	-exec grep -L '^-- locks: ' {} +)" ""

# What --check says before a migration.
ctl migrate --sql "$scratch/sql" --check
is "a check without a pending migration ends well" "$status $(head -n 1 "$scratch/out")" \
    "0 no migration is pending"
# pending LINE ...: a pending migration has these lines; check it.
pending() {
	printf '%s\n' "$@" >"$scratch/locks/migrations/1000_pending.sql"
	ctl migrate --sql "$scratch/locks" --check
}
cp -R "$scratch/sql" "$scratch/locks"
pending '-- locks: review_case writes index' 'create index assay.odd on assay.review_case (score);'
is "a check of small tables ends well" "$status $(sed -n 1,2p "$scratch/out")" \
    "0 1000_pending
    review_case: blocks writes while it builds an index, 0 MB, up to about 1 s"
is "a check changes nothing" "$(sql "select to_regclass('assay.odd')")" ''
sql "insert into assay.verdict_log (decided_at, id, event_id, event_type, verdict, score,
	reasons, policy_id, policy_version, correlation_id)
    select now(), 'vd_' || n, repeat('e', 1900), 'order.place', 'allow', 0, '[]', 'p', '1',
	'c' from generate_series(1, 20000) n"
pending '-- locks: verdict_log all rewrite'
is "a check of a large table ends with 65" "$status" 65
check "a check names the table, its size and the time" prints_like \
    '^    verdict_log: blocks reads and writes while it copies the table, [34][0-9] MB, up to about 3 s$'
check "a check says how long decisions wait" \
    prints_like '^    not safe: decisions may wait for up to about 3 s$'
pending '-- locks: verdict_log nothing rewrite'
is "work that blocks nothing is safe" "$status" 0
pending '-- locks: operator all moment' '-- locks: verdict_log nothing rewrite'
is "a lock of a moment beside long work is not safe" "$status" 65
pending '-- locks: operator all moment' '-- locks: parcel all rewrite'
is "a lock of a moment, and of a table to come, is safe" "$status" 0
check "a table to come is named" prints_like '^    parcel: is not there yet$'
pending 'select;' '-- required_migration stays'
is "a migration that does not say what it locks is not safe" "$status" 65
check "a check says that a migration says nothing" \
    prints_like '^    does not say what it locks: not safe$'
check "a comment does not stop older programs" eval "! prints_like 'older programs'"
pending '-- locks: nothing' 'update assay.schema_state set required_migration = 1000;'
check "a check says when older programs must stop" \
    prints_like '^    older programs refuse the database afterwards'
printf -- '-- locks: nothing' >"$scratch/locks/migrations/1000_pending.sql"
ctl migrate --sql "$scratch/locks" --check
is "a last line needs no end" "$status" 0
for line in 'operator' 'operator all' 'operator all moment rewrite' 'operator some moment' \
    'operator all work' 'nothing else'; do
	pending "-- locks: $line"
	is "the line '$line' is refused" "$status $(grep -c '1000_pending.sql: has a line' \
	    "$scratch/err")" "65 1"
done
sql 'truncate assay.verdict_log; alter table assay.review_case drop constraint later'

# Keys and admins.
ctl key create --scope decisions --expires-in-days 30 shop
check "a key is printed alone" grep -Eqx 'ak_live_[0-9a-f]{48}' "$scratch/out"
hash=$(tr -d '\n' <"$scratch/out" | sha256sum | cut -d ' ' -f 1)
is "a key is stored with its hash, scope and end" \
    "$(sql "select scopes,
	    round(extract(epoch from expires_at - now()) / 86400)
	from assay.service_key where encode(hash, 'hex') = '$hash'")" "1|30"
ctl key list
check "the list shows a new key" prints_like 'decisions .* shop$'
ctl key revoke "$(awk '/ shop$/ { print $1 }' "$scratch/out")"
is "a key is revoked" "$status" 0
ctl key list
check "the list shows a revoked key" prints_like 'revoked .* shop$'
ctl key revoke key_none
is "an unknown key is not revoked" "$status" 65
echo 'correct horse' >"$scratch/password"
ctl admin create Boss@Example.com <"$scratch/password"
is "an admin is created" \
    "$(sql "select email, role from assay.operator
	where password like '\$s1\$%'")" 'boss@example.com|admin'
ctl admin create boss@example.com <"$scratch/password"
is "an admin is not created twice" "$status" 65
echo short >"$scratch/password"
ctl admin create other@example.com <"$scratch/password"
is "an admin with a short password is refused" "$status" 65

# An owner that is not a superuser and may only create roles.
sql 'drop database assay' postgres
sql 'drop role assay_decide, assay_operator, assay_companion, assay_retain' \
    postgres
sql 'create role migrator login createrole' postgres
sql 'create database assay owner migrator' postgres
DATABASE_URL="host=$scratch/run dbname=assay user=migrator"
ctl migrate --sql "$scratch/sql"
is "an owner without further rights can migrate" "$status" 0
ctl migrate --sql "$scratch/sql"
check "such an owner can migrate again" prints_like '^up to date$'

conclude
