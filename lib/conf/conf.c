/* SPDX-License-Identifier: ISC */
/* The settings: rows of conf.tbl, read once from the environment. */
#include "config.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/state/entity_risk.h"
#include "lib/conf/conf.h"
#include "lib/conf/conf_file.h"
#include "lib/conf/conf_secret.h"
#include "lib/conf/conf_source.h"
#include "lib/conf/conf_value.h"
#include "lib/sys/credential.h"
#include "lib/sys/limits.h"
#include "lib/sys/log.h"

#define CREDENTIALS_MAX ((size_t)65536) /* bytes, all together */
#define CREDSTORE "/etc/credstore" /* where the units load them */
#define CREDSTORE_PREFIX "assay."
#define CONNECTIONS_SPARE 2 /* for retention and lost sessions */
#define DECIDE_WORKERS_LEAST 2 /* one decides while the other waits */
#define WEEK_MINUTES (7 * 24 * 60)
#define YEAR_HOURS (365 * 24)

/* The source of the value of each row. */
struct conf_source {
	const char *value; /* NULL: not set anywhere */
	int line; /* in the file; 0: another source */
};

static int parse_file(
    const char *path, char *text, struct conf_source *sources, struct fail *f);
static const char *credentials_at(const char **ret_prefix);
static int read_credentials(
    char **ret_text, struct conf_source *sources, struct fail *f);
static void choose_sources(struct conf_source *sources);
static int read_settings(const char *path, bool pool,
    const struct conf_source *sources, struct conf *next, struct fail *f);
static void default_bools(const struct conf_source *sources, struct conf *next);
static int check_setting(const struct conf_setting *s, const char *value,
    bool pool, const struct conf *next, char *why);
static int choose_model(const struct conf_source *sources, struct conf *next,
    size_t *ret_i, char *why);
static int check_workers(const struct conf *next, struct fail *f);
static int refuse_setting(const struct conf_setting *s,
    const struct conf_source *source, const char *path, const char *why,
    struct fail *f);
static size_t find_setting(const char *name);

struct conf conf;

static const char *const scorer_names[] = {
#define SCORER(id, name) name,
#include "core/decide/scorers.tbl"
#undef SCORER
	NULL
};

static const struct conf_setting settings[] = {
#define ANY                                                                    \
	{                                                                      \
		.min = 0                                                       \
	}
#define RANGE(from, to)                                                        \
	{                                                                      \
		.min = (from), .max = (to)                                     \
	}
#define ONE_OF(...)                                                            \
	{                                                                      \
		.words = (const char *const[]) { __VA_ARGS__, NULL }           \
	}
#define NAME_IN(names)                                                         \
	{                                                                      \
		.words = (names)                                               \
	}
#define CHECK(function)                                                        \
	{                                                                      \
		.check = (function)                                            \
	}
#define CONF(name, type, allowed, fallback, flags, meaning)                    \
	{ #name, CONF_##type##_, allowed, fallback, flags,                     \
		offsetof(struct conf, name) },
#include "lib/conf/conf.tbl"
#undef CONF
#undef ANY
#undef RANGE
#undef ONE_OF
#undef NAME_IN
#undef CHECK
};

#define SETTINGS nitems(settings)

/* The settings that name a source of models. */
static const struct {
	const char *source;
	const char *name;
} model_settings[] = {
	{ "disk", "MODEL_PATH" },
	{ "url", "MODEL_URL" },
	{ "s3", "MODEL_S3_BUCKET" },
	{ "s3", "MODEL_S3_KEY" },
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
	char *text = NULL, *secrets = NULL;

	if (path != NULL && (text = conf_file_read(path, f)) == NULL)
		return -1;
	if (text != NULL && parse_file(path, text, sources, f) == -1)
		goto err;
	if (read_credentials(&secrets, sources, f) == -1)
		goto err;
	choose_sources(sources);
	if (read_settings(path, pool, sources, &next, f) == -1)
		goto err;
	if (next.COMPANION_DATABASE_URL == NULL)
		next.COMPANION_DATABASE_URL = next.DATABASE_URL;
	if (next.OPERATOR_DATABASE_URL == NULL)
		next.OPERATOR_DATABASE_URL = next.DATABASE_URL;
	if (next.RETAIN_DATABASE_URL == NULL)
		next.RETAIN_DATABASE_URL = next.OPERATOR_DATABASE_URL;
	if (next.DECIDE_WORKERS == 0)
		next.DECIDE_WORKERS =
		    conf_decide_workers(sysconf(_SC_NPROCESSORS_ONLN),
			next.DATABASE_POOL_MAX, next.OPERATOR_WORKERS);
	if (check_workers(&next, f) == -1)
		goto err;

	/* All checks have passed: replace the settings. */
	free(conf_text);
	free(conf_secrets);
	conf_text = text;
	conf_secrets = secrets;
	conf = next;
	return 0;

err:
	free(text);
	free(secrets);
	return -1;
}

