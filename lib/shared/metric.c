/* SPDX-License-Identifier: ISC */
/* Metrics: each worker has its own counters; printing sums them. */
#include "config.h"

#include <assert.h>
#include <inttypes.h>

#include "core/base/array.h"
#include "core/base/str.h"
#include "lib/engine/mmdb_copy.h"
#include "lib/shared/metric.h"
#include "lib/shared/shm.h"
#include "lib/sys/clock.h"

#define BUCKETS nitems(bounds_us)

/* One label and its values, in the order of their numbers. */
struct metric_label {
	const char *name; /* NULL: no label */
	const char *const *values; /* NULL: the caller's routes */
	size_t n;
};

struct counted {
	const char *name;
	const char *kind;
	const char *help;
	struct metric_label label[2];
	bool histogram;
	bool persisted; /* only companions count it */
	size_t offset; /* of the cells in struct metrics */
};

static uint64_t sum_cell(const struct shm *shm, size_t offset, size_t cell);
static uint64_t companion_count(
    const struct shm *shm, size_t offset, size_t cell);
static uint64_t load_cell(const struct metrics *m, size_t offset, size_t cell);
static void print_counter(const struct shm *shm, const struct counted *c,
    const char *const *routes, struct str *s);
static void print_histogram(
    const struct shm *shm, const struct counted *c, struct str *s);
static void print_labels(const struct counted *c, const char *first,
    const char *second, struct str *s);
static void print_workers(const struct shm *shm, bool busy, struct str *s);
static void print_spool(const struct shm *shm, struct str *s);
static void print_geoip(const struct shm *shm, struct str *s);
static double is_configured(const struct geoip_status *status);
static double is_loaded(const struct geoip_status *status);
static double geoip_age(const struct geoip_status *status);
static double knows_ipv4(const struct geoip_status *status);
static double knows_ipv6(const struct geoip_status *status);
static size_t count_first_values(const struct counted *c);
static const char *value_name(
    const struct metric_label *l, size_t i, const char *const *routes);

/* Upper bounds of the buckets, dense around the usual latencies. */
static const int64_t bounds_us[] = { 500, 1000, 2500, 5000, 10000, 25000, 50000,
	100000, 250000, 500000, 1000000, 2500000, 10000000 };

_Static_assert(METRIC_HISTOGRAM == nitems(bounds_us) + 2,
    "a cell for each bucket, one for the rest, one for the sum");

static const char *const none[] = { "" };
static const char *const verdicts[] = {
#define VERDICT(id, name) name,
#include "core/base/verdicts.tbl"
#undef VERDICT
};
static const char *const booleans[] = { "false", "true" };
static const char *const budgets[] = { "decisions", "login", "labels" };
static const char *const identifiers[] = { "device", "ip", "phone",
	"fingerprint" };
static const char *const asyncs[] = {
#define ASYNC_RESULT(id, name) name,
#include "lib/shared/async_results.tbl"
#undef ASYNC_RESULT
};
static const char *const calls[] = { "answered", "failed", "skipped" };
static const char *const deliveries[] = { "webhook", "alert" };
static const char *const results[] = { "delivered", "failed", "dead" };
static const char *const collections[] = {
#define RETAINED(id, name) #name,
#define COLLECTION(name)
#include "lib/shared/collections.tbl"
#undef COLLECTION
#undef RETAINED
};
static const char *const servers[] = { "standby", "behind", "away" };
static const char *const groups[] = { "decide", "operator" };
static const char *const classes[] = { "1xx", "2xx", "3xx", "4xx", "5xx" };

static const char *const sources[] = { "disk", "url", "s3" };
static const char *const polls[] = { "same", "loaded", "refused" };

static const char *const topics[] = {
#define TOPIC(id, name, subscribers) name,
#include "lib/shared/event_topics.tbl"
#undef TOPIC
};

_Static_assert(METRIC_VERDICT == nitems(verdicts), "verdicts.tbl has more");
_Static_assert(METRIC_ASYNC == nitems(asyncs), "async_results.tbl has more");
_Static_assert(
    METRIC_COLLECTION == nitems(collections), "collections.tbl has more");
_Static_assert(METRIC_TOPIC == nitems(topics), "event_topics.tbl has more");

#define LABEL_NONE                                                             \
	{                                                                      \
		NULL, none, METRIC_NONE                                        \
	}
#define LABEL_VERDICT                                                          \
	{                                                                      \
		"verdict", verdicts, METRIC_VERDICT                            \
	}
#define LABEL_CACHED                                                           \
	{                                                                      \
		"cached", booleans, METRIC_CACHED                              \
	}
