/* SPDX-License-Identifier: ISC */
/* ctl/doctor: what assayctl doctor thinks of what it reads. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/str.h"
#include "ctl/doctor/finding.h"
#include "ctl/doctor/server_facts.h"
#include "ctl/doctor/site_value.h"
#include "ctl/doctor/unit_state.h"
#include "t/unit/unit.h"

#define MIB (INT64_C(1) << 20)
#define MINUTE_MS INT64_C(60000)

static const struct {
	int64_t warn, critical, value;
	enum doctor_state want;
} limits[] = {
	{ 80, 95, 79, DOCTOR_OK },
	{ 80, 95, 80, DOCTOR_WARN },
	{ 80, 95, 95, DOCTOR_CRITICAL },
	{ 3, 1, 3, DOCTOR_OK },
	{ 3, 1, 2, DOCTOR_WARN },
	{ 3, 1, 0, DOCTOR_CRITICAL },
	{ 60, FINDING_NEVER, 1000, DOCTOR_WARN },
	{ FINDING_NEVER, FINDING_NEVER, 1000, DOCTOR_OK },
};

START_TEST(limits_rise_or_fall)
{
	const struct finding f = { .warn = limits[_i].warn,
		.critical = limits[_i].critical };

	ck_assert_int_eq(finding_limit(&f, limits[_i].value), limits[_i].want);
}
END_TEST

/* A healthy server, from which each case changes one aspect. */
static const struct server_facts healthy = { .version = "15.8",
	.version_number = 150008,
	.migration = 20,
	.known = 20,
	.fsync = true,
	.full_page_writes = true,
	.synchronous_commit = "on",
	.synchronous_names = "",
	.connections_max = 97,
	.connections = 12,
	.pool_max = 20,
	.bytes = 40 * MIB,
	.tables = "verdict_log 8 MB",
	.months_ahead = 24,
	.swept = 10 * MINUTE_MS,
	.sweep_minutes = 60 };

#define FAULT(name, check, state, text, change)                                \
	static void break_##name(struct server_facts *s) { change; }
#include "t/unit/doctor_faults.tbl"
#undef FAULT

/* The limits of the checks. */
#define NEVER FINDING_NEVER
#define HOST_CHECK(id, name, settings, warn, critical, advice)
#define SERVER_CHECK(id, name, from, worse, advice)                            \
	static const struct finding fresh_##id = {                             \
		.warn = from, .critical = worse, .state = DOCTOR_OK            \
	};
#include "ctl/doctor/doctor_checks.tbl"
#undef NEVER
#undef HOST_CHECK
#undef SERVER_CHECK

static const struct {
	void (*judge)(const struct server_facts *, struct finding *);
	void (*change)(struct server_facts *);
	const struct finding *fresh;
	enum doctor_state state;
	const char *text;
} faults[] = {
#define FAULT(name, check, state, text, change)                                \
	{ server_judge_##check, break_##name, &fresh_##check, DOCTOR_##state,  \
		text },
#include "t/unit/doctor_faults.tbl"
#undef FAULT
};

START_TEST(each_fault_of_the_server_is_found)
{
	struct server_facts s = healthy;
	struct finding f = *faults[_i].fresh;

	faults[_i].judge(&s, &f);
	ck_assert_int_eq(f.state, DOCTOR_OK);
	ck_assert_str_ne(f.text, "");
	faults[_i].change(&s);
	f = *faults[_i].fresh;
	faults[_i].judge(&s, &f);
	ck_assert_int_eq(f.state, faults[_i].state);
	ck_assert_msg(strstr(f.text, faults[_i].text) != NULL, "%s", f.text);
}
END_TEST

START_TEST(size_names_the_largest_tables)
{
	struct finding f = fresh_size;

	server_judge_size(&healthy, &f);
	ck_assert_str_eq(
	    f.text, "40 MiB; the largest tables: verdict_log 8 MB");
}
END_TEST

#define TARGET(active, file)                                                   \
	"Id=assay.target\nActiveState=" active "\nUnitFileState=" file "\n\n"
#define POOL(active) "Id=assay-fcgi.service\nActiveState=" active "\n"

static const struct {
	const char *text;
	enum doctor_state state;
	const char *found;
} units[] = {
	{ TARGET("active", "enabled") POOL("active"), DOCTOR_OK,
	    "2 are active" },
	{ TARGET("active", "enabled") POOL("reloading"), DOCTOR_OK,
	    "2 are active" },
	{ TARGET("active", "enabled") POOL("inactive"), DOCTOR_CRITICAL,
	    "assay-fcgi.service is inactive" },
	{ TARGET("inactive", "enabled") POOL("active"), DOCTOR_CRITICAL,
	    "assay.target is inactive" },
	{ TARGET("inactive", "disabled") POOL("active"), DOCTOR_OK,
	    "1 are active" },
	{ TARGET("inactive", "disabled") POOL("failed"), DOCTOR_CRITICAL,
	    "assay-fcgi.service is failed" },
	{ TARGET("inactive", "disabled") POOL("inactive"), DOCTOR_WARN,
	    "no unit of Assay is active" },
	{ "", DOCTOR_WARN, "no unit of Assay is active" },
};

