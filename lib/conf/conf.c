/* SPDX-License-Identifier: ISC */
/* The settings: rows of conf.tbl, read once from the environment. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/state/entity_risk.h"
#include "lib/conf/conf.h"
#include "lib/conf/conf_model_source.h"
#include "lib/conf/conf_secret.h"
#include "lib/sys/credential.h"
#include "lib/sys/disk.h"
#include "lib/conf/redis_url.h"
#include "lib/txn/txn.h"
#include "lib/shared/shm.h"

#define SECRET_MIN 32 /* bytes: what HMAC-SHA256 cannot gain from exceeding */
#define FILE_MAX ((size_t)65536)
#define CREDENTIALS_MAX ((size_t)65536) /* all together */
#define CREDSTORE "/etc/credstore" /* where the units load them from */
#define CREDSTORE_PREFIX "assay."
#define TIMEOUT_MAX_MS 900 /* so that a breaker of a second has a use */
#define SWEEP_MAX_MINUTES (7 * 24 * 60)
#define REFRESH_MAX_MINUTES (7 * 24 * 60)
#define HOURS_MAX (365 * 24)
#define LABELS_MAX 1000000 /* counted in one statement now and then */
#define INT_MAX_VALUE 2147483647
#define REAL_MAX_VALUE 1000

/* One row of conf.tbl. */
struct conf_setting {
	const char *name;
	const char *fallback;
	enum conf_type { STR = 1, PATH, INT, REAL, BOOL, TYPE__MAX } type;
	int flags;
	size_t offset; /* in struct conf */
};

/* Where the value of each row comes from. */
struct conf_source {
	const char *value; /* NULL: not set anywhere */
	int line; /* in the file; 0: elsewhere */
};

static char *read_file(const char *path, struct fail *f);
static int parse_file(
    const char *path, char *text, struct conf_source *sources, struct fail *f);
static int parse_line(char *line, char **ret_name, char **ret_value);
static char *unquote(char *value);
static char *trim(char *s);
static int read_credentials(
    char **ret_text, struct conf_source *sources, struct fail *f);
static void choose(struct conf_source *sources);
static int read_value(const struct conf_setting *s, const char *value,
    struct conf *next, const char **why);
static void default_bools(const struct conf_source *sources, struct conf *next);
static struct conf_range range_of(const struct conf_setting *s);
static int read_real(const char *value, double *ret, const char **why);
static int check_one(const struct conf_setting *s, const char *value, bool pool,
    const struct conf *next, const char **why);
static int choose_model(const struct conf_source *sources, struct conf *next,
    size_t *ret_i, const char **why);
static int check_redis(const char *value, const char **why);
static int check_secrets(const char *value, bool strict, const char **why);
static const char *weak(const char *secret, size_t size, bool strict);
static bool contains(const char *text, size_t size, const char *word);
static int check_sums(const struct conf *next, struct fail *f);
static int refuse(const struct conf_setting *s,
    const struct conf_source *source, const char *path, const char *why,
    struct fail *f);
static size_t find(const char *name);

struct conf conf;

