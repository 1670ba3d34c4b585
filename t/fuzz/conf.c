/* SPDX-License-Identifier: ISC */
/*
 * Fuzz target: settings from an environment and a file.  The input is the
 * file; if it has a line "--", the part before it is the environment.
 * Accepted settings keep the promises of conf.tbl and read back the same.  An
 * error names the right line, shows no part of a value and changes nothing.
 */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/state/entity_risk.h"
#include "lib/conf/conf.h"
#include "lib/sys/limits.h"
#include "t/fuzz/fuzz.h"

#define TEXT_MAX ((size_t)65536) /* of a file, as in conf.c */
#define ENV_MAX 32 /* variables */
#define MARK_SEEN 8 /* so many bytes of it do not occur by chance */

/*
 * The dictionary contains this mark, so the fuzzer puts it into values of all
 * settings.  No message may show it.
 */
static const char mark[] = "q7Zp1vK9wXe4Rt6YbN2mHs8GdJ5fLc3A";

enum flag { SECRET = 1, REQUIRED = 2, POOL = 4, NO_DECIDE = 8, SHOWN = 16 };
enum conf_test_type { STR = 1, PATH, INT, REAL, BOOL };

/* The rows of conf.tbl. */
static const struct {
	const char *name;
	enum conf_test_type type;
	struct {
		int64_t min;
		int64_t max;
	} range; /* of a number */
	int flags;
	size_t offset;
} settings[] = {
#define ANY                                                                    \
	{                                                                      \
		0, 0                                                           \
	}
#define RANGE(from, to)                                                        \
	{                                                                      \
		from, to                                                       \
	}
#define ONE_OF(...)                                                            \
	{                                                                      \
		0, 0                                                           \
	}
#define NAME_IN(names)                                                         \
	{                                                                      \
		0, 0                                                           \
	}
#define CHECK(function)                                                        \
	{                                                                      \
		0, 0                                                           \
	}
#define WEEK_MINUTES (7 * 24 * 60)
#define YEAR_HOURS (365 * 24)
#define CONF(name, type, allowed, fallback, flags, meaning)                    \
	{ #name, type, allowed, flags, offsetof(struct conf, name) },
#include "lib/conf/conf.tbl"
#undef CONF
};

/*
 * Where the settings come from.  A load that succeeds keeps the environment,
 * because conf then points into it.
 */
static struct side {
	char text[TEXT_MAX];
	char *vars[ENV_MAX + 1];
} sides[2];
static struct side *side = &sides[0];
static int file;
static char path[32];

static const char *prepare(const uint8_t *data, size_t size, size_t *ret_size);
static void set_environment(const uint8_t *data, size_t size);
static void set_file(const char *text, size_t size);
static char *described(void);
static void check_accepted(void);
static void check_again(void);
static void check_printed(void);
static void check_refused(const struct fail *f, const char *text, size_t size);
static void check_line(
    const struct fail *f, const char *text, size_t size, unsigned long number);
static const void *line_of(
    const char *text, size_t size, unsigned long number, size_t *ret_size);
static size_t setting_in(const char *text);
static void check_hidden(const char *text);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fail f = { 0 };
	struct conf before;
	const char *text;
	char *was, *is;
	size_t n;

	if (size > 2 * TEXT_MAX)
		return 0;
	was = described();
	before = conf;
	text = prepare(data, size, &n);
	if (conf_load(path, true, &f) == 0) {
		check_accepted();
		check_printed();
		check_again();
		side = side == &sides[0] ? &sides[1] : &sides[0];
	} else {
		check_refused(&f, text, n);
		is = described();
		assert(memcmp(&before, &conf, sizeof(conf)) == 0);
		assert(strcmp(was, is) == 0);
		free(is);
	}
	free(was);
	return 0;
}

/*
 * Put the input where conf_load() reads it.  Return the part that is the file.
 */
