#!/bin/sh
# SPDX-License-Identifier: ISC
# The audit trail has logins and the acts of assayctl, and no database role of a
# program can forge an entry.
. "$(dirname "$0")/lib.sh"
use trail

# entries WHERE: actor, role, action, status and params of these, by number.
entries() {
	sql "select actor, role, action, status, params from assay.audit
	    where $1 order by number"
}

start_stack RATE_LIMIT_LOGIN_PER_MIN=1000
admin_token
user=$(id -un)

# Registration and logins.
is "the trail has the registration" "$(entries "action like '%register'")" \
    "admin@example.com|admin|POST /v1/auth/register|201|{}"
log_in admin@example.com "correct horse"
is "an admin logs in" "$STATUS" 200
is "the trail has the login" "$(entries "action like '%login'")" \
    "admin@example.com|admin|POST /v1/auth/login|200|{}"
http GET '/v1/audit?limit=1'
is_json "/v1/audit has the login" \
    '.entries[0] | "\(.actor) \(.role) \(.action)"' \
    "admin@example.com admin POST /v1/auth/login"
log_in admin@example.com "wrong horse"
is_error "a login with a wrong password answers 401" 401 INVALID_CREDENTIALS
log_in nobody@example.com "wrong horse"
is_error "a login with an unknown email answers 401" 401 INVALID_CREDENTIALS
log_in nobody2@example.com "wrong horse"
is_error "a login with a second unknown email answers 401" \
    401 INVALID_CREDENTIALS
is "the trail has failed logins by pseudonym, unknown emails as one" \
    "$(entries 'status = 401' | sed 's/account:[0-9a-f]\{16\}/account:HEX/')" \
    'account:HEX|none|POST /v1/auth/login|401|{"failures" : 1}
account:unknown|none|POST /v1/auth/login|401|{"failures" : 1}'
log_in admin@example.com "wrong horse"
is_error "a second login with a wrong password answers 401" \
    401 INVALID_CREDENTIALS
is "the log has each failed login with the pseudonym of its account" \
    "$(grep -o \
    'event=login_refused account=[0-9a-f]* client=[0-9a-f]*' "$scratch/log/pool.log" |
    cut -d ' ' -f 2 | sort | uniq -c | awk '{ print $1 }' | sort | xargs)" "1 1 2"
is "the pseudonym in the log is the one in the trail" \
    "$(sql "select count(*) from assay.audit
    where actor = 'account:$(grep -o 'event=login_refused account=[0-9a-f]*' \
    "$scratch/log/pool.log" | head -1 | cut -d = -f 3)'")" 1
sql "update assay.login_burst set failures = 9" >/dev/null
for n in 1 2 3; do
	sql "select assay.audit_login_failed('x$n@example.com',
	    '0123456789abcdef')" >/dev/null
done
is "the trail has the first and the tenth of many failed logins" "$(entries "
    actor = 'account:unknown'" | cut -d '|' -f 5 | xargs)" \
    '{failures : 1} {failures : 10}'

# Acts of assayctl.
seen=$(sql 'select max(number) from assay.audit')
owner_ctl key create 'till 7'
is "assayctl creates a key" "$STATUS" 0
key=$(sql "select id from assay.service_key where name = 'till 7'")
owner_ctl key revoke "$key"
is "assayctl revokes a key" "$STATUS" 0
owner_ctl key revoke key_none
is "assayctl refuses to revoke an unknown key" "$STATUS" 65
echo 'correct horse' | ADMIN_DATABASE_URL="$owner_url" \
    "$builddir/assayctl" admin create second@example.com >/dev/null
owner_ctl models publish "$srcdir/t/http/none.json"
is "assayctl refuses to publish a missing model" "$STATUS" 65
owner_ctl models rollback bundled
is "assayctl activates the bundled model" "$STATUS" 0
is "the trail has every act of assayctl" \
    "$(entries "number > $seen")" \
    "assayctl:$user|owner|assayctl key create|200|{\"id\":\"$key\",\"name\":\"till 7\"}
assayctl:$user|owner|assayctl key revoke|200|{\"id\":\"$key\"}
assayctl:$user|owner|assayctl admin create|200|{\"email\":\"second@example.com\"}
assayctl:$user|owner|assayctl models rollback|200|{\"origin\":\"bundled\"}"
sql 'alter table assay.audit add constraint never check (status <> 200)
    not valid' >/dev/null
owner_ctl key create unheard
check "an act of assayctl without its entry fails" [ "$STATUS" -ne 0 ]
is "an act of assayctl without its entry is not done" \
    "$(sql "select count(*) from assay.service_key
    where name = 'unheard'")" 0
log_in admin@example.com "correct horse"
is "a login without its entry answers 500" "$STATUS" 500
sql 'alter table assay.audit drop constraint never' >/dev/null

# role_cannot WHAT SQL [ERROR]: the operator role gets this error.
role_cannot() {
	is "the operator role cannot $1" "$(cluster_psql assay_operator assay \
	    -Atc "$2" 2>&1 | grep -oE 'permission denied|no entry|no pseudonym')" \
	    "${3-permission denied}"
}
role_cannot "write an entry" "insert into assay.audit (id, actor, role, action,
    status, params) values ('aud_x', 'a', 'admin', 'POST /', 200, '{}')"
role_cannot "choose the time of an entry" "select assay.audit_write('a', 'admin',
    'POST /', 200, '{}')"
role_cannot "name an unknown actor" "select assay.audit_add(
    'other@x', 'POST /v1/x', 200, '{}')" "no entry"
role_cannot "write an act of assayctl" "select assay.audit_add(
    'admin@example.com', 'assayctl key create', 200, '{}')" "no entry"
role_cannot "name an account" "select assay.audit_login_failed('a@b', 'me')" \
    "no pseudonym"
role_cannot "revive a key" 'update assay.service_key set revoked_at = null'
role_cannot "insert a key" "insert into assay.service_key
    (id) values ('key_x')"
role_cannot "revive a session" 'delete from assay.revoked_token'
role_cannot "insert an admin" "insert into assay.operator
    (email, role, password) values ('x@y', 'admin', 'p')"
role_cannot "seal the trail" 'select assay.audit_seal_next(0, 1)'
role_cannot "change a seal" 'update assay.audit_seal set rows = 1'
finish
