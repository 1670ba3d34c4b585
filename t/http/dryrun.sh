# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What the scenarios of dry runs share.  Sourced after lib.sh.

# event_body ID USER AMOUNT [SUBJECT]: with these members of subject.
event_body() {
	printf '{"id":"%s","type":"wallet.withdraw","amount":%s,
	    "currency":"EUR","subject":{"userId":"%s","deviceId":"d-%s",
	    "ip":"196.188.7.9","phone":"+251911234544"%s}}' \
	    "$1" "$3" "$2" "$2" "${4-}"
}

# decide_live ... and dry_run ...: one event, with the arguments of event_body.
decide_live() { http POST /v1/decisions "$(event_body "$@")"; }
dry_run() {
	http POST /v1/decisions "$(event_body "$@")" -H "X-Engine-Mode: shadow"
}

# answer_seen: verdict, score and reasons of the last answer.
answer_seen() { json '"\(.verdict) \(.score) \(.reasons | tojson)"'; }

# table_digests: a line for each table that decisions change, but the details.  The pool
# writes its row of spool_host each minute.
table_digests() {
	cluster_psql postgres assay -At <<-'END'
		select format('select %L, md5(string_agg(t::text, '' '' order by t::text))
		    from assay.%I t', tablename, tablename) from pg_tables
		where schemaname = 'assay' and tablename <> 'spool_host' and
		    tablename !~ '^decision_detail' order by tablename \gexec
	END
}
