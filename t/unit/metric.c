/* SPDX-License-Identifier: ISC */
/* lib/shared/metric.c: sums over workers, in the Prometheus text format. */
#include "config.h"

#include <string.h>

#include "core/base/arena.h"
#include "core/base/str.h"
#include "lib/shared/companion_counter.h"
#include "lib/shared/metric.h"
#include "lib/shared/shm.h"
#include "lib/sys/clock.h"
#include "t/unit/unit.h"

static _Alignas(16) char block[1 << 20];

/* Print all metrics into an arena that the next call reuses. */
static const char *
print(const struct shm *shm)
{
	static const char *const routes[] = { "GET /health", "-", NULL };
	static struct arena a;
	struct str s;

	arena_reset(&a);
	arena_init(&a, block, sizeof(block));
	str_init(&s, &a);
	metric_print(shm, routes, &s);
	ck_assert_ptr_nonnull(str_text(&s));
	return str_text(&s);
}

#define HAS(text, want) ck_assert_ptr_nonnull(strstr(text, want))

START_TEST(unused_metrics_print_zero)
{
	struct shm *shm = shm_new(NULL);
	const char *text = print(shm);

	HAS(text, "# TYPE engine_decisions_total counter\n");
	HAS(text,
	    "engine_decisions_total{verdict=\"allow\",cached=\"false\"} 0\n");
	HAS(text,
	    "engine_decisions_total{verdict=\"deny\",cached=\"true\"} 0\n");
	HAS(text, "engine_decision_duration_seconds_bucket{le=\"+Inf\"} 0\n");
	HAS(text, "engine_decision_duration_seconds_sum 0\n");
	HAS(text, "engine_rate_limited_total{budget=\"login\"} 0\n");
	HAS(text, "engine_degraded_total 0\n");
	HAS(text, "engine_http_requests_total{route=\"-\",status=\"5xx\"} 0\n");
	HAS(text, "engine_workers{group=\"operator\"} 0\n");
	HAS(text, "engine_spool_records 0\n");
	HAS(text, "engine_spool_oldest_seconds 0\n");
	HAS(text, "engine_database_up 1\n");
	shm_free(shm);
}
END_TEST

START_TEST(metrics_are_summed_over_slots)
{
	struct shm *shm = shm_new(NULL);
	struct worker_slot *a = &shm->slot[0], *b = &shm->slot[SHM_SLOTS - 1];
	const char *text;

	atomic_store(&a->group, 1);
	atomic_store(&a->pid, 10);
	atomic_store(&b->group, 2);
	atomic_store(&b->pid, 11);
	atomic_store(&b->due, 1);
	metric_add(a, METRIC_ID_DECISIONS, 3, 1, 2);
	metric_add(b, METRIC_ID_DECISIONS, 3, 1, 40);
	metric_observe(a, METRIC_ID_DECISION_SECONDS, 1000);
	metric_observe(b, METRIC_ID_DECISION_SECONDS, 1001);
	metric_observe(b, METRIC_ID_DECISION_SECONDS, INT64_C(20000000));
	text = print(shm);
	HAS(text,
	    "engine_decisions_total{verdict=\"deny\",cached=\"true\"} 42\n");
	HAS(text, "engine_decision_duration_seconds_bucket{le=\"0.001\"} 1\n");
	HAS(text, "engine_decision_duration_seconds_bucket{le=\"0.0025\"} 2\n");
	HAS(text, "engine_decision_duration_seconds_bucket{le=\"10\"} 2\n");
	HAS(text, "engine_decision_duration_seconds_bucket{le=\"+Inf\"} 3\n");
	HAS(text, "engine_decision_duration_seconds_sum 20.002001\n");
	HAS(text, "engine_decision_duration_seconds_count 3\n");
	HAS(text, "engine_workers{group=\"decide\"} 1\n");
	HAS(text, "engine_workers_busy{group=\"decide\"} 0\n");
	HAS(text, "engine_workers_busy{group=\"operator\"} 1\n");

	/* The counts of a dead worker stay in its slot for the next one. */
	atomic_store(&a->pid, 0);
	HAS(print(shm),
	    "engine_decisions_total{verdict=\"deny\",cached=\"true\"} 42\n");
	shm_free(shm);
}
END_TEST

/*
 * A counter that both the pool and companions raise includes only what
 * companions added since the pool started.
 */
