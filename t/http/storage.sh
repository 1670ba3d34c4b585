# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# A server of model files, t/http/storage.py, whose files are in $storage_dir.
# Sourced after lib.sh and model.sh.
# shellcheck disable=SC2034,SC2154 # scratch is lib.sh's

storage_dir=$scratch/storage

# start_storage: with a certificate for 127.0.0.1 of the authority ca.pem; its
# URL is in $storage.
start_storage() {
	mkdir "$storage_dir"
	certificate ca.pem storage.pem subjectAltName=IP:127.0.0.1
	python3 "$srcdir/t/http/storage.py" "$storage_dir" \
	    "$scratch/storage.pem" "$scratch/storage.pem" \
	    >>"$scratch/log/storage.log" 2>&1 &
	more_pids="$! $more_pids"
	stack_until 10 $! test -s "$storage_dir/port" ||
	    { not_ok "the model server listens"; exit 1; }
	storage=https://127.0.0.1:$(cat "$storage_dir/port")
}

# certificate CA FILE EXTENSION: an authority, and a certificate of it with its
# key.
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

# store_model NAME [FILTER]: a model becomes the file of that name, in one step.
store_model() {
	mkdir -p "$storage_dir/$(dirname "$1")"
	model "${2:-.}" >"$storage_dir/new"
	mv "$storage_dir/new" "$storage_dir/$1"
}

# storage_mode NAME: how the server answers from now on.
storage_mode() {
	echo "$1" >"$storage_dir/mode"
}

# storage_requests: "STATUS IF-NONE-MATCH" of each request so far.
storage_requests() {
	awk '{ print $2, $3 }' "$storage_dir/asked"
}

# poll_counts: the polls that companions counted.
poll_counts() {
	sql "select (array['disk', 'url', 's3'])[label1 + 1] || ' ' ||
		(array['same', 'loaded', 'refused'])[label2 + 1] || ' ' || n
	    from assay.counter where metric = 'engine_model_polls_total'
	    and n > 0 order by label1, label2 desc" | paste -sd ' '
}