void
conf_start(const char *program, const char *path, bool pool)
{
	struct fail f = { 0 };

	if (conf_load(path, pool, &f) == -1)
		log_exit(EX_CONFIG, "%s: %s", f.where, f.why);
	conf_secret_hide();
	log_init(program, log_level_parse(conf.LOG_LEVEL));
}

void
conf_use_credstore(void)
{
	use_credstore = true;
}

void
conf_credentials(char *ret, size_t size)
{
	const char *prefix, *dir = credentials_at(&prefix);

	if (dir == NULL)
		snprintf(ret, size, "%s", "");
	else
		snprintf(ret, size, "%s/%s*", dir, prefix);
}

int64_t
conf_decide_workers(
    int64_t processors, int64_t connections, int64_t operator_workers)
{
	int64_t most = (connections - CONNECTIONS_SPARE) / 2 - operator_workers;

	if (most > SHM_GROUP_SLOTS)
		most = SHM_GROUP_SLOTS;
	if (most > processors)
		most = processors;
	return most < DECIDE_WORKERS_LEAST ? DECIDE_WORKERS_LEAST : most;
}

void
conf_print(FILE *out)
{
	char number[CONF_TEXT_SIZE];
	const struct conf_setting *s;
	const char *text;

	for (s = settings; s < settings + SETTINGS; s++) {
		text = conf_value_text(
		    s->type, (const char *)&conf + s->offset, number);
		if (text != NULL && (s->flags & SECRET) != 0)
			text = "(set)";
		fprintf(out, "%s=%s\n", s->name, text ? text : "");
	}
}

/* Split the text into values, in place; the later of two lines counts. */
static int
parse_file(
    const char *path, char *text, struct conf_source *sources, struct fail *f)
{
	char where[sizeof(f->where)];
	char *name, *value;
	int line = 0, found;
	size_t i;

	while ((found = conf_file_next(&text, &line, &name, &value)) != 0) {
		snprintf(where, sizeof(where), "%s:%d", path, line);
		if (found == -1)
			return fail_set(f, FAIL_INPUT, INVALID_REQUEST, where,
			    "is not NAME=value");
		/* Hide the name: it may be the second line of a secret. */
		if ((i = find_setting(name)) == SETTINGS)
			return fail_set(f, FAIL_INPUT, INVALID_REQUEST, where,
			    "is not a setting");
		sources[i].value = *value == '\0' ? NULL : value;
		sources[i].line = line;
	}
	return 0;
}

/*
 * The directory of the secrets and the beginning of their names in it; NULL if
 * the program gets no secrets in files.
 */
static const char *
credentials_at(const char **ret_prefix)
{
	const char *dir = getenv("CREDENTIALS_DIRECTORY");

	*ret_prefix = "";
	if (dir != NULL && *dir != '\0')
		return dir;
	*ret_prefix = CREDSTORE_PREFIX;
	return use_credstore && geteuid() == 0 ? CREDSTORE : NULL;
}