static const struct conf_setting settings[] = {
#define CONF(name, type, fallback, flags, meaning)                             \
	{ #name, fallback, type, flags, offsetof(struct conf, name) },
#include "lib/conf/conf.tbl"
#undef CONF
};

#define SETTINGS nitems(settings)

/* Numbers with bounds of their own. */
static const struct conf_range {
	const char *name;
	int min;
	int max;
} ranges[] = {
#define RANGE(name, min, max)                                                  \
	{                                                                      \
#name, min, max                                                \
	}
	RANGE(DECIDE_SET_MAX, 1, TXN_MAX),
	RANGE(DECIDE_WORKERS, 1, SHM_GROUP_SLOTS),
	RANGE(LABELS_WAITING_MAX, 1, LABELS_MAX),
	RANGE(LABEL_DELAY_DAYS, 1, ENTITY_RISK_DELAY_MAX),
	RANGE(MODEL_REFRESH_MINUTES, 1, REFRESH_MAX_MINUTES),
	RANGE(OPERATOR_WORKERS, 2, SHM_GROUP_SLOTS),
	RANGE(REDIS_TIMEOUT_MS, 1, TIMEOUT_MAX_MS),
	RANGE(RETENTION_ACTIVITY_DAYS, 0, CONF_DAYS_MAX),
	RANGE(RETENTION_DEAD_LETTER_DAYS, 0, CONF_DAYS_MAX),
	RANGE(RETENTION_IDEMPOTENCY_DAYS, 0, CONF_DAYS_MAX),
	RANGE(RETENTION_REPLAY_DAYS, 0, CONF_DAYS_MAX),
	RANGE(RETENTION_SWEEP_MINUTES, 1, SWEEP_MAX_MINUTES),
	RANGE(RETENTION_VERDICTS_DAYS, 0, CONF_DAYS_MAX),
	RANGE(SESSION_MAX_HOURS, 1, HOURS_MAX),
#undef RANGE
};

/* Settings that take a word out of few. */
static const struct {
	const char *name;
	const char *why;
	const char *words[4];
} choices[] = {
	{ "ENGINE_ENV", "must be production, development or test",
	    { "production", "development", "test" } },
	{ "IDEMPOTENCY_MISMATCH", "must be replay or refuse",
	    { "replay", "refuse" } },
	{ "LOG_LEVEL", "must be error, warn, info or debug",
	    { "error", "warn", "info", "debug" } },
	{ "MODEL_SOURCE", "must be disk, url or s3", { "disk", "url", "s3" } },
	{ "PERSISTENCE", "must be memory or postgres",
	    { "memory", "postgres" } },
	{ "SCORER", "must be weighted, learned or ml",
	    { "weighted", "learned", "ml" } },
	{ "SCORER_SHADOW", "must be weighted, learned or ml",
	    { "weighted", "learned", "ml" } },
};

/* Where models come from, and the settings that say so. */
static const struct {
	const char *source;
	const char *name;
} models[] = {
	{ "disk", "MODEL_PATH" },
	{ "url", "MODEL_URL" },
	{ "s3", "MODEL_S3_BUCKET" },
	{ "s3", "MODEL_S3_KEY" },
};

/* What people leave in a secret that they meant to replace. */
static const char *const placeholders[] = {
	"change-me",
	"change_me",
	"changeme",
	"changethis",
	"default",
	"example",
	"insecure",
	"password",
	"placeholder",
	"replace",
	"secret",
	"your-",
	"your_",
};

/* The texts that the strings of conf point into. */
static char *conf_text;
static char *conf_secrets;
static bool use_credstore;

int
conf_load(const char *path, bool pool, struct fail *f)
{
	struct conf_source sources[SETTINGS] = { 0 };
	struct conf next = { 0 };
	const char *why = NULL;
	char *text = NULL, *secrets = NULL;
	size_t i;

	/* Find every value. */
	if (path != NULL && (text = read_file(path, f)) == NULL)
		return -1;
	if (text != NULL && parse_file(path, text, sources, f) == -1)
		goto err;
	if (read_credentials(&secrets, sources, f) == -1)
		goto err;
	choose(sources);

	/* Read all before checking any: checks depend on ENGINE_ENV. */
	for (i = 0; i < SETTINGS; i++)
		if (read_value(&settings[i], sources[i].value, &next, &why) ==
		    -1)
			goto refused;
	next.production = strcmp(next.ENGINE_ENV, "production") == 0;
	default_bools(sources, &next);
	for (i = 0; i < SETTINGS; i++)
		if (check_one(&settings[i], sources[i].value, pool, &next,
			&why) == -1)
			goto refused;
	if (choose_model(sources, &next, &i, &why) == -1)
		goto refused;
	if (next.COMPANION_DATABASE_URL == NULL)
		next.COMPANION_DATABASE_URL = next.DATABASE_URL;
	if (next.OPERATOR_DATABASE_URL == NULL)
		next.OPERATOR_DATABASE_URL = next.DATABASE_URL;
	if (next.RETAIN_DATABASE_URL == NULL)
		next.RETAIN_DATABASE_URL = next.OPERATOR_DATABASE_URL;
	if (check_sums(&next, f) == -1)
		goto err;

	/* Only now does anything change. */
	free(conf_text);
	free(conf_secrets);
	conf_text = text;
	conf_secrets = secrets;
	conf = next;
	return 0;

refused:
	refuse(&settings[i], &sources[i], path, why, f);
err:
	free(text);
	free(secrets);
	return -1;
}

void
conf_use_credstore(void)
{
	use_credstore = true;
}

void
conf_print(FILE *out)
{
	const struct conf_setting *s;
	const void *member;
	const char *text;

	for (s = settings; s < settings + SETTINGS; s++) {
		member = (const char *)&conf + s->offset;
		if (s->type == INT) {
			fprintf(out, "%s=%lld\n", s->name,
			    (long long)*(const int64_t *)member);
		} else if (s->type == REAL) {
			fprintf(out, "%s=%.15g\n", s->name,
			    *(const double *)member);
		} else if (s->type == BOOL) {
			fprintf(out, "%s=%s\n", s->name,
			    *(const bool *)member ? "true" : "false");
		} else {
			text = *(const char *const *)member;
			if (text != NULL && (s->flags & SECRET) != 0)
				text = "(set)";
			fprintf(out, "%s=%s\n", s->name, text ? text : "");
		}
	}
}

/* The whole file as one string, or NULL with f set. */
static char *
read_file(const char *path, struct fail *f)
{
	FILE *file;
	char *text;
	size_t n;

	if ((file = fopen(path, "re")) == NULL) {
		fail_set(f, FAIL_INPUT, INVALID_REQUEST, path, "%s",
		    strerror(errno));
		return NULL;
	}
	if ((text = malloc(FILE_MAX)) == NULL) {
		fail_set(f, FAIL_US, INTERNAL, path, "out of memory");
		goto done;
	}
	n = fread(text, 1, FILE_MAX, file);
	if (ferror(file) || n == FILE_MAX || memchr(text, '\0', n) != NULL) {
		fail_set(f, FAIL_INPUT, INVALID_REQUEST, path,
		    "is no text file of less than %zu bytes", FILE_MAX);
		free(text);
		text = NULL;
		goto done;
	}
	text[n] = '\0';
done:
	fclose(file);
	return text;
}

/* Cut the text into values, in place; of two lines for a name the later wins.
 */
static int
parse_file(
    const char *path, char *text, struct conf_source *sources, struct fail *f)
{
	char where[sizeof(f->where)];
	char *line, *name, *value;
	size_t i;
	int n;

	for (n = 1; (line = strsep(&text, "\n")) != NULL; n++) {
		snprintf(where, sizeof(where), "%s:%d", path, n);
		line = trim(line);
		if (*line == '\0' || *line == '#' || *line == ';')
			continue;
		if (parse_line(line, &name, &value) == -1)
			return fail_set(f, FAIL_INPUT, INVALID_REQUEST, where,
			    "is not NAME=value");
		/* Not which: it may be the rest of a secret in two lines. */
		if ((i = find(name)) == SETTINGS)
			return fail_set(f, FAIL_INPUT, INVALID_REQUEST, where,
			    "names no setting");
		sources[i].value = *value == '\0' ? NULL : value;
		sources[i].line = n;
	}
	return 0;
}

/* NAME=value, the value perhaps in quotes. */
static int
parse_line(char *line, char **ret_name, char **ret_value)
{
	char *equal = strchr(line, '=');

	if (equal == NULL || equal == line)
		return -1;
	*equal = '\0';
	*ret_name = trim(line);
	*ret_value = unquote(trim(equal + 1));
	return *ret_value == NULL ? -1 : 0;
}

/*
 * Take the quotes off a value and the backslashes out of it, in place; in
 * single quotes a backslash is itself.  NULL if it does not end where the
 * line does.
 */
static char *
unquote(char *value)
{
	const char quote = *value == '"' || *value == '\'' ? *value : '\0';
	char *from = quote == '\0' ? value : value + 1;
	char *to = value;

	while (*from != quote) {
		if (*from == '\\' && quote != '\'')
			from++;
		if (*from == '\0')
			return NULL;
		*to++ = *from++;
	}
	if (quote != '\0' && from[1] != '\0')
		return NULL;
	*to = '\0';
	return value;
}

/* Cut white space off both ends, in place. */
static char *
trim(char *s)
{
	size_t n;

	s += strspn(s, " \t\r");
	for (n = strlen(s); n > 0 && strchr(" \t\r", s[n - 1]) != NULL; n--)
		s[n - 1] = '\0';
	return s;
}

/* Secrets from systemd's $CREDENTIALS_DIRECTORY or the store it reads. */
static int
read_credentials(char **ret_text, struct conf_source *sources, struct fail *f)
{
	const char *dir = getenv("CREDENTIALS_DIRECTORY");
	const char *prefix = "";
	size_t i, used = 0;
	char *text;
	ssize_t n;

	if ((dir == NULL || *dir == '\0') && use_credstore && geteuid() == 0) {
		dir = CREDSTORE;
		prefix = CREDSTORE_PREFIX;
	}
	if (dir == NULL || *dir == '\0')
		return 0;
	if ((*ret_text = text = malloc(CREDENTIALS_MAX)) == NULL)
		return fail_set(f, FAIL_US, INTERNAL, dir, "out of memory");
	for (i = 0; i < SETTINGS; i++) {
		if ((settings[i].flags & SECRET) == 0)
			continue;
		n = credential_read(dir, prefix, settings[i].name, text + used,
		    CREDENTIALS_MAX - used, f);
		if (n == -1)
			return -1;
		if (n > 1)
			sources[i] =
			    (struct conf_source) { .value = text + used };
		used += (size_t)n;
	}
	return 0;
}

/*
 * The environment goes before a credential, that before the file, and the file
 * before the default.
 */
static void
choose(struct conf_source *sources)
{
	const size_t env = find("ENGINE_ENV");
	const char *value;
	size_t i;

	for (i = 0; i < SETTINGS; i++) {
		value = conf_secret_env(settings[i].name);
		if (value != NULL && *value != '\0')
			sources[i] = (struct conf_source) { .value = value };
	}

	/* NODE_ENV has values of its own; only one of them is ours. */
	value = getenv("NODE_ENV");
	if (sources[env].value == NULL && value != NULL &&
	    strcmp(value, "production") == 0)
		sources[env].value = "production";
	for (i = 0; i < SETTINGS; i++)
		if (sources[i].value == NULL)
			sources[i].value = settings[i].fallback;
}

/*
 * Put one value into its member of next; *why says what is wrong with it, NULL
 * that it is none of the numbers of its range.
 */
static int
read_value(const struct conf_setting *s, const char *value, struct conf *next,
    const char **why)
{
	void *member = (char *)next + s->offset;
	struct conf_range range;
	long long n;
	char *end;

	if (s->type == STR || s->type == PATH) {
		*(const char **)member = value;
		*why = "must be an absolute path";
		return s->type == STR || value == NULL || *value == '/' ? 0
									: -1;
	}
	if (s->type == BOOL && value == NULL)
		return 0;
	if (s->type == BOOL) {
		*(bool *)member = strcmp(value, "true") == 0;
		*why = "must be true or false";
		return *(bool *)member || strcmp(value, "false") == 0 ? 0 : -1;
	}

	if (s->type == REAL)
		return read_real(value, member, why);

	/* strtoll() alone would let " +7" and "" pass. */
	errno = 0;
	n = strtoll(value, &end, 10);
	*(int64_t *)member = n;
	*why = NULL;
	range = range_of(s);
	if (!isdigit((unsigned char)*value) || *end != '\0' || errno != 0 ||
	    n < range.min || n > range.max)
		return -1;
	return 0;
}

/* What is a check of production's, and neither on nor off by a setting. */
static void
default_bools(const struct conf_source *sources, struct conf *next)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++)
		if (settings[i].type == BOOL && sources[i].value == NULL)
			*(bool *)((char *)next + settings[i].offset) =
			    next->production;
}

