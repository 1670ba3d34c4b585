/* SPDX-License-Identifier: ISC */
/* /v1/status: what an operator should know about the service at once. */
#include "config.h"

#include <math.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/event/event.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/worker.h"
#include "lib/shared/gauge.h"
#include "lib/shared/shm.h"

static int64_t gauge_of(const struct gauges *g, enum gauge gauge);
static void add_seconds(
    struct str *s, const char *name, const struct gauges *g, enum gauge gauge);
static void add_drift(struct str *s, const struct gauges *g);

/*
 * GET /v1/status.  200: whether decisions are made as usual on this host, and
 * what waits in the database.
 */
int
status_get(struct req *req, struct resp *resp)
{
	const struct shm *shm = req->worker->shm;
	struct gauges *g = arena_alloc(req->arena, sizeof(*g));
	const bool down = atomic_load(&shm->retry_at) != 0;
	const int64_t records = atomic_load(&shm->spool_records);
	struct str s;

	if (g == NULL)
		return fail_memory(&req->fail);
	if (gauge_measure(req->db, req->arena, g, &req->fail) == -1)
		return -1;
	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_text(&s, "version", PACKAGE_VERSION);
	writer_bool(&s, "degraded", down || records > 0);
	writer_text(&s, "database", down ? "down" : "up");
	writer_int(&s, "spoolRecords", records);
	writer_int(&s, "outboxEvents", gauge_of(g, GAUGE_outbox_events));
	add_seconds(&s, "outboxOldestSeconds", g, GAUGE_outbox_oldest);
	writer_int(&s, "asyncQueueEvents", gauge_of(g, GAUGE_async_events));
	writer_object(&s, "deadLetters");
	writer_int(&s, "webhooks", gauge_of(g, GAUGE_dead_webhook));
	writer_int(&s, "alerts", gauge_of(g, GAUGE_dead_alert));
	writer_end(&s);
	add_seconds(&s, "analyticsLagSeconds", g, GAUGE_analytics_lag);
	add_drift(&s, g);
	writer_object(&s, "model");
	writer_bool(&s, "refused", gauge_of(g, GAUGE_model_refused) > 0);
	writer_end(&s);
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
}

static int64_t
gauge_of(const struct gauges *g, enum gauge gauge)
{
	return atomic_load(&g->value[gauge]);
}

/* Append a gauge of milliseconds as seconds. */
static void
add_seconds(
    struct str *s, const char *name, const struct gauges *g, enum gauge gauge)
{
	writer_number(s, name, (double)gauge_of(g, gauge) / 1000);
}

/* Append the drift of each event type; null if it has too few scores. */
static void
add_drift(struct str *s, const struct gauges *g)
{
	static const enum gauge psi[EVENT_TYPE__MAX] = {
#define EVENT_TYPE(type, text, baseline) [EVENT_##type] = GAUGE_psi_##type,
#include "core/event/event_types.tbl"
#undef EVENT_TYPE
	};
	enum event_type type;
	int64_t n;

	writer_array(s, "drift");
	for (type = EVENT_TYPE__NONE + 1; type < EVENT_TYPE__MAX; type++) {
		n = gauge_of(g, psi[type]);
		writer_object(s, NULL);
		writer_text(s, "eventType", event_type_name(type));
		writer_number(s, "psi", n < 0 ? NAN : (double)n / 1e6);
		writer_end(s);
	}
	writer_end(s);
}
