/* SPDX-License-Identifier: ISC */
/*
 * Write and read samples.  Each decision writes one; a backtest reads up to a
 * million, so the reader is made for speed.
 */
#include "config.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/value.h"
#include "core/base/writer.h"
#include "core/decide/decide.h"
#include "core/decide/model.h"
#include "core/decide/sample.h"
#include "core/decide/score.h"
#include "core/rule/rule.h"

#define ATTR_PREFIX "attr."
#define ATTR_PREFIX_LEN (sizeof(ATTR_PREFIX) - 1)
#define SILENCED_RULE "rule:"
#define SILENCED_TAG "tag:"
#define NUMBER_SIZE 32 /* fits each number of str_number(), and a NUL */
#define EXACT_DIGITS 15 /* a double represents each integer of 15 digits */
#define HEAD_MEMBERS 5

struct sample_reader {
	const char *next;
	const char *end;
	char *room; /* for decoded strings; fits all of them */
};

/* A string as written, with its escapes but without its quotes. */
struct raw {
	const char *text;
	size_t len;
	bool escapes;
};

/* A member of a sample, and the function that reads its value. */
struct sample_member {
	const char *name;
	bool (*read)(struct sample_reader *, struct sample *);
};

static void add_shadow(struct str *s, const struct shadow_result *shadow);
static void add_silenced(struct str *s, const struct rule_silences *silences);
static void add_velocity_values(
    struct str *s, const struct velocity_values *values);
static void add_signal_values(struct str *s, const struct value *value);
static int read_whole_or_head(
    struct sample_reader *r, struct arena *a, struct sample *ret);
static bool read_member(struct sample_reader *r, const struct raw *name,
    struct arena *a, struct sample *ret);
static bool in_head(const struct raw *name);
static bool read_scorer(struct sample_reader *r, struct sample *ret);
static bool read_score(struct sample_reader *r, struct sample *ret);
static bool read_verdict(struct sample_reader *r, struct sample *ret);
static bool read_watched(struct sample_reader *r, struct sample *ret);
static bool read_rules_score(struct sample_reader *r, struct sample *ret);
static bool sample_read_ruleset(struct sample_reader *r, struct sample *ret);
static bool sample_read_model(struct sample_reader *r, struct sample *ret);
static bool read_p(struct sample_reader *r, struct sample *ret);
static bool read_p_even(struct sample_reader *r, struct sample *ret);
static bool read_silenced(struct sample_reader *r, struct sample *ret);
static bool read_silence(
    struct sample_reader *r, const struct raw *raw, struct rule_silence *ret);
static bool read_signal_values(struct sample_reader *r, struct sample *ret);
static bool read_version(struct sample_reader *r, const char **ret);
static bool read_total(struct sample_reader *r, int *ret);
static bool read_signals(
    struct sample_reader *r, struct arena *a, struct sample *ret);
static bool read_velocities(
    struct sample_reader *r, struct arena *a, struct sample *ret);
static bool read_velocity_id(struct sample_reader *r, int64_t *ret);
static bool read_signal(struct sample_reader *r, const struct raw *name,
    enum signal *next, struct sample *ret);
static bool sample_read_attr(struct sample_reader *r, const struct raw *name,
    struct attr *attrs, struct event *ev);
static bool read_member_name(struct sample_reader *r, struct raw *ret);
static bool read_value(struct sample_reader *r, struct value *ret);
static bool sample_read_number(struct sample_reader *r, double *ret);
static bool read_raw(struct sample_reader *r, struct raw *ret);
static const char *sample_read_text(
    struct sample_reader *r, const struct raw *raw);
static bool skip_text(struct sample_reader *r, const char *text);
static bool skip_value(struct sample_reader *r);
static bool name_equals(const struct raw *raw, const char *name);
static int hex_digit(char c);

static const char *const arms[] = {
	[ARM_LIVE] = "live",
	[ARM_SHADOW] = "shadow",
};

