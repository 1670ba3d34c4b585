# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Users on lists, without a request.  Sourced after lib.sh.

# list_user KIND USER: put the user on that list.  Every worker reads the list
# again before its next decision.
list_user() {
	sql "insert into assay.list_entry (id, kind, subject, value, created_by)
	    values ('lst_$2', '$1', 'user', '$2', 'me');
	    update assay.epoch set lists = lists + 1;
	    update assay.list_subject set changed = (select lists
		from assay.epoch) where subject = 'user'"
}
