/* SPDX-License-Identifier: ISC */
/* Judge the facts of the server, for assayctl doctor.  Pure. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "ctl/doctor/finding.h"
#include "ctl/doctor/server_facts.h"

#define VERSION_MIN 150000
#define MEBIBYTE (INT64_C(1) << 20)
#define MINUTE 60 /* seconds */

static void judge_wait(int64_t ms, const char *what, struct finding *ret);

void
server_judge_postgresql(const struct server_facts *s, struct finding *ret)
{
	finding_text(ret, "version %s", s->version);
	if (s->version_number < VERSION_MIN)
		finding_raise(
		    ret, DOCTOR_CRITICAL, "version %s is too old", s->version);
}

void
server_judge_schema(const struct server_facts *s, struct finding *ret)
{
	finding_text(ret, "migration %" PRId64, s->migration);
	if (s->missing > 0)
		finding_raise(ret, DOCTOR_CRITICAL,
		    "the database lacks migration %" PRId64, s->missing);
	if (s->read_only)
		finding_raise(ret, DOCTOR_CRITICAL,
		    "the database cannot be written: it is a standby, or "
		    "default_transaction_read_only is on");
	if (s->migration > s->known)
		finding_raise(ret, DOCTOR_WARN,
		    "the database has migration %" PRId64
		    ", this program knows %" PRId64,
		    s->migration, s->known);
}

void
server_judge_durability(const struct server_facts *s, struct finding *ret)
{
	finding_text(ret,
	    "fsync and full_page_writes are on, synchronous_commit is %s, "
	    "synchronous_standby_names is '%s'",
	    s->synchronous_commit, s->synchronous_names);
	if (!s->fsync)
		finding_raise(ret, DOCTOR_CRITICAL,
		    "fsync is off: a crash of the machine damages the "
		    "database");
	if (!s->full_page_writes)
		finding_raise(ret, DOCTOR_CRITICAL,
		    "full_page_writes is off: a crash of the machine damages "
		    "the database");
	if (strcmp(s->synchronous_commit, "on") != 0 &&
	    strcmp(s->synchronous_commit, "remote_apply") != 0)
		finding_raise(ret, DOCTOR_WARN,
		    "synchronous_commit is %s: decisions that were answered "
		    "can be lost",
		    s->synchronous_commit);
}

void
server_judge_replication(const struct server_facts *s, struct finding *ret)
{
	const int64_t behind = s->lag / MEBIBYTE;
	const bool waits = *s->synchronous_names != '\0';

	finding_text(ret, "%" PRId64 " standbys", s->standbys);
	if (waits && s->standbys == 0)
		finding_raise(ret, DOCTOR_CRITICAL,
		    "every commit waits: synchronous_standby_names is '%s', "
		    "and no standby is connected",
		    s->synchronous_names);
	else if (s->lag_hidden)
		finding_raise(ret, DOCTOR_UNKNOWN,
		    "%" PRId64 " standbys, whose lag the owner may not see",
		    s->standbys);
	else if (waits && s->synchronous_standbys == 0)
		finding_raise(ret, DOCTOR_CRITICAL,
		    "every commit waits: synchronous_standby_names is '%s', "
		    "and none of %" PRId64 " standbys is synchronous",
		    s->synchronous_names, s->standbys);
	else if (s->standbys > 0) {
		finding_text(ret,
		    "%" PRId64 " standbys, %" PRId64
		    " synchronous, at most %" PRId64 " MiB behind",
		    s->standbys, s->synchronous_standbys, behind);
		ret->state = finding_limit(ret, behind);
	}
}

void
server_judge_slots(const struct server_facts *s, struct finding *ret)
{
	const int64_t held = s->slot_bytes / MEBIBYTE;

	finding_text(ret, "no replication slot holds WAL");
	if (s->slot != NULL) {
		finding_text(
		    ret, "slot %s holds %" PRId64 " MiB of WAL", s->slot, held);
		ret->state = finding_limit(ret, held);
	}
	if (s->slots_lost > 0)
		finding_raise(ret, DOCTOR_CRITICAL,
		    "%" PRId64 " slots have lost WAL, or will soon",
		    s->slots_lost);
}

void
server_judge_connections(const struct server_facts *s, struct finding *ret)
{
	const int64_t need = s->pool_max + SERVER_CONNECTIONS_COMPANION;
	const int64_t used = s->connections_max == 0
	    ? 100
	    : s->connections * 100 / s->connections_max;

	finding_text(ret,
	    "%" PRId64 " of %" PRId64 " in use; this host may open %" PRId64,
	    s->connections, s->connections_max, need);
	if (need > s->connections_max)
		finding_raise(ret, DOCTOR_CRITICAL,
		    "the server allows %" PRId64
		    " connections, but DATABASE_POOL_MAX and the companion "
		    "make %" PRId64,
		    s->connections_max, need);
	finding_raise(ret, finding_limit(ret, used),
	    "%" PRId64 " of %" PRId64 " connections are in use", s->connections,
	    s->connections_max);
}

void
server_judge_size(const struct server_facts *s, struct finding *ret)
{
	finding_text(ret, "%" PRId64 " MiB; the largest tables: %s",
	    s->bytes / MEBIBYTE, s->tables);
}

void
server_judge_partitions(const struct server_facts *s, struct finding *ret)
{
	if (s->months_ahead < 0)
		finding_text(ret, "the current month has no partition");
	else
		finding_text(
		    ret, "there are %" PRId64 " months ahead", s->months_ahead);
	ret->state = finding_limit(ret, s->months_ahead);
}

void
server_judge_clock(const struct server_facts *s, struct finding *ret)
{
	const int64_t distance = s->clock < 0 ? -s->clock : s->clock;

	finding_text(ret,
	    "the clock of the database is at least %" PRId64
	    " ms %s this host's",
	    distance, s->clock < 0 ? "behind" : "ahead of");
	ret->state = finding_limit(ret, distance);
}

void
server_judge_audit(const struct server_facts *s, struct finding *ret)
{
	judge_wait(s->unsealed, "an entry of the audit trail has no seal", ret);
}

void
server_judge_analytics(const struct server_facts *s, struct finding *ret)
{
	judge_wait(s->uncounted, "a decision is not counted", ret);
}

void
server_judge_retention(const struct server_facts *s, struct finding *ret)
{
	const int64_t age = s->swept / 1000;

	if (s->swept < 0) {
		finding_raise(ret, DOCTOR_WARN, "no sweep has run");
		return;
	}
	finding_text(ret,
	    "the last sweep was %" PRId64 " s ago; one is due every %" PRId64
	    " minutes",
	    age, s->sweep_minutes);
	ret->state = finding_limit(ret, age - s->sweep_minutes * MINUTE);
}

void
server_judge_deliveries(const struct server_facts *s, struct finding *ret)
{
	judge_wait(s->undelivered, "an event or a delivery waits", ret);
}

void
server_judge_queue(const struct server_facts *s, struct finding *ret)
{
	judge_wait(s->undecided, "an event waits for its decision", ret);
}

/* Judge that something has waited for ms, by the limits of ret in seconds. */
static void
judge_wait(int64_t ms, const char *what, struct finding *ret)
{
	if (ms == 0)
		finding_text(ret, "nothing waits");
	else
		finding_text(ret, "%s for %" PRId64 " s", what, ms / 1000);
	ret->state = finding_limit(ret, ms / 1000);
}
