# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What an answer says about its idempotency key.  Sourced after lib.sh.

# is_replay, is_mismatch: the header of the last answer, true or empty.
is_replay() {
	header x-engine-idempotent-replay
}
is_mismatch() {
	header x-engine-idempotent-mismatch
}

# mismatch_count: how many the pool has counted.
mismatch_count() {
	metric engine_idempotency_mismatches_total
}