static const char *
prepare(const uint8_t *data, size_t size, size_t *ret_size)
{
	static const char line[] = "\n--\n";
	const uint8_t *found = memmem(data, size, line, sizeof(line) - 1);
	const size_t env = found == NULL ? 0 : (size_t)(found - data);
	const size_t skip = found == NULL ? 0 : env + sizeof(line) - 1;

	if (file == 0) {
		file = memfd_create("conf", MFD_CLOEXEC);
		assert(file != -1);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	}
	set_environment(data, env);
	*ret_size = size - skip;
	set_file((const char *)data + skip, *ret_size);
	return (const char *)data + skip;
}

/* Set the environment from one variable a line. */
static void
set_environment(const uint8_t *data, size_t size)
{
	char *text = side->text;
	size_t n = 0;

	size = size < TEXT_MAX ? size : TEXT_MAX - 1;
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	while (n < ENV_MAX && text != NULL)
		side->vars[n++] = strsep(&text, "\n");
	side->vars[n] = NULL;
	environ = side->vars;
}

static void
set_file(const char *text, size_t size)
{
	assert(ftruncate(file, 0) == 0);
	assert(pwrite(file, text, size, 0) == (ssize_t)size);
}

/* Copy every setting with its value. */
static char *
described(void)
{
	const char *member;
	char *text = NULL;
	size_t i, size;
	FILE *out = open_memstream(&text, &size);

	for (i = 0; i < nitems(settings); i++) {
		member = (const char *)&conf + settings[i].offset;
		if (settings[i].type == INT)
			fprintf(out, "%lld\n",
			    (long long)*(const int64_t *)(const void *)member);
		else if (settings[i].type == REAL)
			fprintf(out, "%.17g\n",
			    *(const double *)(const void *)member);
		else if (settings[i].type == BOOL)
			fprintf(out, "%d\n", *(const bool *)member);
		else
			fprintf(out, "%s\n",
			    *(const char *const *)(const void *)member);
	}
	fprintf(out, "%d\n", conf.production);
	fclose(out);
	return text;
}

/* Accepted settings keep the promises of conf.h. */
static void
check_accepted(void)
{
	const char *member, *text;
	int64_t n;
	double x;
	size_t i;

	for (i = 0; i < nitems(settings); i++) {
		member = (const char *)&conf + settings[i].offset;
		if (settings[i].type == INT) {
			n = *(const int64_t *)(const void *)member;
			assert(n >= settings[i].range.min);
			assert(n <= settings[i].range.max);
		}
		if (settings[i].type == REAL) {
			x = *(const double *)(const void *)member;
			assert(x >= 0 && x <= (double)settings[i].range.max);
		}
		if (settings[i].type != STR && settings[i].type != PATH)
			continue;
		text = *(const char *const *)(const void *)member;
		assert(text == NULL || text[0] != '\0');
		assert(
		    settings[i].type == STR || text == NULL || text[0] == '/');
		assert(text != NULL || !conf.production ||
		    (settings[i].flags & (REQUIRED | POOL)) == 0);
		assert(text == NULL || !conf.production ||
		    strncmp(settings[i].name, "AUTH_SECRET", 11) != 0 ||
		    strlen(text) >= 32);
	}
	assert(conf.production == (strcmp(conf.ENGINE_ENV, "production") == 0));
	assert(conf.DECIDE_WORKERS + conf.OPERATOR_WORKERS <=
	    conf.DATABASE_POOL_MAX);
}

/* Secrets are not printed; every other setting is on its own line. */
static void
check_printed(void)
{
	char *text = NULL, *rest, *value;
	size_t i, size;
	FILE *out = open_memstream(&text, &size);

	conf_print(out);
	fclose(out);
	rest = text;
	for (i = 0; i < nitems(settings); i++) {
		value = strsep(&rest, "\n");
		size = strlen(settings[i].name);
		assert(memcmp(value, settings[i].name, size) == 0);
		value += size;
		assert(*value++ == '=');
		assert((settings[i].flags & SECRET) == 0 || *value == '\0' ||
		    strcmp(value, "(set)") == 0);
	}
	assert(*rest == '\0');
	free(text);
}