/* All members that are read but signals; the first ones are the head. */
static const struct sample_member members[] = {
	{ "scorer", read_scorer },
	{ "ruleset", sample_read_ruleset },
	{ "score", read_score },
	{ "verdict", read_verdict },
	{ "watched", read_watched }, /* the last of HEAD_MEMBERS */
	{ "rulesScore", read_rules_score },
	{ "model", sample_read_model },
	{ "p", read_p },
	{ "pEven", read_p_even },
	{ "silenced", read_silenced },
	{ "values", read_signal_values },
};

void
sample_json(struct str *s, const struct ruleset *rs, const struct decision *d,
    bool watched, const struct shadow_result *shadow,
    const struct signals *sigs)
{
	writer_object(s, NULL);
	writer_text(s, "scorer", scorer_name(d->scorer));
	writer_text(s, "ruleset", rs->version);
	writer_int(s, "score", d->score.total);
	writer_text(s, "verdict", verdict_name(d->verdict));
	if (watched)
		writer_bool(s, "watched", true);
	if (d->scorer != SCORER_WEIGHTED)
		writer_int(s, "rulesScore", d->rules.total);
	if (d->scorer == SCORER_ML) {
		writer_name(s, "tags");
		score_reasons(s, &d->rules);
		sample_model(s, d);
	}
	if (sigs->silences != NULL)
		add_silenced(s, sigs->silences);
	if (shadow != NULL)
		add_shadow(s, shadow);
	if (sigs->velocities != NULL)
		add_velocity_values(s, sigs->velocities);
	add_signal_values(s, sigs->value);
	if (sigs->event->n_attrs > 0) {
		writer_object(s, "signals");
		signals_attrs(s, sigs->event);
		writer_end(s);
	}
	writer_end(s);
}

void
sample_model(struct str *s, const struct decision *d)
{
	writer_text(s, "model", d->model->version);
	writer_number(s, "p", d->p);
	writer_number(s, "pEven", d->p_even);
}

int
sample_read(struct arena *a, const char *text, size_t len, struct sample *ret)
{
	struct sample_reader r = { .next = text, .end = text + len };
	size_t i;

	/* A decoded string and its NUL fit the bytes of the quoted string. */
	if ((r.room = arena_alloc(a, len)) == NULL)
		return -1;
	for (i = 0; i < SIGNAL__MAX; i++)
		ret->signals.value[i] = value_unknown();
	memset(&ret->event, 0, sizeof(ret->event));
	ret->signals.event = &ret->event;
	ret->signals.silences = NULL;
	ret->signals.velocities = NULL;
	ret->silences = (struct rule_silences) { .list = ret->silenced };
	return read_whole_or_head(&r, a, ret);
}

int
sample_read_head(const char *text, size_t len, struct sample *ret)
{
	struct sample_reader r = { .next = text, .end = text + len };

	return read_whole_or_head(&r, NULL, ret);
}

static void
add_shadow(struct str *s, const struct shadow_result *shadow)
{
	writer_object(s, "shadow");
	writer_text(s, "id", shadow->id);
	if (shadow->arm != ARM_NONE)
		writer_text(s, "arm", arms[shadow->arm]);
	writer_int(s, "score", shadow->score.total);
	writer_text(s, "verdict", verdict_name(shadow->verdict));
	writer_name(s, "tags");
	score_reasons(s, &shadow->score);
	writer_end(s);
}

static void
add_silenced(struct str *s, const struct rule_silences *silences)
{
	char text[sizeof(SILENCED_RULE) + RULE_ID_MAX];
	const struct rule_silence *one;
	size_t i;

	writer_array(s, "silenced");
	for (i = 0; i < silences->n; i++) {
		one = &silences->list[i];
		snprintf(text, sizeof(text), "%s%s",
		    one->tag ? SILENCED_TAG : SILENCED_RULE, one->name);
		writer_text(s, NULL, text);
	}
	writer_end(s);
}