#define LABEL_BUDGET                                                           \
	{                                                                      \
		"budget", budgets, METRIC_BUDGET                               \
	}
#define LABEL_IDENTIFIER                                                       \
	{                                                                      \
		"kind", identifiers, METRIC_IDENTIFIER                         \
	}
#define LABEL_ASYNC                                                            \
	{                                                                      \
		"result", asyncs, METRIC_ASYNC                                 \
	}
#define LABEL_CALL                                                             \
	{                                                                      \
		"result", calls, METRIC_CALL                                   \
	}
#define LABEL_DELIVERY                                                         \
	{                                                                      \
		"kind", deliveries, METRIC_DELIVERY                            \
	}
#define LABEL_RESULT                                                           \
	{                                                                      \
		"result", results, METRIC_RESULT                               \
	}
#define LABEL_COLLECTION                                                       \
	{                                                                      \
		"collection", collections, METRIC_COLLECTION                   \
	}
#define LABEL_SERVER                                                           \
	{                                                                      \
		"server", servers, METRIC_SERVER                               \
	}
#define LABEL_GROUP                                                            \
	{                                                                      \
		"group", groups, METRIC_GROUP                                  \
	}
#define LABEL_CLASS                                                            \
	{                                                                      \
		"status", classes, METRIC_CLASS                                \
	}
#define LABEL_TOPIC                                                            \
	{                                                                      \
		"event", topics, METRIC_TOPIC                                  \
	}
#define LABEL_SOURCE                                                           \
	{                                                                      \
		"source", sources, METRIC_SOURCE                               \
	}
#define LABEL_POLL                                                             \
	{                                                                      \
		"result", polls, METRIC_POLL                                   \
	}
#define LABEL_ROUTE                                                            \
	{                                                                      \
		"route", NULL, METRIC_ROUTE                                    \
	}
#define KIND_COUNTER "counter"
#define KIND_PERSISTED "counter"
#define KIND_HISTOGRAM "histogram"
#define IS_COUNTER false
#define IS_PERSISTED true
#define IS_HISTOGRAM false

