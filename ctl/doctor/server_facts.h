/* SPDX-License-Identifier: ISC */
/* What assayctl doctor knows of the server, and how it judges it. */
#ifndef CTL_DOCTOR_SERVER_FACTS_H
#define CTL_DOCTOR_SERVER_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#define SERVER_CONNECTIONS_COMPANION 6 /* one per job */

struct finding;

/* Texts are in the caller's arena; times in ms, sizes in bytes. */
struct server_facts {
	const char *version;
	int64_t version_number;
	int64_t migration; /* the last one of the database */
	int64_t known; /* the last one of this program */
	int64_t missing; /* the first that the database lacks; 0: none */
	bool read_only;
	bool fsync;
	bool full_page_writes;
	const char *synchronous_commit;
	const char *synchronous_names;
	int64_t standbys;
	int64_t synchronous_standbys;
	int64_t lag; /* of the last standby */
	bool lag_hidden;
	const char *slot; /* that holds most WAL; NULL: none */
	int64_t slot_bytes;
	int64_t slots_lost; /* that have lost WAL, or will soon */
	int64_t connections_max; /* for other roles than superusers */
	int64_t connections;
	int64_t pool_max; /* DATABASE_POOL_MAX */
	int64_t bytes;
	const char *tables; /* the largest, with sizes */
	int64_t months_ahead;
	int64_t clock; /* how much that of the server is at least ahead */
	int64_t unsealed; /* age of the oldest entry without a seal */
	int64_t uncounted; /* age of the oldest decision not in analytics */
	int64_t swept; /* age of the last sweep; -1: there was none */
	int64_t sweep_minutes; /* RETENTION_SWEEP_MINUTES */
	int64_t undelivered; /* delay of the oldest event or delivery */
	int64_t undecided; /* age of the oldest event in the async queue */
};

/* The judgement of one aspect of the facts, one per row.  Pure. */
#define HOST_CHECK(id, name, settings, warn, critical, advice)
#define SERVER_CHECK(id, name, warn, critical, advice)                         \
	void server_judge_##id(                                                \
	    const struct server_facts *s, struct finding *ret);
#include "ctl/doctor/doctor_checks.tbl"
#undef HOST_CHECK
#undef SERVER_CHECK

#endif
