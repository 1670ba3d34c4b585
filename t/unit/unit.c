/* SPDX-License-Identifier: ISC */
/* Run the unit suites: all of them, or CK_RUN_SUITE=name for one. */
#include "config.h"

#include <stdlib.h>

#include "t/unit/unit.h"

int
main(void)
{
	SRunner *runner;
	int failed;

	runner = srunner_create(NULL);
#define SUITE(name) srunner_add_suite(runner, suite_##name());
#include "t/unit/suites.tbl"
#undef SUITE
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
