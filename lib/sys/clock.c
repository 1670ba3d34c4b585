/* SPDX-License-Identifier: ISC */
/* The only reader of clocks, and the text form of times. */
#include "config.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lib/sys/clock.h"

#define DAY_SECONDS (24 * 60 * 60)
#define LEAP_SECOND 60

/* The parts of a time as the text gives them. */
struct fields {
	int year, month, day, hour, minute, second;
	int64_t us;
	int offset; /* seconds east of UTC */
};

static int64_t read_clock(clockid_t id);
static bool parse_digits(const char **p, int n, int *ret);
static bool parse_separator(const char **p, const char *any);
static bool parse_date(const char **p, struct fields *fi);
static bool time_of_day(const char **p, struct fields *fi);
static bool parse_seconds(const char **p, struct fields *fi);
static void parse_fraction(const char **p, struct fields *fi);
static bool parse_zone(const char **p, struct fields *fi);

int64_t
clock_now(void)
{
	return read_clock(CLOCK_REALTIME);
}

int64_t
clock_ticks(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

void
clock_text(int64_t us, char ret[CLOCK_TEXT_SIZE])
{
	char exact[CLOCK_EXACT_SIZE];

	clock_exact(us, exact);
	snprintf(ret, CLOCK_TEXT_SIZE, "%.23sZ", exact);
}

void
clock_exact(int64_t us, char ret[CLOCK_EXACT_SIZE])
{
	const int64_t seconds = us / CLOCK_SECOND - (us % CLOCK_SECOND < 0);
	const time_t t = (time_t)seconds;
	char day[CLOCK_TEXT_SIZE];
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(ret, CLOCK_EXACT_SIZE, "%.19s.%06dZ", day,
	    (int)(us - seconds * CLOCK_SECOND));
}

int
clock_parse(const char *text, int64_t *ret)
{
	struct fields fi = { 0 };
	struct tm tm = { 0 };

	if (!parse_date(&text, &fi) || !parse_separator(&text, "Tt ") ||
	    !time_of_day(&text, &fi) || !parse_zone(&text, &fi) ||
	    *text != '\0')
		return -1;
	tm.tm_year = fi.year - 1900;
	tm.tm_mon = fi.month - 1;
	tm.tm_mday = fi.day;

	/* timegm() turns the 30th of February into March: refuse it. */
	*ret = timegm(&tm);
	if (tm.tm_mon != fi.month - 1 || tm.tm_mday != fi.day)
		return -1;
	*ret += fi.hour * 3600 + fi.minute * 60 + fi.second - fi.offset;

	/* A leap second is the last second of a day. */
	if (fi.second == LEAP_SECOND && *ret % DAY_SECONDS != 0)
		return -1;
	*ret = *ret * CLOCK_SECOND + fi.us;
	return 0;
}

static int64_t
read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * CLOCK_SECOND + ts.tv_nsec / 1000;
}

/* Read exactly n digits. */
static bool
parse_digits(const char **p, int n, int *ret)
{
	for (*ret = 0; n > 0; n--, (*p)++) {
		if (!isdigit((unsigned char)**p))
			return false;
		*ret = *ret * 10 + (**p - '0');
	}
	return true;
}

/* Read one character out of any. */
static bool
parse_separator(const char **p, const char *any)
{
	if (**p == '\0' || strchr(any, **p) == NULL)
		return false;
	(*p)++;
	return true;
}

/* Read YYYY-MM-DD; the caller checks that the month has this day. */
static bool
parse_date(const char **p, struct fields *fi)
{
	return parse_digits(p, 4, &fi->year) && parse_separator(p, "-") &&
	    parse_digits(p, 2, &fi->month) && parse_separator(p, "-") &&
	    parse_digits(p, 2, &fi->day) && fi->month >= 1 && fi->month <= 12 &&
	    fi->day >= 1 && fi->day <= 31;
}

/* Read HH:MM and optional seconds. */
static bool
time_of_day(const char **p, struct fields *fi)
{
	if (!parse_digits(p, 2, &fi->hour) || !parse_separator(p, ":") ||
	    !parse_digits(p, 2, &fi->minute) || fi->hour > 23 ||
	    fi->minute > 59)
		return false;
	return !parse_separator(p, ":") || parse_seconds(p, fi);
}

/* Read SS and an optional fraction. */
static bool
parse_seconds(const char **p, struct fields *fi)
{
	if (!parse_digits(p, 2, &fi->second) || fi->second > LEAP_SECOND)
		return false;
	if (!parse_separator(p, "."))
		return true;
	if (!isdigit((unsigned char)**p))
		return false;
	parse_fraction(p, fi);
	return true;
}

/* Read the digits of a fraction, cut at microseconds. */
static void
parse_fraction(const char **p, struct fields *fi)
{
	int64_t unit;

	for (unit = CLOCK_SECOND / 10; isdigit((unsigned char)**p); (*p)++) {
		fi->us += (**p - '0') * unit;
		unit /= 10;
	}
}

/* Read a zone: nothing, Z, or an offset +HH, +HHMM or +HH:MM. */
static bool
parse_zone(const char **p, struct fields *fi)
{
	int hours, minutes = 0;
	int sign = **p == '-' ? -1 : 1;

	if (**p == '\0' || parse_separator(p, "Zz"))
		return true;
	if (!parse_separator(p, "+-") || !parse_digits(p, 2, &hours))
		return false;
	(void)parse_separator(p, ":");
	if (**p != '\0' && !parse_digits(p, 2, &minutes))
		return false;
	if (minutes > 59 || hours * 3600 >= DAY_SECONDS)
		return false;
	fi->offset = sign * (hours * 3600 + minutes * 60);
	return true;
}
