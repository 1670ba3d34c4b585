#!/bin/sh
# SPDX-License-Identifier: ISC
# The audit trail has what is done without a token too, no role of a program
# can forge it, and what the owner of the database changes in it shows.
# shellcheck source=t/http/lib.sh
. "$(dirname "$0")/lib.sh"

url="host=$scratch/run dbname=assay user="

# ctl ARGUMENT ...: assayctl as the owner; the status is in STATUS.
ctl() {
	ADMIN_DATABASE_URL="${url}postgres" "$builddir/assayctl" "$@" \
	    >"$scratch/out" 2>"$scratch/err"
	STATUS=$?
}
# shellcheck disable=SC2317
says() { grep -qF -e "$1" "$scratch/out"; }

# entries WHERE: actor, role, action, status and params of these, by number.
entries() {
	sql "select actor, role, action, status, params from assay.audit
	    where $1 order by number"
}

# login EMAIL PASSWORD [ADDRESS]
login() {
	http POST /v1/auth/login "{\"email\":\"$1\",\"password\":\"$2\"}"
}

# seal: until everything is sealed.
seal() {
	until [ "$(sql "select sealed from assay.audit_seal_next(0, ${1-1000})")" = 0 ]; do
		:
	done
}

start_stack RATE_LIMIT_LOGIN_PER_MIN=1000
admin_token
user=$(id -un)

# Registration and logins.
is "registration is in the trail" "$(entries "action like '%register'")" \
    "admin@example.com|admin|POST /v1/auth/register|201|{}"
login admin@example.com "correct horse"
is "an admin logs in" "$STATUS" 200
is "which is in the trail" "$(entries "action like '%login'")" \
    "admin@example.com|admin|POST /v1/auth/login|200|{}"
http GET '/v1/audit?limit=1'
is_json "and in the answer" '.entries[0] | "\(.actor) \(.role) \(.action)"' \
    "admin@example.com admin POST /v1/auth/login"
login admin@example.com "wrong horse"
is_error "a wrong password" 401 INVALID_CREDENTIALS
login nobody@example.com "wrong horse"
is_error "an email of none" 401 INVALID_CREDENTIALS
login nobody2@example.com "wrong horse"
is_error "another" 401 INVALID_CREDENTIALS
is "a failed login is in the trail by a pseudonym, emails of none as one" \
    "$(entries 'status = 401' | sed 's/account:[0-9a-f]\{16\}/account:HEX/')" \
    'account:HEX|none|POST /v1/auth/login|401|{"failures" : 1}
account:unknown|none|POST /v1/auth/login|401|{"failures" : 1}'
login admin@example.com "wrong horse"
is_error "again" 401 INVALID_CREDENTIALS
is "the log names each failure by the pseudonym of its account" "$(grep -o \
    'login=refused account=[0-9a-f]* client=[0-9a-f]*' "$scratch/log/pool.log" |
    cut -d ' ' -f 2 | sort | uniq -c | awk '{ print $1 }' | sort | xargs)" "1 1 2"
is "which is that of the trail" "$(sql "select count(*) from assay.audit
    where actor = 'account:$(grep -o 'login=refused account=[0-9a-f]*' \
    "$scratch/log/pool.log" | head -1 | cut -d = -f 3)'")" 1
sql "update assay.login_burst set failures = 9" >/dev/null
for n in 1 2 3; do
	sql "select assay.audit_login_failed('x$n@example.com',
	    '0123456789abcdef')" >/dev/null
done
is "many are the entry of the first, the tenth and so on" "$(entries "
    actor = 'account:unknown'" | cut -d '|' -f 5 | xargs)" \
    '{failures : 1} {failures : 10}'