/* The numbers that a setting takes. */
static struct conf_range
range_of(const struct conf_setting *s)
{
	size_t i;

	for (i = 0; i < nitems(ranges); i++)
		if (strcmp(ranges[i].name, s->name) == 0)
			return ranges[i];
	return (struct conf_range) { s->name, (s->flags & POSITIVE) != 0,
		INT_MAX_VALUE };
}

/* strtod() alone would take +7, nan and 0x1p3. */
static int
read_real(const char *value, double *ret, const char **why)
{
	char *end;

	*ret = strtod(value, &end);
	*why = "must be a number from 0 to 1000";
	if (!isdigit((unsigned char)*value) || *end != '\0' ||
	    value[strspn(value, "0123456789.e-")] != '\0' ||
	    *ret > REAL_MAX_VALUE)
		return -1;
	return 0;
}

/* What a value has to satisfy beyond its type. */
static int
check_one(const struct conf_setting *s, const char *value, bool pool,
    const struct conf *next, const char **why)
{
	const int required = pool ? REQUIRED | POOL : REQUIRED;
	size_t i, j;

	*why = "must be set in production";
	if (value == NULL)
		return next->production && (s->flags & required) != 0 ? -1 : 0;
	if ((s->flags & STRONG) != 0)
		return check_secrets(value, next->production, why);
	if ((s->flags & REDIS) != 0)
		return check_redis(value, why);
	*why = "must be at most 8 absolute paths of up to 127 bytes";
	if ((s->flags & PATHS) != 0)
		return disk_paths_valid(value) ? 0 : -1;
	for (i = 0; i < nitems(choices); i++) {
		if (strcmp(choices[i].name, s->name) != 0)
			continue;
		for (j = 0; j < nitems(choices[i].words); j++)
			if (choices[i].words[j] != NULL &&
			    strcmp(choices[i].words[j], value) == 0)
				return 0;
		*why = choices[i].why;
		return -1;
	}
	*why = conf_model_source_check(
	    s->name, value, next->ALLOW_PRIVATE_TARGETS);
	return *why == NULL ? 0 : -1;
}