/* Read secrets from systemd's $CREDENTIALS_DIRECTORY or its store. */
static int
read_credentials(char **ret_text, struct conf_source *sources, struct fail *f)
{
	const char *prefix, *dir = credentials_at(&prefix);
	size_t i, used = 0;
	char *text;
	ssize_t n;

	if (dir == NULL)
		return 0;
	if ((*ret_text = text = malloc(CREDENTIALS_MAX)) == NULL)
		return fail_memory(f);
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
 * The environment overrides a credential, a credential the file, and the file
 * the default.
 */
static void
choose_sources(struct conf_source *sources)
{
	const size_t env = find_setting("ENGINE_ENV");
	const char *value;
	size_t i;

	for (i = 0; i < SETTINGS; i++) {
		value = conf_secret_env(settings[i].name);
		if (value != NULL && *value != '\0')
			sources[i] = (struct conf_source) { .value = value };
	}

	/* NODE_ENV counts only if it is "production". */
	value = getenv("NODE_ENV");
	if (sources[env].value == NULL && value != NULL &&
	    strcmp(value, "production") == 0)
		sources[env].value = "production";
	for (i = 0; i < SETTINGS; i++)
		if (sources[i].value == NULL)
			sources[i].value = settings[i].fallback;
}

/* Read all settings, then check each: checks depend on ENGINE_ENV. */
static int
read_settings(const char *path, bool pool, const struct conf_source *sources,
    struct conf *next, struct fail *f)
{
	char why[CONF_WHY_SIZE];
	size_t i;

	for (i = 0; i < SETTINGS; i++)
		if (conf_value_read(
			&settings[i], sources[i].value, next, why) == -1)
			goto refused;
	next->production = strcmp(next->ENGINE_ENV, "production") == 0;
	default_bools(sources, next);
	for (i = 0; i < SETTINGS; i++)
		if (check_setting(
			&settings[i], sources[i].value, pool, next, why) == -1)
			goto refused;
	if (choose_model(sources, next, &i, why) == -1)
		goto refused;
	return 0;

refused:
	return refuse_setting(&settings[i], &sources[i], path, why, f);
}

/* A BOOL without value and default is true in production. */
static void
default_bools(const struct conf_source *sources, struct conf *next)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++)
		if (settings[i].type == CONF_BOOL_ && sources[i].value == NULL)
			*(bool *)((char *)next + settings[i].offset) =
			    next->production;
}

static int
check_setting(const struct conf_setting *s, const char *value, bool pool,
    const struct conf *next, char *why)
{
	const int required = pool ? REQUIRED | POOL : REQUIRED;

	if (value != NULL)
		return conf_value_check(s, value, next, why);
	if (!next->production || (s->flags & required) == 0)
		return 0;
	snprintf(why, CONF_WHY_SIZE, "must be set in production");
	return -1;
}

/* Without MODEL_SOURCE, use the source whose setting is set. */
static int
choose_model(const struct conf_source *sources, struct conf *next,
    size_t *ret_i, char *why)
{
	const bool named = next->MODEL_SOURCE != NULL;
	size_t i, at;

	for (i = 0; !named && i < nitems(model_settings); i++) {
		at = find_setting(model_settings[i].name);
		if (sources[at].value == NULL)
			continue;
		*ret_i = at;
		if (next->MODEL_SOURCE != NULL &&
		    strcmp(next->MODEL_SOURCE, model_settings[i].source) != 0) {
			snprintf(why, CONF_WHY_SIZE, "%s",
			    "is not the only source of models: set "
			    "MODEL_SOURCE to the one to use");
			return -1;
		}
		next->MODEL_SOURCE = model_settings[i].source;
	}
	return 0;
}

/* Each worker needs a connection. */
static int
check_workers(const struct conf *next, struct fail *f)
{
	const int64_t workers = next->DECIDE_WORKERS + next->OPERATOR_WORKERS;

	if (workers + CONNECTIONS_SPARE > next->DATABASE_POOL_MAX)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST,
		    "DATABASE_POOL_MAX",
		    "is %lld, but DECIDE_WORKERS and OPERATOR_WORKERS make "
		    "%lld workers with a connection each, and retention and "
		    "the search for lost sessions need one each",
		    (long long)next->DATABASE_POOL_MAX, (long long)workers);
	return 0;
}

/* Fail with the line or the setting at fault. */
static int
refuse_setting(const struct conf_setting *s, const struct conf_source *source,
    const char *path, const char *why, struct fail *f)
{
	char where[sizeof(f->where)];

	if (source->line == 0)
		return fail_set(
		    f, FAIL_INPUT, INVALID_REQUEST, s->name, "%s", why);
	snprintf(where, sizeof(where), "%s:%d", path, source->line);
	return fail_set(
	    f, FAIL_INPUT, INVALID_REQUEST, where, "%s %s", s->name, why);
}

/* Find the row of a name; SETTINGS: none. */
static size_t
find_setting(const char *name)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++)
		if (strcmp(settings[i].name, name) == 0)
			break;
	return i;
}