# Acts on the database.
seen=$(sql 'select max(number) from assay.audit')
ctl key create 'till 7'
is "assayctl makes a key" "$STATUS" 0
key=$(sql "select id from assay.service_key where name = 'till 7'")
ctl key revoke "$key"
is "and revokes it" "$STATUS" 0
ctl key revoke key_none
is "but none that there is not" "$STATUS" 65
echo 'correct horse' | ADMIN_DATABASE_URL="${url}postgres" \
    "$builddir/assayctl" admin create second@example.com >/dev/null
ctl models publish "$srcdir/t/http/none.json"
is "a model that is none is not published" "$STATUS" 65
ctl models rollback bundled
is "the bundled model serves again" "$STATUS" 0
is "what assayctl did to the database is in the trail" \
    "$(entries "number > $seen")" \
    "assayctl:$user|owner|assayctl key create|200|{\"id\":\"$key\",\"name\":\"till 7\"}
assayctl:$user|owner|assayctl key revoke|200|{\"id\":\"$key\"}
assayctl:$user|owner|assayctl admin create|200|{\"email\":\"second@example.com\"}
assayctl:$user|owner|assayctl models rollback|200|{\"origin\":\"bundled\"}"
sql 'alter table assay.audit add constraint never check (status <> 200)
    not valid' >/dev/null
ctl key create unheard
check "an act that cannot be noted" [ "$STATUS" -ne 0 ]
is "is not done" "$(sql "select count(*) from assay.service_key
    where name = 'unheard'")" 0
login admin@example.com "correct horse"
is "nor is a login" "$STATUS" 500
sql 'alter table assay.audit drop constraint never' >/dev/null

# What the operator role may not.
# may_not WHAT SQL
may_not() {
	is "the operator role may not $1" "$(cluster_psql assay_operator assay \
	    -Atc "$2" 2>&1 | grep -oE 'permission denied|no entry|no pseudonym')" \
	    "${3-permission denied}"
}
may_not "write an entry" "insert into assay.audit (id, actor, role, action,
    status, params) values ('aud_x', 'a', 'admin', 'POST /', 200, '{}')"
may_not "choose the time of one" "select assay.audit_write('a', 'admin',
    'POST /', 200, '{}')"
may_not "name an actor that is no operator" "select assay.audit_add(
    'other@x', 'POST /v1/x', 200, '{}')" "no entry"
may_not "write an act of assayctl" "select assay.audit_add(
    'admin@example.com', 'assayctl key create', 200, '{}')" "no entry"
may_not "name an account" "select assay.audit_login_failed('a@b', 'me')" \
    "no pseudonym"
may_not "revive a key" 'update assay.service_key set revoked_at = null'
may_not "make a key beside the function" "insert into assay.service_key
    (id) values ('key_x')"
may_not "revive a session" 'delete from assay.revoked_token'
may_not "make an admin beside the function" "insert into assay.operator
    (email, role, password) values ('x@y', 'admin', 'p')"
may_not "seal" 'select assay.audit_seal_next(0, 1)'
may_not "change a seal" 'update assay.audit_seal set rows = 1'

# The companion seals, and tells the head once a day.
cron project
is "the companion seals the trail" "$(sql 'select number, rows = last -
    (select count(*) from generate_series(1, last) n
    where not exists (select from assay.audit a where a.number = n))
    from assay.audit_seal')" "1|t"
head=$(sql "select encode(hash, 'hex') from assay.audit_seal")
is "and writes the head to the log" "$(grep -ho \
    'event=audit_head number=.*' "$scratch"/log/cron*.log)" \
    "event=audit_head number=1 hash=$head"
cron project
is "once a day" "$(cat "$scratch"/log/cron*.log | grep -c event=audit_head)" 1
for n in 1 2 3 4 5 6 7 8 9; do
	ctl key create "key $n"
done
seal 3
ctl key create "not sealed"
ctl audit verify --head "$head"
is "the chain is whole" "$STATUS $(sed -n 's/.* under \(.*\)/\1/p' \
    "$scratch/out")" "0 4 seals, 1 not sealed yet"
