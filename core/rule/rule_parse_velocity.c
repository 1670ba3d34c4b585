/* SPDX-License-Identifier: ISC */
/* Parse the velocities beside the rules. */
#include "config.h"

#include <string.h>

#include "core/base/arena.h"
#include "core/base/str.h"
#include "core/rule/rule.h"
#include "core/rule/rule_explain.h"
#include "core/rule/rule_int.h"
#include "core/rule/rule_parse_int.h"
#include "core/rule/velocity.h"
#include "core/signal/signals.h"

#define ALL_FUNCTIONS "count, sum, avg, min, max, stddev or distinct"

/* What may stand at a place, beside attributes. */
struct event_part {
	const char *text; /* for messages */
	bool subjects;
	enum signal signal; /* only this one; SIGNAL__MAX: of the event */
};

static int parse_velocity(struct rule_parser *p, struct velocity *v);
static int parse_velocity_name(struct rule_parser *p, struct velocity *v);
static int parse_function(struct rule_parser *p, struct velocity *v);
static int parse_keys(struct rule_parser *p, struct velocity *v);
static int parse_key(struct rule_parser *p, struct velocity *v);
static int parse_window(struct rule_parser *p, struct velocity *v);
static int parse_where(struct rule_parser *p, struct velocity *v);
static bool reads_verdict(const struct rule_cond *cond);
static int read_field(struct rule_parser *p, const struct event_part *part,
    struct velocity_field *ret);
static int compare_fields(const struct rule_parser *p,
    const struct velocity_field *a, const struct velocity_field *b);
static int64_t text_id(const char *text, size_t len);

static const struct event_part number_part = {
	.text = "a number: event.amount or attr.name",
	.signal = SIGNAL_EVENT_AMOUNT,
}, any_part = {
	.text = "a part of the event: userId, deviceId, fingerprint, ip, "
		"phone, event.amount, instrument.bin, attr.name or such",
	.subjects = true,
	.signal = SIGNAL__MAX,
}, key_part = {
	.text = "a key: userId, deviceId, fingerprint, ip, phone, "
		"instrument.bin or attr.name",
	.subjects = true,
	.signal = SIGNAL_INSTRUMENT_BIN,
};

/*
 * velocity = "velocity" name "=" function "by" key [ "," key ]
 *            "over" ( window | "all" ) [ "where" cond ]
 *            [ "excluding" "current" ]
 */
int
rule_parse_velocity(struct rule_parser *p)
{
	struct velocity *v = arena_alloc(p->arena, sizeof(*v));

	if (v == NULL)
		return rule_mistake_memory(p->mistakes);
	p->n_velocities++;
	v->line = p->at.line;
	v->current = true;
	if (rule_parse_next(p) == -1 || parse_velocity_name(p, v) == -1)
		return -1;
	p->depth = 0;
	return parse_velocity(p, v);
}

void
rule_parse_check_velocities(struct rule_parser *p)
{
	struct rule_mistakes *m = p->mistakes;
	size_t i;

	/* A velocity with a mistake may lack its name. */
	if (m->n > 0)
		return;
	for (i = 0; i < p->velocities.names.n; i++)
		if (p->velocity[i] == NULL)
			rule_mistake_add(m, &p->velocity_read[i],
			    "no velocity has the name \"%s\"; define it with "
			    "\"velocity %s = ...\"",
			    p->velocities.names.text[i],
			    p->velocities.names.text[i]);
}

int
rule_copy_velocities(
    struct rule_parser *p, const struct rule_names *names, struct ruleset *rs)
{
	const size_t n = p->velocities.names.n;
	struct velocity *all = arena_array(p->arena, n, sizeof(*all));
	struct arena_mark mark;
	bool too_long;
	struct str s;
	size_t i;

