/* SPDX-License-Identifier: ISC */
/* Read rulesets and policies from an operator's JSON. */
#ifndef LIB_JSON_BODY_RULES_H
#define LIB_JSON_BODY_RULES_H

struct arena;
struct fail;
struct json_object;
struct policy;
struct ruleset;
struct str;

/*
 * Compile the ruleset of a body that has passed body_check().  It is one of two
 * members: "dsl", a string with the whole text; or "rules", an array of at most
 * RULES_MAX objects, each one rule:
 *
 *	{ "dsl" }, with optional "id", "tag" and "weight" that must agree
 *	{ "id", "tag", "weight", "condition" }
 *
 * A condition is a tree, see assay-rules(5).  Trees are written as rule text,
 * so that one compiler checks both.  Returns the ruleset, in arena a, and in
 * *ret_text the text from which it can be compiled again; or NULL with f set:
 * INVALID_REQUEST for none or both of the members, else RULESET_INVALID, where
 * "line 3, column 7", "rules[3].dsl, line 1, column 7:" or
 * "rules[3].condition.all[1].path".
 */
struct ruleset *body_ruleset(struct arena *a, struct json_object *json,
    const char **ret_text, struct fail *f) __attribute__((warn_unused_result));

/*
 * Read onError and bands of an object into *ret, in arena a; its texts point
 * into json.  id and version are not changed; other members are ignored.  where
 * is the path of the object: "" for the body itself, or "policy".  Returns 0,
 * or -1 with f set to POLICY_INVALID and the path of the fault.
 */
int body_policy(struct arena *a, struct json_object *json, const char *where,
    struct policy *ret, struct fail *f) __attribute__((warn_unused_result));

/*
 * The same for the text of an object, as the database stores it.  Returns 0, or
 * -1 with f set.
 */
int body_policy_text(struct arena *a, const char *text, struct policy *ret,
    struct fail *f) __attribute__((warn_unused_result));

/* Append the bands of a policy as the JSON array for the database. */
void body_bands(struct str *s, const struct policy *p);

#endif
