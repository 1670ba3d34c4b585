/* SPDX-License-Identifier: ISC */
/* Read files of rules, policies and models into a request body. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include <json-c/json.h>

#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/decide/model.h"
#include "core/rule/rule.h"
#include "ctl/ctl.h"
#include "ctl/request/body_file.h"
#include "lib/json/body.h"
#include "lib/json/model_file.h"

static int rules_dsl(struct arena *a, const char *path, const char *text,
    size_t size, struct str *ret, struct fail *f);
static int rules_json(const char *path, struct json_object *json,
    struct str *ret, struct fail *f);
static int read_policy_body(bool publish, const char *path,
    struct json_object *json, struct str *ret, struct fail *f);
static int read_model_body(struct arena *a, const char *path, const char *text,
    size_t size, struct str *ret, struct fail *f);
static bool is_json(const char *text);

int
body_file_member(struct arena *a, enum request_spec_take take, const char *path,
    struct str *ret, struct fail *f)
{
	const bool rules = take == TAKE_RULESET;
	struct json_object *json;
	size_t size;
	char *text;

	if (strcmp(path, "-") == 0)
		path = "/dev/stdin";
	text = ctl_read_file(a, path, RULE_TEXT_MAX, &size, f);
	if (text == NULL) {
		f->kind = FAIL_DENIED;
		return -1;
	}
	if (take == TAKE_MODEL)
		return read_model_body(a, path, text, size, ret, f);
	if (rules && !is_json(text))
		return rules_dsl(a, path, text, size, ret, f);
	if ((json = body_parse(a, text, size, f)) == NULL) {
		if (f->where[0] == '\0')
			fail_set(f, f->kind, f->code, path, "is not JSON: %s",
			    f->why);
		return -1;
	}
	return rules
	    ? rules_json(path, json, ret, f)
	    : read_policy_body(take == TAKE_POLICY, path, json, ret, f);
}

static int
rules_dsl(struct arena *a, const char *path, const char *text, size_t size,
    struct str *ret, struct fail *f)
{
	if (rule_compile(a, text, size, f) == NULL) {
		ctl_rule_place(f, path);
		return -1;
	}
	writer_text(ret, "dsl", text);
	return 0;
}

/* Accept an array of rules, or an object with "rules" as of GET /v1/rules. */
static int
rules_json(
    const char *path, struct json_object *json, struct str *ret, struct fail *f)
{
	if (json_object_is_type(json, json_type_object))
		json = json_object_object_get(json, "rules");
	if (!json_object_is_type(json, json_type_array))
		return fail_set(f, FAIL_INPUT, RULESET_INVALID, path,
		    "has no array of rules");
	writer_json(ret, "rules",
	    json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN));
	return 0;
}

/* Copy onError and bands of a policy; its id and version are operands. */
static int
read_policy_body(bool publish, const char *path, struct json_object *json,
    struct str *ret, struct fail *f)
{
	static const char *const names[] = { "onError", "bands" };
	struct json_object *inner;
	size_t i;

	if (json_object_object_get_ex(json, "policy", &inner))
		json = inner;
	if (!publish)
		writer_object(ret, NULL);
	for (i = 0; i < nitems(names); i++) {
		if (!json_object_object_get_ex(json, names[i], &inner))
			return fail_set(f, FAIL_INPUT, POLICY_INVALID, path,
			    "has no %s; 'assayctl policies show --json ID' "
			    "prints a valid file",
			    names[i]);
		writer_json(ret, names[i],
		    json_object_to_json_string_ext(
			inner, JSON_C_TO_STRING_PLAIN));
	}
	if (!publish)
		writer_end(ret);
	return 0;
}

/*
 * Copy the file unchanged, so that the hash of the model is that of the file.
 * Check it first, to name the member at fault.
 */
static int
read_model_body(struct arena *a, const char *path, const char *text,
    size_t size, struct str *ret, struct fail *f)
{
	struct model m = *model_bundled();
	char why[FAIL_TEXT_SIZE];

	if (model_file_read(a, text, size, &m, f) == -1)
		return fail_set(
		    f, f->kind, f->code, path, "%s", fail_text(f, why));
	str_addn(ret, text, size);
	return 0;
}

static bool
is_json(const char *text)
{
	text += strspn(text, " \t\r\n");
	return *text == '{' || *text == '[';
}
