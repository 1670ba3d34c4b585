#!/bin/sh
# SPDX-License-Identifier: ISC
# The companion seals the audit trail, and `assayctl audit verify` finds every
# change that the owner of the database makes to sealed entries.
. "$(dirname "$0")/lib.sh"
use trail lock

# seal_entries [COUNT]: seal all entries, COUNT at a time.
seal_entries() {
	until [ "$(sql "select sealed from assay.audit_seal_next(0, ${1-1000})")" = 0 ]; do
		:
	done
}

start_stack
admin_token

# The companion seals and logs the head once a day.
cron project
is "the companion seals the trail" "$(sql 'select number, rows = last -
    (select count(*) from generate_series(1, last) n
    where not exists (select from assay.audit a where a.number = n))
    from assay.audit_seal')" "1|t"
head=$(sql "select encode(hash, 'hex') from assay.audit_seal")
is "the companion logs the head of the chain" "$(grep -ho \
    'event=audit_head number=.*' "$scratch"/log/cron*.log)" \
    "event=audit_head number=1 hash=$head"
cron project
is "the companion logs the head once a day" \
    "$(cat "$scratch"/log/cron*.log | grep -c event=audit_head)" 1
for n in 1 2 3 4 5 6 7 8 9; do
	owner_ctl key create "key $n"
done
seal_entries 3
owner_ctl key create "not sealed"
owner_ctl audit verify --head "$head"
is "assayctl verifies the chain against its first head" \
    "$STATUS $(sed -n 's/.* under \(.*\)/\1/p' \
    "$scratch/out")" "0 4 seals, 1 not sealed yet"
check "assayctl says that the chain is intact" owner_ctl_says "the chain is intact"
newest=$(sed -n 's/^head 4 //p' "$scratch/out")
is "the head is the hash of the newest seal" \
    "$newest" "$(sql "select encode(hash, 'hex')
    from assay.audit_seal where number = 4")"
owner_ctl audit verify --head 0123
is "a head that is not a hash is a usage error" "$STATUS" 64

# A seal waits for an open transaction that has written an entry.
hold_lock "select assay.audit_write('late', 'owner', 'x', 200, '{}')"
owner_ctl key create "after it"
is "nothing is sealed while an entry with a smaller number may come" \
    "$(sql 'select sealed from assay.audit_seal_next(0, 1000)')" 0
release_lock
seal_entries
owner_ctl audit verify
is "after the commit both entries are sealed" \
    "$STATUS $(sql "select s.last = a.number from
    assay.audit_seal s, assay.audit a where s.number = 5
    and a.params like '%after it%'")" "0 t"

# Changes by the owner of the database.
sql 'create table t_audit as select * from assay.audit;
    create table t_seal as select * from assay.audit_seal;
    alter table assay.audit alter number drop identity' >/dev/null
row=$(sql 'select last - 1 from assay.audit_seal where number = 3')

# finds_change WHAT SQL TEXT: after it the chain is broken, by this text.
finds_change() {
	sql "set session_replication_role = replica; $2" >/dev/null
	owner_ctl audit verify
	is "assayctl finds $1" "$STATUS" 65
	check "assayctl says what is wrong with $1" owner_ctl_says "$3"
	sql "delete from assay.audit; delete from assay.audit_seal;
	    insert into assay.audit select * from t_audit;
	    insert into assay.audit_seal select * from t_seal" >/dev/null
}
finds_change "a changed actor" "update assay.audit set actor = 'x'
    where number = $row" "seal 3, "
finds_change "a changed time" "update assay.audit
    set at = at - interval '1 microsecond' where number = $row" "was changed"
finds_change "changed params" "update assay.audit set params = '{}'
    where number = $row" "was changed"
finds_change "a deleted entry" "delete from assay.audit
    where number = $row" "1 are missing"
finds_change "an entry with an old number" "insert into assay.audit (number, id,
    actor, role, action, status, params)
    values (-5, 'aud_x', 'a', 'admin', 'POST /', 200, '{}')" "more entries than"
finds_change "two swapped entries" "update assay.audit set number = -1
    where number = $row; update assay.audit set number = $row
    where number = $row + 1; update assay.audit set number = $row + 1
    where number = -1" "was changed"
finds_change "an entry replaced by another" "delete from assay.audit
    where number = $row; update assay.audit set number = $row
    where number = 1" "1 are missing"
finds_change "a deleted seal" "delete from assay.audit_seal
    where number = 3" "seals are missing"
finds_change "a deleted first seal" "delete from assay.audit_seal
    where number = 1" "seals are missing"
finds_change "a changed seal" "update assay.audit_seal
    set hash = sha256(hash) where number = 3" "seal 3, "
finds_change "a changed time of a seal" "update assay.audit_seal
    set at = at + interval '1 s' where number = 3" "seal 3, "
finds_change "a trail without entries" "truncate assay.audit" "are missing"
owner_ctl audit verify
is "the restored copy of the trail is whole" "$STATUS" 0

# Only the logged head shows that the end of the chain is missing.
newest=$(sed -n 's/^head 5 //p' "$scratch/out")
sql "delete from assay.audit where number > $row;
    delete from assay.audit_seal where number > 2" >/dev/null
owner_ctl audit verify
is "a chain without its end is whole by itself" "$STATUS" 0
owner_ctl audit verify --head "$newest"
is "a chain without its end does not match the logged head" "$STATUS" 65
check "assayctl says that no seal has the logged head" \
    owner_ctl_says "no seal has the hash of --head"
finish
