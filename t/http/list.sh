# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Entries of lists.  Sourced after lib.sh.
# shellcheck disable=SC2034 # FOUND is for the scenarios

# list_user KIND USER: put the user on that list in the database.  Every worker
# reads the list again before its next decision.
list_user() {
	sql "insert into assay.list_entry (id, kind, subject, value, created_by)
	    values ('lst_$2', '$1', 'user', '$2', 'me');
	    update assay.epoch set lists = lists + 1;
	    update assay.list_subject set changed = (select lists
		from assay.epoch) where subject = 'user'"
}

# save_entry KIND SUBJECT VALUE [MEMBERS]: add an entry, or replace it.
save_entry() {
	http POST /v1/lists "{\"kind\":\"$1\",\"subject\":\"$2\",
	    \"value\":\"$3\"${4-}}"
}

# search_entries MEMBERS: search; FOUND is the status and the entries.
search_entries() {
	http POST /v1/lists/search "{$1}"
	FOUND="$STATUS $(json 'map("\(.kind) \(.value)") | join(", ")')"
}