static const struct counted counted[METRIC__MAX] = {
#define METRIC(id, name, kind, label1, label2, help)                           \
	[METRIC_ID_##id] = { name, KIND_##kind, help,                          \
		{ LABEL_##label1, LABEL_##label2 },                            \
		METRIC_##kind == METRIC_HISTOGRAM, IS_##kind,                  \
		offsetof(struct metrics, id) },
#include "lib/shared/metrics.tbl"
#undef METRIC
};

void
metric_add(struct worker_slot *slot, enum metric metric, size_t i, size_t j,
    uint64_t n)
{
	const struct counted *c = &counted[metric];
	_Atomic uint64_t *cells = (void *)((char *)&slot->metrics + c->offset);

	assert(metric > METRIC__NONE && metric < METRIC__MAX);
	assert(i < c->label[0].n && j < c->label[1].n);
	atomic_fetch_add_explicit(
	    &cells[i * c->label[1].n + j], n, memory_order_relaxed);
}

void
metric_observe(struct worker_slot *slot, enum metric metric, int64_t us)
{
	const struct counted *c = &counted[metric];
	_Atomic uint64_t *cells = (void *)((char *)&slot->metrics + c->offset);
	size_t i;

	assert(metric > METRIC__NONE && metric < METRIC__MAX && c->histogram);
	for (i = 0; i < BUCKETS && us > bounds_us[i]; i++)
		continue;
	atomic_fetch_add_explicit(&cells[i], 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&cells[BUCKETS + 1],
	    us > 0 ? (uint64_t)us : 0, memory_order_relaxed);
}

bool
metric_next(struct metric_cell *cell)
{
	const struct counted *c = &counted[cell->metric];

	if (cell->metric != METRIC__NONE) {
		if (++cell->second < c->label[1].n)
			return true;
		cell->second = 0;
		if (++cell->first < count_first_values(c))
			return true;
		cell->first = 0;
	}
	cell->metric++;
	return cell->metric < METRIC__MAX;
}

bool
metric_find(
    const char *name, int64_t first, int64_t second, struct metric_cell *ret)
{
	const enum metric m = name_index(counted, name);

	if (m == METRIC__NONE || first < 0 || second < 0 ||
	    (uint64_t)first >= count_first_values(&counted[m]) ||
	    (uint64_t)second >= counted[m].label[1].n)
		return false;
	ret->metric = m;
	ret->first = (size_t)first;
	ret->second = (size_t)second;
	return true;
}

const char *
metric_name(const struct metric_cell *cell)
{
	return counted[cell->metric].name;
}

bool
metric_is_persisted(const struct metric_cell *cell)
{
	return counted[cell->metric].persisted;
}

_Atomic uint64_t *
metric_at(struct metrics *m, const struct metric_cell *cell)
{
	const struct counted *c = &counted[cell->metric];
	_Atomic uint64_t *cells = (void *)((char *)m + c->offset);

	return &cells[cell->first * c->label[1].n + cell->second];
}

void
metric_print(const struct shm *shm, const char *const *routes, struct str *s)
{
	const struct counted *c;

	for (c = counted + 1; c < counted + METRIC__MAX; c++) {
		if (c->persisted && atomic_load(&shm->counters.read) == 0)
			continue;
		str_addf(s, "# HELP %s %s\n# TYPE %s %s\n", c->name, c->help,
		    c->name, c->kind);
		if (c->histogram)
			print_histogram(shm, c, s);
		else
			print_counter(shm, c, routes, s);
	}
	print_workers(shm, false, s);
	print_workers(shm, true, s);
	print_spool(shm, s);
	print_geoip(shm, s);
	metric_gauge("engine_gauges_age_seconds",
	    "Time since the metrics of the database were last measured, or "
	    "since the start",
	    (double)(clock_ticks() - atomic_load(&shm->measured_at)) /
		CLOCK_SECOND,
	    s);
}

void
metric_gauge(const char *name, const char *help, double value, struct str *s)
{
	str_addf(
	    s, "# HELP %s %s\n# TYPE %s gauge\n%s ", name, help, name, name);
	str_number(s, value);
	str_addc(s, '\n');
}

/* Sum a cell over all slots, and add the counters of companions. */
static uint64_t
sum_cell(const struct shm *shm, size_t offset, size_t cell)
{
	uint64_t total = companion_count(shm, offset, cell);
	size_t i;

	for (i = 0; i < SHM_SLOTS; i++)
		if (atomic_load(&shm->slot[i].group) != 0)
			total += load_cell(&shm->slot[i].metrics, offset, cell);
	return total;
}

/* The part of a cell that companions counted since the pool started. */
static uint64_t
companion_count(const struct shm *shm, size_t offset, size_t cell)
{
	const struct companion_counters *co = &shm->counters;

	if (atomic_load(&co->read) == 0)
		return 0;
	return load_cell(&co->now, offset, cell) -
	    load_cell(&co->base, offset, cell);
}

static uint64_t
load_cell(const struct metrics *m, size_t offset, size_t cell)
{
	const _Atomic uint64_t *cells =
	    (const void *)((const char *)m + offset);

	return atomic_load_explicit(&cells[cell], memory_order_relaxed);
}

static void
print_counter(const struct shm *shm, const struct counted *c,
    const char *const *routes, struct str *s)
{
	const char *first, *second;
	size_t i, j;

	for (i = 0; i < c->label[0].n; i++) {
		if ((first = value_name(&c->label[0], i, routes)) == NULL)
			break;
		for (j = 0; j < c->label[1].n; j++) {
			second = value_name(&c->label[1], j, routes);
			str_add(s, c->name);
			print_labels(c, first, second, s);
			str_addf(s, " %" PRIu64 "\n",
			    sum_cell(shm, c->offset, i * c->label[1].n + j));
		}
	}
}

static void
print_histogram(const struct shm *shm, const struct counted *c, struct str *s)
{
	uint64_t total = 0;
	size_t i;

	for (i = 0; i < BUCKETS; i++) {
		total += sum_cell(shm, c->offset, i);
		str_addf(s, "%s_bucket{le=\"", c->name);
		str_number(s, (double)bounds_us[i] / 1e6);
		str_addf(s, "\"} %" PRIu64 "\n", total);
	}
	total += sum_cell(shm, c->offset, BUCKETS);
	str_addf(s, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", c->name, total);
	str_addf(s, "%s_sum ", c->name);
	str_number(s, (double)sum_cell(shm, c->offset, BUCKETS + 1) / 1e6);
	str_addf(s, "\n%s_count %" PRIu64 "\n", c->name, total);
}

/* Print {name="value",...}, or nothing without labels. */
static void
print_labels(const struct counted *c, const char *first, const char *second,
    struct str *s)
{
	if (c->label[0].name == NULL)
		return;
	str_addf(s, "{%s=\"%s\"", c->label[0].name, first);
	if (c->label[1].name != NULL)
		str_addf(s, ",%s=\"%s\"", c->label[1].name, second);
	str_addc(s, '}');
}

/* Print the number of workers of each group, all or only the busy ones. */
static void
print_workers(const struct shm *shm, bool busy, struct str *s)
{
	const char *name = busy ? "engine_workers_busy" : "engine_workers";
	const struct worker_slot *sl;
	unsigned int n[METRIC_GROUP] = { 0 };
	int group;

	for (sl = shm->slot; sl < shm->slot + SHM_SLOTS; sl++) {
		group = atomic_load(&sl->group);
		if (atomic_load(&sl->pid) != 0 &&
		    (!busy || atomic_load(&sl->due) > 0))
			n[group - 1]++;
	}
	str_addf(s, "# HELP %s %s\n# TYPE %s gauge\n", name,
	    busy ? "Workers that serve a request" : "Running workers", name);
	for (group = 0; group < METRIC_GROUP; group++)
		str_addf(
		    s, "%s{group=\"%s\"} %u\n", name, groups[group], n[group]);
}

/* Print the number and age of the records in the spool. */
static void
print_spool(const struct shm *shm, struct str *s)
{
	const int64_t records = atomic_load(&shm->spool_records);
	const int64_t oldest = atomic_load(&shm->spool_oldest);
	const int64_t age = oldest == 0 ? 0 : clock_now() - oldest;

	metric_gauge("engine_spool_records",
	    "Degraded decisions in the spool that are not in the database yet",
	    records > 0 ? (double)records : 0, s);
	metric_gauge("engine_spool_oldest_seconds",
	    "Age of the oldest of these decisions, 0 if there is none",
	    records > 0 && age > 0 ? (double)age / CLOCK_SECOND : 0, s);
	metric_gauge("engine_database_up",
	    "0 while the decide workers cannot reach the database, else 1",
	    atomic_load(&shm->retry_at) == 0 ? 1 : 0, s);
}

static void
print_geoip(const struct shm *shm, struct str *s)
{
	static const char *const subjects[] = {
		[GEOIP_PLACES] = "places",
		[GEOIP_MORE_PLACES] = "more",
		[GEOIP_ASN] = "asn",
	};
	static const struct {
		const char *name;
		const char *help;
		double (*value)(const struct geoip_status *status);
	} gauges[] = {
		{ "engine_geoip_configured",
		    "1 if the GeoIP database is set, else 0", is_configured },
		{ "engine_geoip_loaded",
		    "1 if the pool has loaded the GeoIP database, else 0",
		    is_loaded },
		{ "engine_geoip_age_seconds",
		    "Time since the GeoIP database was built, 0 if it is not "
		    "loaded",
		    geoip_age },
		{ "engine_geoip_ipv4",
		    "1 if the loaded GeoIP database knows any IPv4 address",
		    knows_ipv4 },
		{ "engine_geoip_ipv6",
		    "1 if the loaded GeoIP database knows any IPv6 address",
		    knows_ipv6 },
	};
	size_t i, j;

	for (i = 0; i < nitems(gauges); i++) {
		str_addf(s, "# HELP %s %s\n# TYPE %s gauge\n", gauges[i].name,
		    gauges[i].help, gauges[i].name);
		for (j = 0; j < GEOIP__MAX; j++) {
			str_addf(s, "%s{database=\"%s\"} ", gauges[i].name,
			    subjects[j]);
			str_number(s, gauges[i].value(&shm->geoip[j]));
			str_addc(s, '\n');
		}
	}
}

static double
is_configured(const struct geoip_status *status)
{
	return atomic_load(&status->state) != GEOIP_NONE;
}

static double
is_loaded(const struct geoip_status *status)
{
	return atomic_load(&status->state) == GEOIP_LOADED;
}

static double
geoip_age(const struct geoip_status *status)
{
	const int64_t age = clock_now() - atomic_load(&status->built);

	return age > 0 && atomic_load(&status->state) == GEOIP_LOADED
	    ? (double)age / CLOCK_SECOND
	    : 0;
}

static double
knows_ipv4(const struct geoip_status *status)
{
	return (atomic_load(&status->families) & MMDB_IPV4) != 0;
}

static double
knows_ipv6(const struct geoip_status *status)
{
	return (atomic_load(&status->families) & MMDB_IPV6) != 0;
}

/* The number of values of the first label, or of cells of a histogram. */
static size_t
count_first_values(const struct counted *c)
{
	return c->histogram ? METRIC_HISTOGRAM : c->label[0].n;
}

/* The name of a value; NULL after the last route. */
static const char *
value_name(const struct metric_label *l, size_t i, const char *const *routes)
{
	return l->values == NULL ? routes[i] : l->values[i];
}
