/* SPDX-License-Identifier: ISC */
/* Run the unit suites: all of them, or CK_RUN_SUITE=name for one. */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/unit/unit.h"

/*
 * Each test gets a new process.  AddressSanitizer searches for leaks when a
 * process ends, which takes 0.2 s: with it, all tests of a suite run in one
 * process.
 */
#ifdef __SANITIZE_ADDRESS__
#define PROCESSES CK_NOFORK
#else
#define PROCESSES CK_FORK
#endif

static const struct {
	const char *name;
	Suite *(*make)(void);
	enum fork_status processes;
} suites[] = {
#define SUITE(name) { #name, suite_##name, PROCESSES },
#define SUITE_APART(name) { #name, suite_##name, CK_FORK },
#include "t/unit/suites.tbl"
#undef SUITE_APART
#undef SUITE
};

/* Run a suite in another process.  Return whether all tests passed. */
static bool
run(Suite *(*make)(void), enum fork_status processes)
{
	SRunner *runner;
	int failed, status;
	pid_t pid;

	fflush(stdout);
	if ((pid = fork()) == 0) {
		runner = srunner_create(make());
		srunner_set_fork_status(runner, processes);
		srunner_run_all(runner, CK_ENV);
		failed = srunner_ntests_failed(runner);
		srunner_free(runner);
		exit(failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
	}
	return pid != -1 && waitpid(pid, &status, 0) == pid && status == 0;
}

int
main(void)
{
	const char *only = getenv("CK_RUN_SUITE");
	int ret = EXIT_SUCCESS;
	size_t i;

	for (i = 0; i < nitems(suites); i++)
		if (only == NULL || strcmp(only, suites[i].name) == 0)
			if (!run(suites[i].make, suites[i].processes))
				ret = EXIT_FAILURE;
	return ret;
}