	if (all == NULL)
		return rule_mistake_memory(p->mistakes);
	for (i = 0; i < n; i++) {
		all[i] = *p->velocity[i];
		all[i].names = names;
		mark = arena_mark(p->arena);
		str_init(&s, p->arena);
		velocity_print(&s, &all[i]);
		if (str_text(&s) == NULL)
			return rule_mistake_memory(p->mistakes);
		all[i].id = text_id(s.text, s.len);
		too_long = s.len > VELOCITY_TEXT_MAX;
		arena_rewind(p->arena, mark);
		if (too_long)
			return rule_mistake_add(p->mistakes,
			    &p->velocity_read[i],
			    "the velocity %s is longer than %d bytes",
			    all[i].name, VELOCITY_TEXT_MAX);
	}
	rs->velocities = all;
	rs->n_velocities = n;
	return 0;
}

/* Parse what follows the name. */
static int
parse_velocity(struct rule_parser *p, struct velocity *v)
{
	if (rule_parse_token(p, TOKEN_SET) == -1 ||
	    parse_function(p, v) == -1 || rule_parse_word(p, "by") == -1 ||
	    parse_keys(p, v) == -1 || rule_parse_word(p, "over") == -1 ||
	    parse_window(p, v) == -1)
		return -1;
	if (rule_lex_is(&p->at, "where") && parse_where(p, v) == -1)
		return -1;
	if (!rule_lex_is(&p->at, "excluding"))
		return 0;
	v->current = false;
	return rule_parse_next(p) == -1 ? -1 : rule_parse_word(p, "current");
}

static int
parse_velocity_name(struct rule_parser *p, struct velocity *v)
{
	const struct rule_lexeme at = p->at;
	char *name;
	int n;

	if (rule_parse_ident(p, "the name of a velocity", false, &name) == -1)
		return -1;
	if (name == NULL)
		return rule_parse_next(p);
	if (rule_check_velocity(p, &at, name, &n) == -1)
		return -1;
	if (n != -1 && p->velocity[n] != NULL)
		rule_mistake_add(p->mistakes, &at,
		    "an earlier velocity has the name \"%s\" already", name);
	else if (n != -1)
		p->velocity[n] = v;
	v->name = name;
	return rule_parse_next(p);
}

/* function = "count" | ( "sum" | ... | "distinct" ) "(" field ")" */
static int
parse_function(struct rule_parser *p, struct velocity *v)
{
	unsigned int f;

	for (f = VELOCITY_COUNT; f < VELOCITY_FUNCTION__MAX; f++)
		if (rule_lex_is(&p->at,
			velocity_function_name((enum velocity_function)f)))
			v->function = (enum velocity_function)f;
	if (v->function == 0)
		return rule_mistake_expected(
		    p->mistakes, &p->at, ALL_FUNCTIONS);
	if (rule_parse_next(p) == -1)
		return -1;
	if (v->function == VELOCITY_COUNT)
		return 0;
	if (rule_parse_token(p, TOKEN_LPAREN) == -1 ||
	    read_field(p,
		v->function == VELOCITY_DISTINCT ? &any_part : &number_part,
		&v->field) == -1)
		return -1;
	return rule_parse_token(p, TOKEN_RPAREN);
}

static int
parse_keys(struct rule_parser *p, struct velocity *v)
{
	if (parse_key(p, v) == -1)
		return -1;
	while (p->at.token == TOKEN_COMMA)
		if (rule_parse_next(p) == -1 || parse_key(p, v) == -1)
			return -1;
	return 0;
}

static int
parse_key(struct rule_parser *p, struct velocity *v)
{
	const struct rule_lexeme at = p->at;
	struct velocity_field key;
	int order;

	if (v->n_keys == VELOCITY_KEYS_MAX)
		return rule_mistake_add(p->mistakes, &at,
		    "a velocity has at most %d keys", VELOCITY_KEYS_MAX);
	if (read_field(p, &key_part, &key) == -1)
		return -1;
	order = v->n_keys == 0 ? -1 : compare_fields(p, &v->key[0], &key);
	if (order == 0)
		rule_mistake_add(
		    p->mistakes, &at, "the velocity has this key already");
	if (order > 0) {
		v->key[v->n_keys] = v->key[0];
		v->key[0] = key;
	} else
		v->key[v->n_keys] = key;
	v->n_keys++;
	return 0;
}

