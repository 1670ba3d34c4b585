# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# What the scenarios of the job retain share.  Sourced after lib.sh, load.sh and
# past.sh.
# shellcheck disable=SC2034,SC2154 # want is the scenario's, scratch lib.sh's

# sweep_counts: what the companion's last run removed and made, by its log.
sweep_counts() {
	sed -n 's/.*event=run_ended seconds=[0-9.]* //p' "$scratch/log/cron.log" |
	    tail -n 1 | sed 's/[a-z_]*=//g'
}

# make_past: the same past again, and no sweep yet.
make_past() {
	stack_until 20 0 past_emptied || not_ok "the past is emptied"
	add_history
}

# This may fail while a session of an ended companion holds locks; the rows of before
# would then be there as well.
# shellcheck disable=SC2317 # called by name
past_emptied() {
	sql "truncate assay.verdict_log, assay.decision_detail, assay.idempotency,
	    assay.dead_letter, assay.label, assay.retention_watermark;
	    update assay.retention_sweep set started_at = '-infinity',
		finished_at = '-infinity'" 2>/dev/null
}

# rows_left after every sweep: the rows inside the windows.
want="4380|1080|864|1080|84|30|365"