static void
add_velocity_values(struct str *s, const struct velocity_values *values)
{
	char id[NUMBER_SIZE];
	size_t i;

	writer_object(s, "velocities");
	for (i = 0; i < values->n; i++) {
		snprintf(id, sizeof(id), "%" PRId64, values->list[i].id);
		writer_value(s, id, &values->list[i].value);
	}
	writer_end(s);
}

/* The values in the order of the signals; [n] stands for n unknown ones. */
static void
add_signal_values(struct str *s, const struct value *value)
{
	int64_t unknown = 0;
	size_t i;

	writer_array(s, "values");
	for (i = 0; i < SIGNAL__MAX; i++) {
		if (value[i].type == VALUE_UNKNOWN) {
			unknown++;
			continue;
		}
		if (unknown > 0) {
			writer_array(s, NULL);
			writer_int(s, NULL, unknown);
			writer_end(s);
			unknown = 0;
		}
		writer_value(s, NULL, &value[i]);
	}
	writer_end(s);
}

/* Read a sample; if a is NULL, only its head. */
static int
read_whole_or_head(struct sample_reader *r, struct arena *a, struct sample *ret)
{
	const char *before = "{";
	struct raw name;

	ret->score = SCORE_SHORT_CIRCUIT;
	ret->verdict = 0;
	ret->scorer = 0;
	ret->watched = false;
	ret->rules_score = -1;
	ret->ruleset = NULL;
	ret->model = NULL;
	ret->p = ret->p_even = 0;
	do {
		if (!skip_text(r, before) || !read_member_name(r, &name))
			return -1;
		if (a == NULL && !in_head(&name))
			break;
		if (!read_member(r, &name, a, ret))
			return -1;
		before = ",";
	} while (!skip_text(r, "}"));
	if (a != NULL && r->next != r->end)
		return -1;
	if (ret->scorer == SCORER_WEIGHTED)
		ret->rules_score = ret->score;
	return ret->score < 0 || ret->verdict == 0 ? -1 : 0;
}

static bool
read_member(struct sample_reader *r, const struct raw *name, struct arena *a,
    struct sample *ret)
{
	size_t i;

	for (i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (name_equals(name, members[i].name))
			return members[i].read(r, ret);
	if (a != NULL && name_equals(name, "signals"))
		return read_signals(r, a, ret);
	if (a != NULL && name_equals(name, "velocities"))
		return read_velocities(r, a, ret);
	return skip_value(r);
}

static bool
in_head(const struct raw *name)
{
	size_t i;

	for (i = 0; i < HEAD_MEMBERS; i++)
		if (name_equals(name, members[i].name))
			return true;
	return false;
}

/* Leave the scorer 0 if the name is unknown: another version wrote it. */
static bool
read_scorer(struct sample_reader *r, struct sample *ret)
{
	unsigned int i;
	struct raw name;

	if (!read_raw(r, &name))
		return false;
	for (i = SCORER_WEIGHTED; i < SCORER__MAX; i++)
		if (name_equals(&name, scorer_name((enum scorer)i)))
			ret->scorer = (enum scorer)i;
	return true;
}

static bool
read_score(struct sample_reader *r, struct sample *ret)
{
	return read_total(r, &ret->score);
}

static bool
read_verdict(struct sample_reader *r, struct sample *ret)
{
	unsigned int i;
	struct raw name;

	if (!read_raw(r, &name))
		return false;
	for (i = VERDICT_ALLOW; i < VERDICT__MAX; i++)
		if (name_equals(&name, verdict_name((enum verdict)i)))
			ret->verdict = (enum verdict)i;
	return true;
}

static bool
read_watched(struct sample_reader *r, struct sample *ret)
{
	ret->watched = skip_text(r, "true");
	return ret->watched;
}

static bool
read_rules_score(struct sample_reader *r, struct sample *ret)
{
	return read_total(r, &ret->rules_score);
}

static bool
sample_read_ruleset(struct sample_reader *r, struct sample *ret)
{
	return read_version(r, &ret->ruleset);
}

static bool
sample_read_model(struct sample_reader *r, struct sample *ret)
{
	return read_version(r, &ret->model);
}

static bool
read_p(struct sample_reader *r, struct sample *ret)
{
	return sample_read_number(r, &ret->p);
}

static bool
read_p_even(struct sample_reader *r, struct sample *ret)
{
	return sample_read_number(r, &ret->p_even);
}

static bool
read_silenced(struct sample_reader *r, struct sample *ret)
{
	const char *before = "[";
	struct raw raw;

	/* A second list is an error. */
	if (ret->silences.n > 0)
		return false;
	do {
		if (!skip_text(r, before) || !read_raw(r, &raw) ||
		    ret->silences.n == RULE_SILENCES_MAX ||
		    !read_silence(r, &raw, &ret->silenced[ret->silences.n]))
			return false;
		ret->silences.n++;
		before = ",";
	} while (!skip_text(r, "]"));
	ret->signals.silences = &ret->silences;
	return true;
}

static bool
read_silence(
    struct sample_reader *r, const struct raw *raw, struct rule_silence *ret)
{
	const size_t tag = strlen(SILENCED_TAG), rule = strlen(SILENCED_RULE);
	struct raw rest = *raw;
	size_t prefix;

