/* SPDX-License-Identifier: ISC */
/* Load rulesets and policies from files. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/decide.h"
#include "core/decide/policy.h"
#include "core/event/event.h"
#include "core/rule/rule.h"
#include "ctl/ctl.h"
#include "ctl/replay/replay.h"
#include "ctl/request/body_file.h"
#include "lib/json/body.h"
#include "lib/json/body_rules.h"

#define PATH_SIZE 4096

/* Half of a rulebook: its place in the seed, and the function to load it. */
struct rulebook_half {
	const char *folder;
	const char *suffix;
	int (*load)(struct rulebook *, const char *, const char *,
	    struct arena *, struct fail *);
};

static int load_half(struct rulebook *books, const struct rulebook_half *half,
    const struct opt_list *given, const char *sql, struct arena *a,
    struct fail *f);
static int check_types(const struct opt_list *given, struct fail *f);
static const char *given_for(
    const struct opt_list *given, enum event_type type);
static int load_rules(struct rulebook *book, const char *path,
    const char *version, struct arena *a, struct fail *f);
static int load_policy_file(struct rulebook *book, const char *path,
    const char *version, struct arena *a, struct fail *f);
static struct json_object *read_members(struct arena *a,
    enum request_spec_take take, const char *path, struct fail *f);

static const struct rulebook_half rules = { "rules", "rule", load_rules };
static const struct rulebook_half policies = { "policies", "json",
	load_policy_file };

int
rulebook_load(struct rulebook *books, const struct offline_options *options,
    struct arena *a, struct fail *f)
{
	if (load_half(books, &rules, options->rules, options->sql, a, f) == -1)
		return -1;
	return rulebook_load_policies(
	    books, options->policies, options->sql, a, f);
}

int
rulebook_load_policies(struct rulebook *books, const struct opt_list *given,
    const char *sql, struct arena *a, struct fail *f)
{
	return load_half(books, &policies, given, sql, a, f);
}

/* Load one half for each event type: the given file, else the seed. */
static int
load_half(struct rulebook *books, const struct rulebook_half *half,
    const struct opt_list *given, const char *sql, struct arena *a,
    struct fail *f)
{
	const char *dir = sql == NULL ? PKGDATADIR "/sql" : sql;
	const char *path, *version, *name;
	char seed[PATH_SIZE];
	int type;

	if (check_types(given, f) == -1)
		return -1;
	for (type = EVENT_TYPE__NONE + 1; type < EVENT_TYPE__MAX; type++) {
		name = event_type_name((enum event_type)type);
		path = given_for(given, (enum event_type)type);
		version = path == NULL ? SEED_VERSION : path;
		snprintf(seed, sizeof(seed), "%s/seed/%s/%s.%s", dir,
		    half->folder, name, half->suffix);
		if (path == NULL && access(seed, R_OK) == -1)
			return fail_set(f, FAIL_INPUT, INVALID_REQUEST, seed,
			    "%s; name the directory of the seed with --sql",
			    strerror(errno));
		if (half->load(&books[type], path == NULL ? seed : path,
			version, a, f) == -1)
			return -1;
	}
	return 0;
}

/* Check that each "TYPE=FILE" has a known type. */
static int
check_types(const struct opt_list *given, struct fail *f)
{
	char *end;
	size_t i;
	bool known;

	for (i = 0; i < given->n; i++) {
		if ((end = strchr(given->text[i], '=')) == NULL)
			continue;
		*end = '\0';
		known = event_type_parse(given->text[i]) != EVENT_TYPE__NONE;
		*end = '=';
		if (!known)
			return fail_set(f, FAIL_INPUT, INVALID_REQUEST,
			    given->text[i],
			    "begins with an unknown event type");
	}
	return 0;
}

/* Return the last file given for this type or for all, or NULL. */
static const char *
given_for(const struct opt_list *given, enum event_type type)
{
	const char *name = event_type_name(type);
	const size_t len = strlen(name);
	const char *text;
	size_t i;

	for (i = given->n; i > 0; i--) {
		text = given->text[i - 1];
		if (strchr(text, '=') == NULL)
			return text;
		if (strncmp(text, name, len) == 0 && text[len] == '=')
			return text + len + 1;
	}
	return NULL;
}

static int
load_rules(struct rulebook *book, const char *path, const char *version,
    struct arena *a, struct fail *f)
{
	struct json_object *json = read_members(a, TAKE_RULESET, path, f);
	struct ruleset *rs;
	const char *text;

	if (json == NULL || (rs = body_ruleset(a, json, &text, f)) == NULL)
		return -1;
	rs->version = version;
	book->ruleset = rs;
	return 0;
}

static int
load_policy_file(struct rulebook *book, const char *path, const char *version,
    struct arena *a, struct fail *f)
{
	struct json_object *json = read_members(a, TAKE_POLICY, path, f);
	struct policy *policy = arena_alloc(a, sizeof(*policy));

	if (json == NULL || policy == NULL ||
	    body_policy(a, json, path, policy, f) == -1)
		return -1;
	policy->version = version;
	book->policy = policy;
	return 0;
}

/* Read a file as the JSON object that a request would send. */
static struct json_object *
read_members(struct arena *a, enum request_spec_take take, const char *path,
    struct fail *f)
{
	const char *text;
	struct str s;

	str_init(&s, a);
	str_addc(&s, '{');
	if (body_file_member(a, take, path, &s, f) == -1)
		return NULL;
	str_addc(&s, '}');
	if ((text = str_text(&s)) == NULL) {
		fail_set(f, FAIL_US, INTERNAL, path, "out of memory");
		return NULL;
	}
	return body_parse(a, text, s.len, f);
}
