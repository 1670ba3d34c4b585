/* SPDX-License-Identifier: ISC */
/* What of a request's parameters may be kept for people to read. */
#ifndef LIB_AUDIT_AUDIT_REDACT_H
#define LIB_AUDIT_AUDIT_REDACT_H

struct json_object;
struct str;

#define AUDIT_REDACT_CARD "[card]" /* stands for a full card number */

/*
 * Append a body as a JSON object: the values of names that sound like a
 * secret are replaced, addresses and phone numbers masked, URLs cut after
 * their host, of whatever type they are and in lists too; a full card number
 * in any text, name or number is "[card]"; long texts, lists and numbers are
 * cut.  What is no object is {}.  At most some 20 KiB are
 * appended, however large the body.
 */
void audit_redact_body(struct str *s, struct json_object *json);

/*
 * Append a text as a JSON string, without full card numbers, cut after 256
 * bytes.
 */
void audit_redact_text(struct str *s, const char *text);

/* Append a URL as a JSON string that shows no more than scheme and host. */
void audit_redact_url(struct str *s, const char *url);

#endif