/* Of several places that models may come from, one has to be named. */
static int
choose_model(const struct conf_source *sources, struct conf *next,
    size_t *ret_i, const char **why)
{
	const bool named = next->MODEL_SOURCE != NULL;
	size_t i, at;

	*why = "is not the only place that models may come from: MODEL_SOURCE "
	       "must say which is meant";
	for (i = 0; !named && i < nitems(models); i++) {
		at = find(models[i].name);
		if (sources[at].value == NULL)
			continue;
		*ret_i = at;
		if (next->MODEL_SOURCE != NULL &&
		    strcmp(next->MODEL_SOURCE, models[i].source) != 0)
			return -1;
		next->MODEL_SOURCE = models[i].source;
	}
	return 0;
}

/* A Redis that we could talk to. */
static int
check_redis(const char *value, const char **why)
{
	struct redis_url url;

	*why = "is set, but this build has no Redis: configure --with-redis";
	return WITH_REDIS ? redis_url_parse(value, &url, why) : -1;
}

/* Each secret of a comma-separated list must be hard to guess. */
static int
check_secrets(const char *value, bool strict, const char **why)
{
	size_t size;

	for (;; value += size + 1) {
		size = strcspn(value, ",");
		*why = weak(value, size, strict);
		if (*why != NULL)
			return -1;
		if (value[size] == '\0')
			return 0;
	}
}

