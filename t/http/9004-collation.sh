#!/bin/sh
# SPDX-License-Identifier: ISC
# A database whose collation is that of ICU, as createdb makes it on some hosts: the
# migrations give every index the order of bytes, so that an upgrade of the host,
# which changes the collation, decides no event twice.
. "$(dirname "$0")/lib.sh"

# in_icu SQL: as the owner, in that database.
in_icu() {
	cluster_psql postgres icu -At -c "$1"
}
migrate_icu() {
	DATABASE_URL="host=$scratch/run dbname=icu user=postgres" \
	    "$builddir/assayctl" migrate --sql "$srcdir/sql"
}
# start_icu_pool: the pool with that database.
start_icu_pool() {
	start_pool DATABASE_URL="host=$scratch/run dbname=icu user=assay_decide" \
	    OPERATOR_DATABASE_URL="host=$scratch/run dbname=icu user=assay_operator" \
	    RETAIN_DATABASE_URL="host=$scratch/run dbname=icu user=assay_retain"
}
# decide_all FILE: decide events whose ids differ in punctuation, and keep their
# verdicts.
decide_all() {
	: >"$1"
	for i in 10 11 12 13 14 15 16 17 18 19 20 21; do
		for id in "o-$i" "o$i-" "o_$i" "O-$i" "o.$i" "-o$i" "o${i}o"; do
			printf '{"id":"%s","type":"account.login","subject":{"userId":"u%s"}}\n' \
			    "$id" "$id"
		done
	done | sort >"$scratch/events"
	while read -r event; do
		http POST /v1/decisions "$event"
		json '"\(.eventId) \(.id)"' >>"$1"
	done <"$scratch/events"
}

start_database
# Only from a template of this name may a database have another collation.
cluster_psql postgres postgres -c 'create database template0' \
    -c "create database icu template template0
    locale_provider icu icu_locale 'en-US' locale 'C.UTF-8'" >/dev/null
check "a database with a collation of ICU is migrated" migrate_icu
is "only texts that make a generated column keep the order of ICU" "$(in_icu "
    select string_agg(c.relname || '.' || a.attname, ' '
	order by c.relname, a.attname)
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'assay'::regnamespace and c.relkind in ('r', 'p')
	and a.attcollation = 'default'::regcollation")" \
    "label.analyst label.chargeback label.outcome model.body"
is "the order of ICU is not that of bytes" \
    "$(in_icu "select 'B' < 'a', 'a-b' < 'aa'")" "f|t"
is "no index of a text depends on the collation" "$(in_icu "
    select pg_get_indexdef(x.indexrelid) from pg_index x
	join pg_class c on c.oid = x.indrelid
    where c.relnamespace = 'assay'::regnamespace
	and 'default'::regcollation = any(x.indcollation::oid[])")" ""
is "the database has the functions, triggers and views of others" "$(in_icu "
    select (select count(*) from pg_proc
	where pronamespace = 'assay'::regnamespace),
	(select count(*) from pg_trigger where not tgisinternal),
	(select count(*) from pg_views where schemaname = 'assay')")" \
    "$(sql "select (select count(*) from pg_proc
	where pronamespace = 'assay'::regnamespace),
	(select count(*) from pg_trigger where not tgisinternal),
	(select count(*) from pg_views where schemaname = 'assay')")"
is "a further migration finds nothing to do" "$(migrate_icu)" \
    "up to date"

start_icu_pool
start_nginx
wait_ready
admin_token
api_key
decide_all "$scratch/first"
is "each event is decided" "$(sort -u "$scratch/first" | wc -l)" 84

# An upgrade of ICU that ignores punctuation where it did not.
stop_pool
cluster_psql postgres postgres -c "update pg_database
    set daticulocale = 'en-US-u-ka-shifted' where datname = 'icu'"
stop_database
start_database
is "the collation has another order" "$(in_icu "select 'a-b' < 'aa'")" f
start_icu_pool
wait_ready
decide_all "$scratch/second"
check "with another collation each event has its first decision" \
    cmp "$scratch/first" "$scratch/second"
is "no key is stored twice" "$(in_icu "select count(*) - count(distinct key)
    from assay.idempotency")" 0
finish
