# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Prometheus with the files of contrib/prometheus, before the pool of a scenario.
# Sourced after lib.sh and tls.sh.
# shellcheck disable=SC2034,SC2154 # variables of lib.sh and of the scenarios

# In CI the exporter must be there.
if ! command -v prometheus-blackbox-exporter >/dev/null; then
	echo "# skipped: needs prometheus-blackbox-exporter"
	tap_finished=yes
	[ "${CI:-}" != true ] || exit 1
	exit 77
fi

# start_watched [NAME=VALUE ...]: the database, a pool with these settings that asks
# for METRICS_TOKEN, and nginx with the server of contrib/prometheus/nginx.conf.
start_watched() {
	free_port
	watch_port=$port
	METRICS_TOKEN=watch-4711-token
	printf %s "$METRICS_TOKEN" >"$scratch/token"
	cp "$scratch/nginx/assay.conf.in" "$scratch/site.in"
	sed "s,127.0.0.1:9180,127.0.0.1:$watch_port,
	    s,/run/assay/decide.sock,$scratch/run/decide.sock,
	    s,/var/log/nginx/error.log,$scratch/log/nginx-error.log," \
	    "$srcdir/contrib/prometheus/nginx.conf" >>"$scratch/nginx/assay.conf.in"
	start_database
	start_pool METRICS_TOKEN="$METRICS_TOKEN" TRUST_PROXY=1 "$@"
	start_nginx TRUST_PROXY=1
	mv "$scratch/site.in" "$scratch/nginx/assay.conf.in"
	wait_ready
}

# shorten_rules: the rules with the durations of seconds and without those of
# faults.  Disks only need to be in use, because a test should not fill one.
shorten_rules() {
	sed -E 's/^( *for:) .*/\1 0s/; s/\[(5m|15m|1h|6h)\]/[30s]/g
	    s/(disk_used:ratio) > 0\.[0-9]/\1 > 0/g
	    s/(gauges_age_seconds) > 120/\1 > 12/
	    s/(spool_oldest_seconds) > 600/\1 > 1/
	    s/(duration_seconds_count\[30s\]\)) >= 100/\1 >= 5/' \
	    "$srcdir/contrib/prometheus/assay.rules.yml"
}

# write_targets: prometheus.yml with the addresses of this scenario; nothing listens
# on port 1.
write_targets() {
	sed "s/15s/2s/; s/localhost:9180/127.0.0.1:$watch_port/
	    s/localhost:9115/127.0.0.1:$blackbox_port/
	    s/localhost:9[0-9]*/127.0.0.1:1/
	    s,https://assay.example,https://localhost:$tls_port,
	    s/^    # authorization/    authorization/
	    s,^    #   \(credentials_file:\).*,      \1 $scratch/token," \
	    "$srcdir/contrib/prometheus/prometheus.yml" \
	    >"$scratch/prometheus/prometheus.yml"
}

# start_prometheus: with the shortened rules, and a blackbox exporter that asks the
# site with TLS.
start_prometheus() {
	free_port
	tls_port=$port
	mkdir -p "$scratch/run-tls" "$scratch/prometheus"
	stack_own "$scratch/run-tls"
	prometheus_nginx=$stack_nginx_pid
	host=-tls
	start_tls_site SERVER_NAME=localhost LISTEN="127.0.0.1:$tls_port"
	host=
	more_pids="$stack_nginx_pid $more_pids"
	stack_nginx_pid=$prometheus_nginx
	free_port
	blackbox_port=$port
	cat >"$scratch/prometheus/blackbox.yml" <<-'END'
		modules:
		  http_2xx:
		    prober: http
		    http:
		      tls_config:
		        insecure_skip_verify: true
	END
	prometheus-blackbox-exporter \
	    --config.file="$scratch/prometheus/blackbox.yml" \
	    --web.listen-address="127.0.0.1:$blackbox_port" \
	    >"$scratch/log/blackbox.log" 2>&1 &
	more_pids="$! $more_pids"
	shorten_rules >"$scratch/prometheus/assay.rules.yml"
	write_targets
	free_port
	prometheus_port=$port
	prometheus --config.file="$scratch/prometheus/prometheus.yml" \
	    --storage.tsdb.path="$scratch/prometheus/data" \
	    --web.listen-address="127.0.0.1:$prometheus_port" \
	    >"$scratch/log/prometheus.log" 2>&1 &
	prometheus_pid=$!
	more_pids="$prometheus_pid $more_pids"
	check "Prometheus reads the metrics of the pool" \
	    stack_until 30 "$prometheus_pid" has_series 'engine_partition_months_ahead'
}

# query EXPRESSION: the names of the alerts, or the numbers, that it selects.
query() {
	curl -sS --max-time 10 "http://127.0.0.1:$prometheus_port/api/v1/query" \
	    --data-urlencode "query=$1" |
	    jq -r '.data.result[] | .metric.alertname // .value[1]' | sort -u
}
# shellcheck disable=SC2317 # called by stack_until
has_series() {
	[ -n "$(query "$1")" ]
}

# fire ALERT ...: each fires, or has fired within the last minutes: some end before a
# slow machine asks.
fire() {
	for fire_alert; do
		check "$fire_alert fires in Prometheus" stack_until 25 "$prometheus_pid" has_series \
		    "last_over_time(ALERTS{alertname=\"$fire_alert\",alertstate=\"firing\"}[3m])"
	done
}

# firing_now: the alerts that fire, in one line.
firing_now() {
	query 'ALERTS{alertstate="firing"}' | paste -sd ' '
}