	ret->tag = raw->len > tag && memcmp(raw->text, SILENCED_TAG, tag) == 0;
	prefix = ret->tag ? tag : rule;
	if (!ret->tag &&
	    (raw->len <= rule || memcmp(raw->text, SILENCED_RULE, rule) != 0))
		return false;
	rest.text += prefix;
	rest.len -= prefix;
	ret->name = sample_read_text(r, &rest);
	return ret->name != NULL;
}

/*
 * Read the values that add_signal_values() wrote.  Skip those of signals that
 * this version does not know: a later version wrote them, and no rule reads
 * them.
 */
static bool
read_signal_values(struct sample_reader *r, struct sample *ret)
{
	const char *before = "[";
	struct value value;
	double unknown, place = 0;

	if (skip_text(r, "[]"))
		return true;
	do {
		if (!skip_text(r, before))
			return false;
		before = ",";
		if (skip_text(r, "[")) {
			if (!sample_read_number(r, &unknown) ||
			    !skip_text(r, "]") || unknown < 0)
				return false;
			place += unknown;
			continue;
		}
		if (!read_value(r, &value))
			return false;
		if (place < SIGNAL__MAX)
			ret->signals.value[(size_t)place] = value;
		place++;
	} while (!skip_text(r, "]"));
	return true;
}

/* Read a version, or null.  Skip it if only the head is read. */
static bool
read_version(struct sample_reader *r, const char **ret)
{
	struct raw raw;

	if (r->room == NULL || r->next >= r->end || *r->next != '"')
		return skip_value(r);
	if (!read_raw(r, &raw))
		return false;
	*ret = sample_read_text(r, &raw);
	return *ret != NULL;
}

static bool
read_total(struct sample_reader *r, int *ret)
{
	double n;

	if (!sample_read_number(r, &n) || !(n >= 0 && n <= SCORE_MAX))
		return false;
	*ret = (int)n;
	return true;
}

/* Read the signals and attributes. */
static bool
read_signals(struct sample_reader *r, struct arena *a, struct sample *ret)
{
	const char *before = "{";
	enum signal next = 0;
	struct attr *attrs = NULL;
	struct raw name;

	/* A second "signals" with attributes is an error. */
	if (ret->event.attrs != NULL)
		return false;
	if (skip_text(r, "{}"))
		return true;
	do {
		if (!skip_text(r, before) || !read_member_name(r, &name))
			return false;
		before = ",";
		if (name.len <= ATTR_PREFIX_LEN ||
		    memcmp(name.text, ATTR_PREFIX, ATTR_PREFIX_LEN) != 0) {
			if (!read_signal(r, &name, &next, ret))
				return false;
			continue;
		}
		if (attrs == NULL) {
			attrs = arena_array(a, EVENT_ATTRS_MAX, sizeof(*attrs));
			ret->event.attrs = attrs;
		}
		if (attrs == NULL ||
		    !sample_read_attr(r, &name, attrs, &ret->event))
			return false;
	} while (!skip_text(r, "}"));
	return true;
}

static bool
read_velocities(struct sample_reader *r, struct arena *a, struct sample *ret)
{
	struct velocity_value *list =
	    arena_array(a, VELOCITIES_MAX, sizeof(*list));
	const char *before = "{";
	size_t n = 0;

	/* A second object is an error. */
	if (list == NULL || ret->signals.velocities != NULL)
		return false;
	ret->velocities = (struct velocity_values) { .list = list, .n = 0 };
	ret->signals.velocities = &ret->velocities;
	if (skip_text(r, "{}"))
		return true;
	do {
		if (!skip_text(r, before) || n == VELOCITIES_MAX ||
		    !read_velocity_id(r, &list[n].id) ||
		    !read_value(r, &list[n].value) ||
		    (list[n].value.type != VALUE_NUMBER &&
			list[n].value.type != VALUE_UNKNOWN))
			return false;
		n++;
		before = ",";
	} while (!skip_text(r, "}"));
	ret->velocities.n = n;
	return true;
}

/* Read the id of a velocity as it is written, in quotes, and the colon. */
static bool
read_velocity_id(struct sample_reader *r, int64_t *ret)
{
	char text[NUMBER_SIZE];
	struct raw name;

	if (!read_member_name(r, &name) || name.len >= sizeof(text))
		return false;
	memcpy(text, name.text, name.len);
	text[name.len] = '\0';
	*ret = strtoll(text, NULL, 10);
	snprintf(text, sizeof(text), "%" PRId64, *ret);
	return name_equals(&name, text);
}

/*
 * Read one signal; *next is the one that is expected.  Skip a signal with an
 * unknown name: another version wrote it, and no rule reads it.
 */
static bool
read_signal(struct sample_reader *r, const struct raw *name, enum signal *next,
    struct sample *ret)
{
	unsigned int i, n = *next;

