# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Models that are easily told apart, and what is known of those that were
# loaded.  Sourced after lib.sh; metric_is needs load.sh, too.
# shellcheck disable=SC2034,SC2154 # scratch is lib.sh's

from=

names=$(sed -n 's/^FEATURE([^,]*, "\([^"]*\)".*/"\1"/p' \
    "$srcdir/core/signal/features.tbl" | jq -cs .)
version=$(sed -n 's/^#define FEATURES_VERSION \([0-9]*\).*/\1/p' \
    "$srcdir/core/signal/features.h")

# model [FILTER]: one that says the same of all events, by its bias, with what
# jq's filter makes of it.
model() {
	jq -nc --argjson names "$names" --argjson version "$version" '{
	    featuresVersion: $version, featureNames: $names,
	    weights: ($names | map(0)), bias: 0, trainedAt: "2026-11-21",
	    baseRate: 0.5, calibration: { a: 1, b: 0 },
	    metrics: { auc: 0.9, accuracy: 0.8, samples: 100 } } | '"${1:-.}"
}

# look: have the companion look now, by the settings in $from; its exit
# status.
look() {
	looked=0
	# shellcheck disable=SC2086 # several
	cron model $from || looked=$?
	echo $looked
}

# no_place: a companion that stays, and has none set, takes its host off.
no_place() {
	start_cron "model --for 10m"
	check "a host has no place any more" \
	    stack_until 10 "$stack_cron_pid" unplaced
	stop_cron
}

# shellcheck disable=SC2317 # called by name
unplaced() {
	[ "$(sql "select count(*) from assay.model_host")" = 0 ]
}

# why: what the last run of the companion was refused for.
why() {
	sed -n 's/.*step=failed where=model why="\(.*\)"$/\1/p' \
	    "$scratch/log/cron.log" | tail -n 1 | sed 's/\\"/"/g'
}

# loads: how many there were, and what the last one was.
loads() {
	sql "select count(*) over (), origin, coalesce((m.body::json ->> 'bias'),
		'')
	    from assay.model_load l left join assay.model m using (hash)
	    order by number desc limit 1"
}

# shellcheck disable=SC2317 # called by name
loads_are() {
	[ "$(loads)" = "$1" ]
}

# metric_is NAME VALUE
# shellcheck disable=SC2317 # called by name
metric_is() {
	[ "$(metric "$1")" = "$2" ]
}

# As if the minutes had passed, or the time of who was killed.
due() {
	sql "update assay.model_place set looked_at = looked_at -
	    interval '1 hour', claimed_until = claimed_until -
	    interval '1 hour'"
}

# scores: what the next decisions, of several workers, come to.
scores() {
	for n in 1 2 3 4 5 6; do
		http POST /v1/decisions "{\"type\":\"order.place\",
		    \"subject\":{\"userId\":\"u-$n\"}}"
		json .score
	done | sort -u | paste -sd ' '
}

# decider: the model that made the newest decision.
decider() {
	sql "select replay::json ->> 'model' from assay.detail
	    order by decided_at desc limit 1"
}

# serves: what is said of what serves.
serves() {
	http GET /v1/config/model
	json '.ml | "\(.source) \(.provenance) \(.version) \(.bias)"'
}

# A storage, t/http/storage.py, whose files are below $storage_dir.

storage_dir=$scratch/storage

# start_storage: with a certificate for 127.0.0.1 that ca.pem vouches for; its
# URL is in storage.
start_storage() {
	mkdir "$storage_dir"
	certificate ca.pem storage.pem subjectAltName=IP:127.0.0.1
	python3 "$srcdir/t/http/storage.py" "$storage_dir" \
	    "$scratch/storage.pem" "$scratch/storage.pem" \
	    >>"$scratch/log/storage.log" 2>&1 &
	more_pids="$! $more_pids"
	stack_until 10 $! test -s "$storage_dir/port" ||
	    { not_ok "the storage listens"; exit 1; }
	storage=https://127.0.0.1:$(cat "$storage_dir/port")
}

# certificate CA FILE EXTENSION: an authority, and what it vouches for, with
# its key.
certificate() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
	    -days 2 -subj "/CN=$1 of the test" -keyout "$scratch/key" \
	    -out "$scratch/$1" 2>"$scratch/openssl"
	openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
	    -subj /CN=storage -keyout "$scratch/$2" -out "$scratch/request" \
	    2>>"$scratch/openssl"
	echo "$3" >"$scratch/extension"
	openssl x509 -req -in "$scratch/request" -CA "$scratch/$1" \
	    -CAkey "$scratch/key" -CAcreateserial -days 2 \
	    -extfile "$scratch/extension" >>"$scratch/$2" \
	    2>>"$scratch/openssl"
	rm "$scratch/key" "$scratch/request" "$scratch/extension"
	chmod 644 "$scratch/$1"
}

# publish NAME [FILTER]: a model becomes the file of that name, as a whole.
publish() {
	mkdir -p "$storage_dir/$(dirname "$1")"
	model "${2:-.}" >"$storage_dir/new"
	mv "$storage_dir/new" "$storage_dir/$1"
}

# mode NAME: what the storage does from now on.
mode() {
	echo "$1" >"$storage_dir/mode"
}

# asked: "STATUS IF-NONE-MATCH" of each request so far.
asked() {
	awk '{ print $2, $3 }' "$storage_dir/asked"
}

# looks: what companions have counted.
looks() {
	sql "select (array['disk', 'url', 's3'])[first + 1] || ' ' ||
		(array['same', 'loaded', 'refused'])[second + 1] || ' ' || n
	    from assay.counter where metric = 'engine_model_looks_total'
	    and n > 0 order by first, second desc" | paste -sd ' '
}