START_TEST(units_that_should_run_are_found)
{
	struct finding f = { .state = DOCTOR_OK };
	char text[512];

	snprintf(text, sizeof(text), "%s", units[_i].text);
	unit_state_judge(text, &f);
	ck_assert_int_eq(f.state, units[_i].state);
	ck_assert_str_eq(f.text, units[_i].found);
}
END_TEST

START_TEST(site_values_are_found)
{
	char text[] = "# ssl_certificate /comment;\n"
		      "	ssl_certificate_key /a.key;\n"
		      "	ssl_certificate /a.pem; # first\n"
		      "ssl_certificate	/b.pem;\n";
	char *at = text;

	ck_assert_str_eq(site_value(&at, "ssl_certificate"), "/a.pem");
	ck_assert_str_eq(site_value(&at, "ssl_certificate"), "/b.pem");
	ck_assert_ptr_null(site_value(&at, "ssl_certificate"));
	ck_assert_ptr_null(site_value(&at, "ssl_certificate"));
}
END_TEST

static _Alignas(16) char block[1 << 16];

static const struct finding report[] = {
	{ .name = "disk",
	    .advice = "free space",
	    .state = DOCTOR_OK,
	    .text = "5 % full" },
	{ .name = "redis",
	    .advice = "start it",
	    .state = DOCTOR_WARN,
	    .text = "a\033b\nc" },
	{ .name = "files",
	    .advice = "chmod",
	    .state = DOCTOR_UNKNOWN,
	    .text = "\"q\"" },
	{ .name = "clock",
	    .advice = "chrony",
	    .state = DOCTOR_CRITICAL,
	    .text = "late" },
};

static const struct {
	size_t n;
	const char *summary;
	int exit;
} summaries[] = {
	{ 0, "ASSAY OK | ok=0 unknown=0 warn=0 critical=0\n", 0 },
	{ 1, "ASSAY OK | ok=1 unknown=0 warn=0 critical=0\n", 0 },
	{ 2, "ASSAY WARNING: redis warn | ok=1 unknown=0 warn=1 critical=0\n",
	    1 },
	{ 3,
	    "ASSAY WARNING: redis warn, files unknown | "
	    "ok=1 unknown=1 warn=1 critical=0\n",
	    1 },
	{ 4,
	    "ASSAY CRITICAL: clock critical, redis warn, files unknown | "
	    "ok=1 unknown=1 warn=1 critical=1\n",
	    2 },
};

START_TEST(first_line_and_status_are_those_of_a_plugin)
{
	struct arena a;
	struct str s;

	arena_init(&a, block, sizeof(block));
	str_init(&s, &a);
	finding_summary(&s, report, summaries[_i].n);
	ck_assert_str_eq(str_text(&s), summaries[_i].summary);
	ck_assert_int_eq(
	    finding_exit(report, summaries[_i].n), summaries[_i].exit);
	ck_assert_int_eq(finding_exit(report + 2, 1), 3);
	arena_reset(&a);
}
END_TEST

START_TEST(table_has_advice_for_faults_only)
{
	struct arena a;
	struct str s;

	arena_init(&a, block, sizeof(block));
	str_init(&s, &a);
	finding_table(&s, report, 2, false);
	ck_assert_str_eq(str_text(&s),
	    "ok        disk          5 % full\n"
	    "warn      redis         a?b c\n"
	    "          to do         start it\n");
	str_init(&s, &a);
	finding_table(&s, report + 3, 1, true);
	ck_assert_ptr_nonnull(strstr(str_text(&s), "\033[31mcritical\033[0m"));
	arena_reset(&a);
}
END_TEST

START_TEST(json_has_each_finding)
{
	struct arena a;
	struct str s;

	arena_init(&a, block, sizeof(block));
	str_init(&s, &a);
	finding_json(&s, report, 1);
	ck_assert_str_eq(str_text(&s),
	    "{\"state\":\"ok\",\"checks\":[{\"check\":\"disk\","
	    "\"state\":\"ok\",\"found\":\"5 % full\"}]}\n");
	str_init(&s, &a);
	finding_json(&s, report + 2, 1);
	ck_assert_str_eq(str_text(&s),
	    "{\"state\":\"unknown\",\"checks\":[{\"check\":\"files\","
	    "\"state\":\"unknown\",\"found\":\"\\\"q\\\"\","
	    "\"toDo\":\"chmod\"}]}\n");
	arena_reset(&a);
}
END_TEST

Suite *
suite_doctor(void)
{
	Suite *s = suite_create("doctor");
	TCase *tc = tcase_create("doctor");

	tcase_add_loop_test(tc, limits_rise_or_fall, 0, (int)nitems(limits));
	tcase_add_loop_test(
	    tc, each_fault_of_the_server_is_found, 0, (int)nitems(faults));
	tcase_add_test(tc, size_names_the_largest_tables);
	tcase_add_loop_test(
	    tc, units_that_should_run_are_found, 0, (int)nitems(units));
	tcase_add_test(tc, site_values_are_found);
	tcase_add_loop_test(tc, first_line_and_status_are_those_of_a_plugin, 0,
	    (int)nitems(summaries));
	tcase_add_test(tc, table_has_advice_for_faults_only);
	tcase_add_test(tc, json_has_each_finding);
	suite_add_tcase(s, tc);
	return s;
}
