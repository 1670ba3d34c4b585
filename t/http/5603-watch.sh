#!/bin/sh
# SPDX-License-Identifier: ISC
# A pool exports every series that the rules and dashboards of contrib/ select, named
# and described as Prometheus advises.
. "$(dirname "$0")/lib.sh"
use away offline

make_places
start_stack GEOIP_DB="$GEOIP_DB"
# shellcheck disable=SC2317 # called by stack_until
has_gauges() {
	[ -n "$(metric engine_partition_months_ahead)" ] &&
	    [ -n "$(metric 'engine_deliveries_total{kind="alert",result="dead"}')" ]
}
check "the pool measures its gauges and the counters of companions" \
    stack_until 20 "$stack_pool_pid" has_gauges
http GET /metrics
printf '%s\n' "$BODY" >"$scratch/metrics"
is "promtool finds nothing to say about the metrics" \
    "$(promtool check metrics <"$scratch/metrics" 2>&1; echo $?)" 0

# Selectors look like name{label="value",label=~"pattern"}.  A value may have
# braces.  Prometheus itself adds instance, and rules name their own records with a
# colon.
cat "$srcdir/contrib/prometheus/assay.rules.yml" >"$scratch/queries"
jq -r '.panels[].targets[].expr' "$srcdir"/contrib/grafana/*.json \
    >>"$scratch/queries"
perl -e '
	my ($series, $queries) = map { open my $in, "<", $_ or die; local $/; <$in> }
	    @ARGV;
	my %series;
	while ($series =~ /^(\w+)(?:\{(.*)\})? /gm) {
		my ($name, $labels) = ($1, $2 // "");
		push @{$series{$name}}, { $labels =~ /(\w+)="([^"]*)"/g };
	}
	while ($queries =~ /(?<![\w:])(engine_\w+)(?:\{((?:[^}"]|"[^"]*")*)\})?/g) {
		my ($selector, $name, $matchers) = ($&, $1, $2 // "");
		my @want;
		while ($matchers =~ /(\w+)(!=|!~|=~|=)"([^"]*)"/g) {
			my ($label, $how, $value) = ($1, $2, $3);
			$value = quotemeta $value if $how !~ /~/;
			push @want, [ $label, qr/^(?:$value)$/, $how !~ /!/ ]
			    if $label ne "instance";
		}
		print "$selector\n" unless grep {
			my $labels = $_;
			!grep { (($labels->{$_->[0]} // "") =~ $_->[1]) != $_->[2] } @want;
		} @{$series{$name}};
	}' "$scratch/metrics" "$scratch/queries" >"$scratch/missing" || echo failed \
    >>"$scratch/missing"
is "rules and dashboards select only series that exist" \
    "$(cat "$scratch/missing")" ""
geoip_age=$(metric 'engine_geoip_age_seconds{database="places"}')
check "a gauge has the age of the GeoIP database" test "${geoip_age%%.*}" -gt 0
finish