START_TEST(companion_counts_since_start_are_added)
{
	struct metric_cell cell = { 0 };
	struct shm *shm = shm_new(NULL);
	struct worker_slot *slot = &shm->slot[0];
	struct companion_counters *co = &shm->counters;

	atomic_store(&slot->group, 1);
	metric_add(slot, METRIC_ID_PARTIAL, 0, 0, 1);
	ck_assert(metric_find("engine_spool_partial_total", 0, 0, &cell));
	atomic_store(metric_at(&co->now, &cell), 40);
	atomic_store(metric_at(&co->base, &cell), 30);
	HAS(print(shm), "engine_spool_partial_total 1\n");
	atomic_store(&co->read, 1);
	HAS(print(shm), "engine_spool_partial_total 11\n");
	shm_free(shm);
}
END_TEST

/* A database may be loaded although its time is 0. */
START_TEST(gauges_show_whether_geoip_is_loaded)
{
	struct shm *shm = shm_new(NULL);
	struct geoip_status *places = &shm->geoip[GEOIP_PLACES];

	HAS(print(shm), "engine_geoip_configured{database=\"places\"} 0\n");
	atomic_store(&places->state, GEOIP_FAILED);
	HAS(print(shm), "engine_geoip_configured{database=\"places\"} 1\n");
	HAS(print(shm), "engine_geoip_configured{database=\"asn\"} 0\n");
	HAS(print(shm), "engine_geoip_loaded{database=\"places\"} 0\n");
	HAS(print(shm), "engine_geoip_age_seconds{database=\"places\"} 0\n");
	atomic_store(&places->state, GEOIP_LOADED);
	HAS(print(shm), "engine_geoip_loaded{database=\"places\"} 1\n");
	HAS(print(shm), "engine_geoip_loaded{database=\"asn\"} 0\n");
	ck_assert_ptr_null(strstr(
	    print(shm), "engine_geoip_age_seconds{database=\"places\"} 0\n"));
	HAS(print(shm), "engine_geoip_age_seconds{database=\"asn\"} 0\n");
	atomic_store(&places->built, INT64_MAX);
	HAS(print(shm), "engine_geoip_age_seconds{database=\"places\"} 0\n");
	shm_free(shm);
}
END_TEST

START_TEST(gauges_have_an_age)
{
	struct shm *shm = shm_new(NULL);

	HAS(print(shm), "engine_gauges_age_seconds 0");
	atomic_store(&shm->measured_at, clock_ticks() - 90 * CLOCK_SECOND);
	HAS(print(shm), "engine_gauges_age_seconds 90");
	shm_free(shm);
}
END_TEST

START_TEST(each_cell_is_visited_once_and_found_by_name)
{
	struct metric_cell cell = { 0 }, found;
	struct metrics m = { 0 };
	size_t n = 0;

	while (metric_next(&cell)) {
		n++;
		ck_assert(metric_find(metric_name(&cell), (int64_t)cell.first,
		    (int64_t)cell.second, &found));
		ck_assert_int_eq(found.metric, cell.metric);
		ck_assert_uint_eq(found.first, cell.first);
		ck_assert_uint_eq(found.second, cell.second);
		ck_assert_uint_eq(atomic_fetch_add(metric_at(&m, &cell), 1), 0);
	}
	ck_assert_uint_eq(n, sizeof(m) / sizeof(uint64_t));
}
END_TEST

START_TEST(unknown_cell_is_not_found)
{
	const char *name = "engine_decisions_total";
	struct metric_cell cell;

	ck_assert(metric_find(name, 3, 1, &cell));
	ck_assert(!metric_find(name, 4, 0, &cell));
	ck_assert(!metric_find(name, 0, 2, &cell));
	ck_assert(!metric_find(name, -1, 0, &cell));
	ck_assert(!metric_find(name, 0, INT64_MIN, &cell));
	ck_assert(!metric_find("engine_nonsense_total", 0, 0, &cell));
	name = "engine_decision_duration_seconds";
	ck_assert(metric_find(name, METRIC_HISTOGRAM - 1, 0, &cell));
	ck_assert(!metric_find(name, METRIC_HISTOGRAM, 0, &cell));
}
END_TEST

Suite *
suite_metric(void)
{
	Suite *s = suite_create("metric");
	TCase *tc = tcase_create("metric");

	tcase_add_test(tc, unused_metrics_print_zero);
	tcase_add_test(tc, metrics_are_summed_over_slots);
	tcase_add_test(tc, companion_counts_since_start_are_added);
	tcase_add_test(tc, gauges_show_whether_geoip_is_loaded);
	tcase_add_test(tc, gauges_have_an_age);
	tcase_add_test(tc, each_cell_is_visited_once_and_found_by_name);
	tcase_add_test(tc, unknown_cell_is_not_found);
	suite_add_tcase(s, tc);
	return s;
}
