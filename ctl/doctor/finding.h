/* SPDX-License-Identifier: ISC */
/* What a check found, and how bad it is. */
#ifndef CTL_DOCTOR_FINDING_H
#define CTL_DOCTOR_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str;

#define FINDING_SIZE 512
#define FINDING_NEVER INT64_MAX /* as a limit */

/* From good to bad. */
enum doctor_state {
	DOCTOR_OK = 1,
	DOCTOR_UNKNOWN,
	DOCTOR_WARN,
	DOCTOR_CRITICAL,
	DOCTOR_STATE__MAX
};

/* One line of the report; its text says what was found. */
struct finding {
	const char *name;
	const char *advice;
	int64_t warn; /* limits, see doctor_checks.tbl */
	int64_t critical;
	enum doctor_state state;
	char text[FINDING_SIZE];
};

/* Set the text and keep the state. */
void finding_text(struct finding *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* If state is worse than that of f, set it and the text. */
void finding_raise(struct finding *f, enum doctor_state state, const char *fmt,
    ...) __attribute__((format(printf, 3, 4)));

/* The state of a measured value by the limits of f. */
enum doctor_state finding_limit(const struct finding *f, int64_t value);

/*
 * The exit status for the worst of n findings, as plugins of Nagios have it: 0
 * ok, 1 warn, 2 critical, 3 unknown.
 */
int finding_exit(const struct finding *list, size_t n);

/*
 * Append the first line of the report: the state, what is not ok, and the
 * numbers of findings as performance data of Nagios.
 */
void finding_summary(struct str *s, const struct finding *list, size_t n);

/* Append the findings as a table for people. */
void finding_table(
    struct str *s, const struct finding *list, size_t n, bool colour);

/* Append the findings as one JSON object. */
void finding_json(struct str *s, const struct finding *list, size_t n);

#endif