/* Settings that are written to a file read back the same. */
static void
check_again(void)
{
	static char *nothing[] = { NULL };
	char *was = described(), *is, *text = NULL;
	const char *value = was, *end;
	struct fail f = { 0 };
	size_t i, size;
	FILE *out = open_memstream(&text, &size);

	for (i = 0; i < nitems(settings); i++, value = end + 1) {
		end = strchr(value, '\n');
		fprintf(out, "%s = \"", settings[i].name);
		if (settings[i].type == BOOL)
			fputs(*value == '1' ? "true" : "false", out);
		else if (strncmp(value, "(null)\n", 7) != 0)
			for (; value < end; value++)
				fprintf(out, "%s%c",
				    *value == '"' || *value == '\\' ? "\\" : "",
				    *value);
		fputs("\"\n", out);
	}
	fclose(out);
	if (size < TEXT_MAX) {
		environ = nothing;
		set_file(text, size);
		assert(conf_load(path, true, &f) == 0);
		is = described();
		assert(strcmp(is, was) == 0);
		free(is);
	}
	free(text);
	free(was);
}

/* An error has FAIL_INPUT and a reason, and shows no value. */
static void
check_refused(const struct fail *f, const char *text, size_t size)
{
	const size_t length = strlen(path);

	assert(f->kind == FAIL_INPUT && f->why[0] != '\0');
	check_hidden(f->where);
	check_hidden(f->why);
	if (strncmp(f->where, path, length) != 0)
		assert(setting_in(f->where) == strlen(f->where));
	else if (f->where[length] == '\0')
		assert(size >= TEXT_MAX || memchr(text, '\0', size) != NULL);
	else
		check_line(
		    f, text, size, strtoul(f->where + length + 1, NULL, 10));
}

/* The line at fault sets the named setting, or is not a line of settings. */
static void
check_line(
    const struct fail *f, const char *text, size_t size, unsigned long number)
{
	const size_t named = setting_in(f->why);
	struct fail alone = { 0 };
	const char *line;
	size_t n;

	line = line_of(text, size, number, &n);
	assert(line != NULL);
	for (; n > 0 && strchr(" \t\r", *line) != NULL; line++)
		n--;
	if (named > 0) {
		assert(n > named && memcmp(line, f->why, named) == 0);
		assert(strchr(" \t\r=", line[named]) != NULL);
		return;
	}
	set_file(line, n);
	assert(conf_load(path, true, &alone) == -1);
	assert(strcmp(alone.where + strlen(path), ":1") == 0);
	assert(strcmp(alone.why, f->why) == 0);
}

/* The number-th line of a text, from 1, or NULL. */
static const void *
line_of(const char *text, size_t size, unsigned long number, size_t *ret_size)
{
	const char *end = text + size, *next;

	for (;; text = next + 1) {
		next = memchr(text, '\n', (size_t)(end - text));
		if (number-- == 1)
			break;
		if (next == NULL)
			return NULL;
	}
	*ret_size = (size_t)((next == NULL ? end : next) - text);
	return text;
}

/* The length of the setting's name at the start of text; 0 without one. */
static size_t
setting_in(const char *text)
{
	const size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
	size_t i;

	for (i = 0; i < nitems(settings); i++)
		if (strlen(settings[i].name) == n &&
		    memcmp(settings[i].name, text, n) == 0)
			return n;
	return 0;
}

/* Check that no part of the mark is in a text that operators read. */
static void
check_hidden(const char *text)
{
	size_t i;

	for (i = 0; i + MARK_SEEN < sizeof(mark); i++)
		assert(memmem(text, strlen(text), mark + i, MARK_SEEN) == NULL);
}
