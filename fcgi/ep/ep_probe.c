/* SPDX-License-Identifier: ISC */
/* /health, /readyz and /metrics. */
#include "config.h"

#include <string.h>

#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/decide/model.h"
#include "fcgi/access/rate_limit.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/readiness.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/engine/mmdb_copy.h"
#include "lib/shared/gauge.h"
#include "lib/shared/metric.h"
#include "lib/shared/shm.h"
#include "lib/shared/storage_stats.h"
#include "lib/sys/crypt.h"
#include "lib/sys/log.h"

static const char *geoip_word(const struct shm *shm);
static bool token_matches(const char *token);

/* The values of the label "route" of metrics, by route number. */
static const char *const route_names[ROUTE__MAX + 1] = {
#define ROUTE(method, path, group, access, scope, budget, trail, step_up,      \
    combines, body, limit, fn)                                                 \
	[ROUTE_##fn] = #method " " path,
#include "fcgi/http/routes.tbl"
#undef ROUTE
	[ROUTE__NONE] = "-",
};

static const char *const redis_words[LIMIT_REDIS__MAX] = {
	[LIMIT_SKIPPED] = "skipped",
	[LIMIT_OK] = "ok",
	[LIMIT_DOWN] = "down",
};

_Static_assert((int)ROUTE__MAX <= (int)METRIC_ROUTE,
    "the shared region has a counter for each route");

/* GET /health.  200: the process is alive. */
int
probe_health(struct req *req, struct resp *resp)
{
	return resp_json(req, resp, 200,
	    "{\"status\":\"ok\",\"name\":\"" PACKAGE_NAME
	    "\",\"version\":\"" PACKAGE_VERSION "\"}");
}

/*
 * GET /readyz.  200: this worker can make a decision, and Redis answers if
 * there is one; 503: it cannot or the pool will stop, with the same body and
 * the reason.
 */
int
probe_ready(struct req *req, struct resp *resp)
{
	const enum rate_limit_redis redis = rate_limit_redis(req->worker);
	const bool stops = atomic_load(&req->worker->shm->stop_announced);
	struct readiness store;
	bool ready;
	struct str s;

	readiness_check(req->worker, req->arena, &store);
	ready = store.state == READINESS_YES && redis != LIMIT_DOWN && !stops;
	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_text(&s, "status", ready ? "ready" : "not_ready");
	writer_text(&s, "version", PACKAGE_VERSION);
	writer_object(&s, "checks");
	writer_text(&s, "store", store.store);
	writer_text(&s, "redis", redis_words[redis]);
	writer_text(&s, "geoip", geoip_word(req->worker->shm));
	if (stops)
		writer_text(&s, "pool", "stopping");
	if (store.member != NULL)
		writer_text(&s, store.member, store.why);
	writer_end(&s);
	writer_end(&s);
	return resp_json(req, resp, ready ? 200 : 503, str_text(&s));
}

/*
 * GET /metrics.  200: the counters of all workers and the free space of disks
 * in the Prometheus text format, also without a database; 401: METRICS_TOKEN is
 * set and the bearer token differs.
 */
int
probe_metrics(struct req *req, struct resp *resp)
{
	struct str s;

	if (!token_matches(req->bearer))
		return fail_set(
		    &req->fail, FAIL_DENIED, UNAUTHENTICATED, "", "%s", "");
	str_init(&s, req->arena);
	metric_print(req->worker->shm, route_names, &s);
	gauge_print(&req->worker->shm->gauges, &s);
	readiness_print(req->worker, &s);
	metric_gauge("engine_labels_waiting_max",
	    "LABELS_WAITING_MAX, the limit of engine_labels_waiting",
	    (double)conf.LABELS_WAITING_MAX, &s);
	metric_gauge("engine_model_reach",
	    "The most by which one feature can move the log odds of the active "
	    "model; 0 while no model has scored here",
	    (double)req->worker->shm->model_reach / 1000, &s);
	storage_stats_print(&req->worker->shm->storage, conf.DISK_HEALTH_PATHS,
	    model_bundled(), &s);
	if (resp_json(req, resp, 200, str_text(&s)) == -1)
		return -1;
	resp->content_type = "text/plain; version=0.0.4; charset=utf-8";
	return 0;
}

/*
 * Whether the pool has the GeoIP databases of its settings: none is set, one is
 * not loaded, addresses of one family have no place, or all is well.
 */
static const char *
geoip_word(const struct shm *shm)
{
	const unsigned all = MMDB_IPV4 | MMDB_IPV6;
	unsigned i, known, loaded = 0;

	for (i = 0; i < GEOIP__MAX; i++) {
		if (atomic_load(&shm->geoip[i].state) == GEOIP_FAILED)
			return "failed";
		loaded += atomic_load(&shm->geoip[i].state) == GEOIP_LOADED;
	}
	known = atomic_load(&shm->geoip[GEOIP_PLACES].families) |
	    atomic_load(&shm->geoip[GEOIP_MORE_PLACES].families);
	if (loaded == 0)
		return "none";
	return known == 0 || known == all ? "ok" : "partial";
}

/* Compare digests, so that the time does not reveal even a length. */
static bool
token_matches(const char *token)
{
	uint8_t sent[CRYPT_SHA256_SIZE], wanted[CRYPT_SHA256_SIZE];

	if (conf.METRICS_TOKEN == NULL)
		return true;
	if (token == NULL)
		return false;
	crypt_sha256(token, strlen(token), sent);
	crypt_sha256(conf.METRICS_TOKEN, strlen(conf.METRICS_TOKEN), wanted);
	return crypt_equal(sent, wanted, sizeof(sent));
}
