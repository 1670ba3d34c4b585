/* SPDX-License-Identifier: ISC */
/* The only reader of clocks, and the text form of times. */
#ifndef LIB_SYS_CLOCK_H
#define LIB_SYS_CLOCK_H

#include <stdint.h>

#define CLOCK_TEXT_SIZE 25 /* "2026-11-21T03:45:12.345Z" and NUL */
#define CLOCK_EXACT_SIZE 28 /* "2026-11-21T03:45:12.345678Z" and NUL */
#define CLOCK_SECOND INT64_C(1000000)

/* Microseconds since 1970-01-01 UTC. */
int64_t clock_now(void);

/* Microseconds of a monotonic clock; use only differences of two values. */
int64_t clock_ticks(void);

/* Write a time as ISO 8601, UTC, milliseconds (cut, not rounded) and "Z". */
void clock_text(int64_t us, char ret[CLOCK_TEXT_SIZE]);

/* The same with all of its microseconds. */
void clock_exact(int64_t us, char ret[CLOCK_EXACT_SIZE]);

/*
 * Read an ISO 8601 date and time: T or a space between them, any number of
 * fraction digits, and Z, a numeric offset or no zone (UTC).  Returns 0, or
 * -1 if text has another form.
 */
int clock_parse(const char *text, int64_t *ret)
    __attribute__((warn_unused_result));

#endif
