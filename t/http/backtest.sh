# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What the scenarios of backtests share; sourced after lib.sh.
# shellcheck disable=SC2154 # srcdir and scratch are of lib.sh

# Decide the sample, 100 events a request.
decide_sample() {
	jq -Rnc '[inputs | split(",")] | .[0] as $names | .[1:] | map(
		[$names, .] | transpose | map(select(.[1] != "") |
		    {(.[0]): .[1]}) | add |
		{id, type, currency,
		    amount: (if .amount then .amount | tonumber else null end),
		    subject: {userId, deviceId, fingerprint, ip, phone, channel},
		    instrument: {kind, bin, issuerCountry, threeDS:
			(if .threeDS then .threeDS == "true" else null end)},
		    attributes: {merchant: .["attr.merchant"]}} |
		del(.. | nulls) | del(.. | select(. == {}))) |
	    _nwise(100) | {events: .}' "$srcdir/sample/transactions.csv" \
	    >"$scratch/batches"
	while read -r batch; do
		http POST /v1/decisions/batch "$batch"
		json '.results[] | select(.ok | not)'
	done <"$scratch/batches"
}
