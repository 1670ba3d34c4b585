/* SPDX-License-Identifier: ISC */
/* Rulesets and policies out of an operator's JSON, for publishing or trial. */
#ifndef LIB_JSON_BODY_RULES_H
#define LIB_JSON_BODY_RULES_H

struct arena;
struct fail;
struct json_object;
struct policy;
struct ruleset;
struct str;

/*
 * Compile the ruleset of a body in which it is one of two members, which have
 * passed body_check(): "dsl", a string, the text of all of it; or "rules", an
 * array of at most RULES_MAX objects, each one rule:
 *
 *	{ "dsl" }, and perhaps "id", "tag" and "weight", which then agree
 *	{ "id", "tag", "weight", "condition" }
 *
 * A condition is a tree, assay-rules(5).  Trees are written as rule text, so
 * that there is one checker.  Returns the ruleset, in arena a, and its text,
 * from which it can be compiled again, in *ret_text; or NULL with f set:
 * INVALID_REQUEST for none or both of the members, else RULESET_INVALID, where
 * "line 3, column 7", "rules[3].dsl, line 1, column 7:" or
 * "rules[3].condition.all[1].path".
 */
struct ruleset *body_ruleset(struct arena *a, struct json_object *json,
    const char **ret_text, struct fail *f) __attribute__((warn_unused_result));

/*
 * Read onError and bands of an object into *ret, in arena a; texts stay where
 * json has them.  id and version are left alone, other members ignored.  where
 * is the path of the object, "" for a body itself or "policy".  Returns 0, or
 * -1 with f set to POLICY_INVALID and the path of what is wrong.
 */
int body_policy(struct arena *a, struct json_object *json, const char *where,
    struct policy *ret, struct fail *f) __attribute__((warn_unused_result));

/*
 * The same of the text of an object as the database gives it.  Returns 0, or
 * -1 with f set.
 */
int body_policy_text(struct arena *a, const char *text, struct policy *ret,
    struct fail *f) __attribute__((warn_unused_result));

/* Append the bands of a policy as the JSON array that is stored. */
void body_bands(struct str *s, const struct policy *p);

#endif
