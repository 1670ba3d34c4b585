/* SPDX-License-Identifier: ISC */
/* Run the unit suites: all of them, or CK_RUN_SUITE=name for one. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "t/unit/unit.h"

/*
 * Each test gets a new process.  AddressSanitizer searches for leaks when a
 * process ends, which takes 0.2 s: with it, all tests run in one process,
 * except those of the suites that are SUITE_APART.
 */
#ifdef __SANITIZE_ADDRESS__
#define TOGETHER CK_NOFORK
#else
#define TOGETHER CK_FORK
#endif

static const struct suite {
	const char *name;
	Suite *(*make)(void);
	enum fork_status processes;
} suites[] = {
#define SUITE(name) { #name, suite_##name, TOGETHER },
#define SUITE_APART(name) { #name, suite_##name, CK_FORK },
#include "t/unit/suites.tbl"
#undef SUITE_APART
#undef SUITE
};

/*
 * Run the suites with this fork status, or only the one of that name.  Return
 * whether all tests passed.
 */
static bool
run(enum fork_status processes, const char *only)
{
	SRunner *runner = srunner_create(NULL);
	const struct suite *s;
	bool passed;

	for (s = suites; s < suites + nitems(suites); s++)
		if (s->processes == processes &&
		    (only == NULL || strcmp(only, s->name) == 0))
			srunner_add_suite(runner, s->make());
	srunner_set_fork_status(runner, processes);
	srunner_run_all(runner, CK_ENV);
	passed = srunner_ntests_failed(runner) == 0;
	srunner_free(runner);
	return passed;
}

int
main(void)
{
	const char *only = getenv("CK_RUN_SUITE");
	bool passed = run(CK_FORK, only);

	if (TOGETHER == CK_NOFORK)
		passed = run(CK_NOFORK, only) && passed;
	return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