	for (i = 0; i < SIGNAL__MAX; i++, n = (n + 1) % SIGNAL__MAX) {
		if (!name_equals(name, signal_name((enum signal)n)))
			continue;
		*next = (enum signal)((n + 1) % SIGNAL__MAX);
		return read_value(r, &ret->signals.value[n]);
	}
	return skip_value(r);
}

static bool
sample_read_attr(struct sample_reader *r, const struct raw *name,
    struct attr *attrs, struct event *ev)
{
	struct attr *attr = &attrs[ev->n_attrs];
	struct raw rest = *name;

	if (ev->n_attrs == EVENT_ATTRS_MAX)
		return false;
	rest.text += ATTR_PREFIX_LEN;
	rest.len -= ATTR_PREFIX_LEN;
	attr->name = sample_read_text(r, &rest);
	if (attr->name == NULL || !read_value(r, &attr->value))
		return false;
	ev->n_attrs++;
	return true;
}

/* A member's name and the colon. */
static bool
read_member_name(struct sample_reader *r, struct raw *ret)
{
	return read_raw(r, ret) && skip_text(r, ":");
}

static bool
read_value(struct sample_reader *r, struct value *ret)
{
	struct raw raw;
	double n;

	if (r->next < r->end && *r->next == '"') {
		if (!read_raw(r, &raw))
			return false;
		*ret = value_string(sample_read_text(r, &raw));
		return ret->type != VALUE_UNKNOWN;
	}
	if (skip_text(r, "true"))
		*ret = value_bool(true);
	else if (skip_text(r, "false"))
		*ret = value_bool(false);
	else if (skip_text(r, "null"))
		*ret = value_unknown();
	else if (sample_read_number(r, &n))
		*ret = value_number(n);
	else
		return false;
	return true;
}

/* Read a number; small integers, the most common ones, need no strtod(). */
static bool
sample_read_number(struct sample_reader *r, double *ret)
{
	char text[NUMBER_SIZE];
	const char *p = r->next;
	char *end;
	int64_t n = 0;
	size_t len;

	while (
	    p < r->end && *p >= '0' && *p <= '9' && p - r->next < EXACT_DIGITS)
		n = n * 10 + (*p++ - '0');
	if (p > r->next && p < r->end &&
	    (*p == ',' || *p == ']' || *p == '}')) {
		r->next = p;
		*ret = (double)n;
		return true;
	}
	for (len = 0; r->next + len < r->end && len < sizeof(text) - 1 &&
	     r->next[len] != '\0' &&
	     strchr("0123456789+-.eE", r->next[len]) != NULL;
	     len++)
		text[len] = r->next[len];
	text[len] = '\0';
	*ret = strtod(text, &end);
	r->next += len;
	return len > 0 && *end == '\0' && *ret - *ret == 0;
}

static bool
read_raw(struct sample_reader *r, struct raw *ret)
{
	const char *p;

	if (!skip_text(r, "\""))
		return false;
	ret->escapes = false;
	for (p = r->next; p < r->end && *p != '"'; p++) {
		if ((unsigned char)*p < ' ')
			return false;
		if (*p != '\\')
			continue;
		ret->escapes = true;
		p++;
	}
	if (p >= r->end)
		return false;
	ret->text = r->next;
	ret->len = (size_t)(p - r->next);
	r->next = p + 1;
	return true;
}

/*
 * Decode a string, or return NULL.  Accept only the escapes of JSON that
 * str_json() writes: of the quote, the backslash and control characters.
 */
static const char *
sample_read_text(struct sample_reader *r, const struct raw *raw)
{
	const char *p = raw->text, *end = p + raw->len;
	char *w = r->room, *text = w;

	if (!raw->escapes) {
		memcpy(w, p, raw->len);
		w += raw->len;
		p = end;
	}
	while (p < end) {
		if (*p != '\\') {
			*w++ = *p++;
		} else if (p[1] == '"' || p[1] == '\\') {
			*w++ = p[1];
			p += 2;
		} else {
			if (end - p < 6 || memcmp(p, "\\u00", 4) != 0 ||
			    hex_digit(p[4]) < 0 || hex_digit(p[5]) < 0 ||
			    (p[4] == '0' && p[5] == '0') || p[4] > '7')
				return NULL;
			*w++ = (char)(hex_digit(p[4]) << 4 | hex_digit(p[5]));
			p += 6;
		}
	}
	*w++ = '\0';
	r->room = w;
	return text;
}

/* Skip a text if it is next. */
static bool
skip_text(struct sample_reader *r, const char *text)
{
	const size_t len = strlen(text);

	if ((size_t)(r->end - r->next) < len || memcmp(r->next, text, len) != 0)
		return false;
	r->next += len;
	return true;
}

/* Skip a value of any depth. */
static bool
skip_value(struct sample_reader *r)
{
	const char *from = r->next;
	struct raw raw;
	size_t depth = 0;

	while (r->next < r->end) {
		switch (*r->next) {
		case '"':
			if (!read_raw(r, &raw))
				return false;
			continue;
		case '[':
		case '{':
			depth++;
			break;
		case ',':
			if (depth == 0)
				return r->next > from;
			break;
		case ']':
		case '}':
			if (depth == 0)
				return r->next > from;
			depth--;
			break;
		default:
			break;
		}
		r->next++;
	}
	return false;
}

static bool
name_equals(const struct raw *raw, const char *name)
{
	return strncmp(name, raw->text, raw->len) == 0 &&
	    name[raw->len] == '\0';
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