check "and says so" says "the chain is whole"
newest=$(sed -n 's/^head 4 //p' "$scratch/out")
is "its head is the newest seal" "$newest" "$(sql "select encode(hash, 'hex')
    from assay.audit_seal where number = 4")"
ctl audit verify --head 0123
is "a head is a hash" "$STATUS" 64

# A transaction that writes an entry and stays open is waited for.
mkfifo "$scratch/fifo"
cluster_psql postgres assay -At <"$scratch/fifo" >/dev/null &
holder=$!
exec 8>"$scratch/fifo"
echo "begin; select assay.audit_write('late', 'owner', 'x', 200, '{}');" >&8
stack_until 20 0 sh -c "[ \"\$(psql -Atc 'select count(*) from pg_locks
    where relation = \$\$assay.audit\$\$::regclass' '${url}postgres')\" != 0 ]"
ctl key create "after it"
is "an entry with a smaller number may come yet: nothing is sealed" \
    "$(sql 'select sealed from assay.audit_seal_next(0, 1000)')" 0
echo "commit;" >&8
exec 8>&-
wait "$holder"
seal
ctl audit verify
is "then both are" "$STATUS $(sql "select s.last = a.number from
    assay.audit_seal s, assay.audit a where s.number = 5
    and a.params like '%after it%'")" "0 t"

# What the owner does to it.
sql 'create table t_audit as select * from assay.audit;
    create table t_seal as select * from assay.audit_seal;
    alter table assay.audit alter number drop identity' >/dev/null
row=$(sql 'select last - 1 from assay.audit_seal where number = 3')

# found WHAT SQL WANT: after it the chain is broken, by these words.
found() {
	sql "set session_replication_role = replica; $2" >/dev/null
	ctl audit verify
	is "found: $1" "$STATUS" 65
	check "and named: $1" says "$3"
	sql "delete from assay.audit; delete from assay.audit_seal;
	    insert into assay.audit select * from t_audit;
	    insert into assay.audit_seal select * from t_seal" >/dev/null
}
found "an actor that was changed" "update assay.audit set actor = 'x'
    where number = $row" "seal 3, "
found "a time that was changed" "update assay.audit
    set at = at - interval '1 microsecond' where number = $row" "was changed"
found "params that were changed" "update assay.audit set params = '{}'
    where number = $row" "was changed"
found "an entry that was deleted" "delete from assay.audit
    where number = $row" "1 are missing"
found "an entry with an old number" "insert into assay.audit (number, id,
    actor, role, action, status, params)
    values (-5, 'aud_x', 'a', 'admin', 'POST /', 200, '{}')" "more than were sealed"
found "two entries that were swapped" "update assay.audit set number = -1
    where number = $row; update assay.audit set number = $row
    where number = $row + 1; update assay.audit set number = $row + 1
    where number = -1" "was changed"
found "an entry that another stands for" "delete from assay.audit
    where number = $row; update assay.audit set number = $row
    where number = 1" "1 are missing"
found "a seal that was deleted" "delete from assay.audit_seal
    where number = 3" "seals are missing"
found "the first seal deleted" "delete from assay.audit_seal
    where number = 1" "seals are missing"
found "a seal that was changed" "update assay.audit_seal
    set hash = sha256(hash) where number = 3" "seal 3, "
found "the time of a seal" "update assay.audit_seal
    set at = at + interval '1 s' where number = 3" "seal 3, "
found "all entries gone" "truncate assay.audit" "are missing"
ctl audit verify
is "the copy that was put back is whole" "$STATUS" 0

# A tail that is cut, and a chain that is written anew, have the head alone
# against them.
newest=$(sed -n 's/^head 5 //p' "$scratch/out")
sql "delete from assay.audit where number > $row;
    delete from assay.audit_seal where number > 2" >/dev/null
ctl audit verify
is "a tail that was cut shows nothing by itself" "$STATUS" 0
ctl audit verify --head "$newest"
is "but the head from the log is not there" "$STATUS" 65
check "which is said" says "no seal has the hash of --head"
finish