static int
parse_window(struct rule_parser *p, struct velocity *v)
{
	v->window = rule_lex_is(&p->at, "all") ? VELOCITY_ALL
	    : p->at.token == TOKEN_WORD ? velocity_window(p->at.text, p->at.len)
					: -1;
	if (v->window == -1)
		return rule_mistake_expected(p->mistakes, &p->at,
		    "a window from 1m to 90d, such as 30m, 24h or 7d, or "
		    "\"all\"");
	return rule_parse_next(p);
}

/* A filter that reads the verdict cannot include the current event. */
static int
parse_where(struct rule_parser *p, struct velocity *v)
{
	struct rule_cond *where;
	int r;

	if (rule_parse_next(p) == -1)
		return -1;
	p->part = "a part of the event, which is verdict, event.type, "
		  "event.amount, instrument.bin, attr.name or such";
	p->n_terms = 0;
	r = rule_parse_condition(p);
	p->part = NULL;
	if (r == -1)
		return -1;
	v->current = !reads_verdict(p->terms);
	where = arena_array(p->arena, p->n_terms, sizeof(*where));
	if (where == NULL)
		return rule_mistake_memory(p->mistakes);
	memcpy(where, p->terms, p->n_terms * sizeof(*where));
	v->where = where;
	return 0;
}

static bool
reads_verdict(const struct rule_cond *cond)
{
	const struct rule_cond *c, *end = cond + cond->span;

	for (c = cond; c < end; c++)
		if (c->kind != COND_NOT && c->kind != COND_AND &&
		    c->kind != COND_OR && c->signal == RULE_VERDICT)
			return true;
	return false;
}

/* Read the name of a part of the event. */
static int
read_field(struct rule_parser *p, const struct event_part *part,
    struct velocity_field *ret)
{
	const struct rule_lexeme at = p->at;
	unsigned int s;
	int r;

	*ret = (struct velocity_field) { .subject = SUBJECT__MAX };
	for (s = 0; part->subjects && s < SUBJECT__MAX; s++)
		if (rule_lex_is(
			&at, velocity_subject_name((enum velocity_subject)s))) {
			ret->subject = (enum velocity_subject)s;
			return rule_parse_next(p);
		}
	if (at.token != TOKEN_WORD && at.token != TOKEN_ATTR)
		return rule_mistake_expected(
		    p->mistakes, &at, "%s", part->text);
	p->part = part->text;
	r = rule_check_signal(p, &p->attrs.names, &at, &ret->signal);
	p->part = NULL;
	if (ret->signal == RULE_VERDICT)
		rule_mistake_add(p->mistakes, &at,
		    "the verdict may stand only after \"where\"");
	else if (part->signal != SIGNAL__MAX && ret->signal < SIGNAL__MAX &&
	    ret->signal != (uint16_t)part->signal)
		rule_mistake_expected(p->mistakes, &at, "%s", part->text);
	return r == -1 ? -1 : rule_parse_next(p);
}

/* Subjects first, then signals, then attributes by their names. */
static int
compare_fields(const struct rule_parser *p, const struct velocity_field *a,
    const struct velocity_field *b)
{
	if (a->subject != b->subject)
		return a->subject < b->subject ? -1 : 1;
	if (a->subject != SUBJECT__MAX || a->signal == b->signal)
		return 0;
	if (a->signal < SIGNAL__MAX || b->signal < SIGNAL__MAX ||
	    a->signal == RULE_SIGNAL_NONE || b->signal == RULE_SIGNAL_NONE)
		return a->signal < b->signal ? -1 : 1;
	return strcmp(p->attrs.names.text[a->signal - SIGNAL__MAX],
	    p->attrs.names.text[b->signal - SIGNAL__MAX]);
}

/* FNV-1a, the same on every host; never 0. */
static int64_t
text_id(const char *text, size_t len)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	size_t i;

	for (i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return h == 0 ? 1 : (int64_t)h;
}
