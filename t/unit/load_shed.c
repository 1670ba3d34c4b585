/* SPDX-License-Identifier: ISC */
/* fcgi/gate/load_shed.c: which requests are refused, and for how long. */
#include "config.h"

#include "fcgi/gate/load_shed.h"
#include "fcgi/http/route_type.h"
#include "lib/shared/shm.h"
#include "t/unit/unit.h"

#define MS INT64_C(1000)

static const struct route decision = { .group = GROUP_DECIDE,
	.access = ACCESS_APIKEY };
static const struct route probe = { .group = GROUP_DECIDE,
	.access = ACCESS_PUBLIC };
static const struct route login = { .group = GROUP_OPERATOR,
	.access = ACCESS_PUBLIC };

/* Requests in this order; they share one region. */
static const struct {
	const struct route *route;
	int64_t ticks, waited; /* ms */
	bool refused;
} requests[] = {
	{ &login, 100, 0, false },
	{ &decision, 100, 1000, false },
	{ &decision, 3000, 1001, true },
	{ &probe, 3000, 60000, false },
	{ &login, 3999, 0, true },
	{ &login, 4000, 0, false },
	{ &login, 4000, 1001, true },
	{ &decision, 5000, 500, false },
	{ &login, 5000, 0, false },
	{ &decision, 6000, 501, false },
	{ &login, 6001, 0, true },
	{ &login, 6900, 0, true },
	/* Probes wait while a pool starts. */
	{ &probe, 7100, 60000, false },
	{ &login, 7100, 0, false },
	{ &decision, 7100, 0, false },
	{ &login, 7900, 0, false },
	/* A long wait of an operator does not refuse later operators. */
	{ &login, 9000, 900, false },
	{ &login, 9001, 0, false },
};

START_TEST(late_decisions_refuse_operators_for_a_second)
{
	struct shm *shm = shm_new(NULL);
	size_t i;

	ck_assert_ptr_nonnull(shm);
	for (i = 0; i < nitems(requests); i++)
		ck_assert_msg(
		    load_shed_refuses(shm, requests[i].route,
			requests[i].waited * MS,
			requests[i].ticks * MS) == requests[i].refused,
		    "request %zu", i);
	shm_free(shm);
}
END_TEST

Suite *
suite_load_shed(void)
{
	Suite *s = suite_create("load_shed");
	TCase *tc = tcase_create("load_shed");

	tcase_add_test(tc, late_decisions_refuse_operators_for_a_second);
	suite_add_tcase(s, tc);
	return s;
}