/* Why a secret is easy to guess, or NULL; strict looks at its length too. */
static const char *
weak(const char *secret, size_t size, bool strict)
{
	size_t i;

	for (i = 1; i < size && secret[i] == secret[0]; i++)
		continue;
	if (i >= size)
		return "is empty or one character repeated";
	if (strict && size < SECRET_MIN)
		return "must be at least 32 bytes";
	for (i = 0; i < nitems(placeholders); i++)
		if (contains(secret, size, placeholders[i]))
			return "is a placeholder; make one with "
			       "openssl rand -hex 32";
	return NULL;
}

/* Whether word is in the first size bytes of text, in any case. */
static bool
contains(const char *text, size_t size, const char *word)
{
	const size_t n = strlen(word);
	size_t i;

	for (i = 0; i + n <= size; i++)
		if (strncasecmp(text + i, word, n) == 0)
			return true;
	return false;
}

/* What settings have to satisfy together. */
static int
check_sums(const struct conf *next, struct fail *f)
{
	const int64_t workers = next->DECIDE_WORKERS + next->OPERATOR_WORKERS;

	if (workers + 2 > next->DATABASE_POOL_MAX)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST,
		    "DATABASE_POOL_MAX",
		    "is %lld, but DECIDE_WORKERS and OPERATOR_WORKERS make "
		    "%lld workers with a connection each, and retention and "
		    "the search for lost sessions need one each",
		    (long long)next->DATABASE_POOL_MAX, (long long)workers);
	return 0;
}

/* Name the line or the setting at fault. */
static int
refuse(const struct conf_setting *s, const struct conf_source *source,
    const char *path, const char *why, struct fail *f)
{
	char where[sizeof(f->where)], numbers[64];
	struct conf_range range;

	if (why == NULL) {
		range = range_of(s);
		snprintf(numbers, sizeof(numbers),
		    "must be a whole number from %d to %d", range.min,
		    range.max);
		why = numbers;
	}
	if (source->line == 0)
		return fail_set(
		    f, FAIL_INPUT, INVALID_REQUEST, s->name, "%s", why);
	snprintf(where, sizeof(where), "%s:%d", path, source->line);
	return fail_set(
	    f, FAIL_INPUT, INVALID_REQUEST, where, "%s %s", s->name, why);
}

/* The row of a name, or SETTINGS. */
static size_t
find(const char *name)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++)
		if (strcmp(settings[i].name, name) == 0)
			break;
	return i;
}
