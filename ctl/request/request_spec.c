/* SPDX-License-Identifier: ISC */
/* The table of commands that send one request, and paths into JSON. */
#include "config.h"

#include <string.h>

#include <json-c/json.h>

#include "ctl/ctl.h"
#include "ctl/request/request_spec.h"

#define PATH_MAX_BYTES 64 /* of one name in a path */

/* clang-format off */
#define COMMAND(words, args, help, run)
#define CALL(w, m, p, h, ...) { .kind = PART_CALL, .name = w, .method = #m, .path = p, .help = h }, __VA_ARGS__
#define ARG(n, i, f, t) { .kind = PART_ARG, .name = n, .in = IN_##i, .path = f, .take = TAKE_##t },
#define OPT(n, a, i, f, t, h) { .kind = PART_OPT, .name = n, .arg = a, .in = IN_##i, .path = f, .take = TAKE_##t, .help = h },
#define OPT_N(n, f, i, lo, hi, h) { .kind = PART_OPT, .name = n, .arg = "N", .in = IN_##i, .path = f, .take = TAKE_NUMBER, .min = lo, .max = hi, .help = h },
#define OPT_DAYS(n, f, h) { .kind = PART_OPT, .name = n, .arg = "N", .in = IN_BODY, .path = f, .take = TAKE_DAYS, .min = 1, .max = 36500, .help = h },
#define SET(f, v) { .kind = PART_SET, .in = IN_BODY, .path = f, .arg = #v },
#define ASK(n, f) { .kind = PART_ASK, .name = n, .path = f },
#define PAGE(n, hi) { .kind = PART_PAGE, .min = n, .max = hi },
#define OLDER(n, hi, a, f) { .kind = PART_OLDER, .min = n, .max = hi, .arg = a, .path = f },
#define FIND(pre, f, p, t) { .kind = PART_FIND, .name = pre, .path = p, .arg = t, .method = f },
#define MISSING(n) { .kind = PART_MISSING, .name = n },
#define SEEN(p, n) { .kind = PART_SEEN, .path = p, .name = n },
#define KEYED() { .kind = PART_KEYED },
#define SLOW() { .kind = PART_SLOW },
#define WATCH(p, i) { .kind = PART_WATCH, .path = p, .min = i },
#define CONFIRM(q) { .kind = PART_CONFIRM, .name = q },
#define PROPOSE() { .kind = PART_PROPOSE },
#define PICK(p, i, none) { .kind = PART_PICK, .path = p, .min = i, .help = none },
#define FIELDS(c) { .kind = PART_FIELDS, .path = "", .arg = c },
#define ROWS(p, t, c) { .kind = PART_ROWS, .path = p, .name = t, .arg = c },
#define MEMBERS(p, t, c) { .kind = PART_MEMBERS, .path = p, .name = t, .arg = c },
#define DIFF(p, q, t) { .kind = PART_DIFF, .path = p, .arg = q, .name = t },
#define LINES(p, n) { .kind = PART_LINES, .path = p, .name = n },
#define SAY(n) { .kind = PART_SAY, .name = n },
#define NOTE(n) { .kind = PART_NOTE, .name = n },
#define NOTES(p) { .kind = PART_NOTES, .path = p },
/* clang-format on */

static const struct request_part parts[] = {
#include "ctl/request/commands.tbl"
	{ .kind = PART_CALL, .name = "" }, /* ends the last command */
};

const struct request_part *
request_spec_find(const char *words)
{
	size_t i;

	for (i = 0; i < nitems(parts); i++)
		if (parts[i].kind == PART_CALL &&
		    strcmp(parts[i].name, words) == 0)
			return &parts[i];
	return NULL;
}

const struct request_part *
request_spec_next(const struct request_part *p)
{
	return p[1].kind == PART_CALL ? NULL : p + 1;
}

struct json_object *
request_spec_at(struct json_object *json, const char *path)
{
	char name[PATH_MAX_BYTES];
	size_t len;

	while (json != NULL && *path != '\0') {
		len = strcspn(path, ".");
		if (len >= sizeof(name))
			return NULL;
		memcpy(name, path, len);
		name[len] = '\0';
		json = json_object_is_type(json, json_type_object)
		    ? json_object_object_get(json, name)
		    : NULL;
		path += len + (path[len] == '.');
	}
	return json;
}
