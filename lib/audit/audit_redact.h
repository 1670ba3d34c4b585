/* SPDX-License-Identifier: ISC */
/* Redact the parameters of a request for the audit trail. */
#ifndef LIB_AUDIT_AUDIT_REDACT_H
#define LIB_AUDIT_AUDIT_REDACT_H

struct json_object;
struct str;

#define AUDIT_REDACT_CARD "[card]" /* replaces a full card number */

/*
 * Append a body as a JSON object without personal data.  Values whose names
 * mean a secret are replaced, addresses and phone numbers masked, and URLs cut
 * after the host, whatever their type, also in arrays.  A full card number in a
 * text, name or number becomes "[card]".  Long texts, arrays and numbers are
 * cut.  A body that is not an object becomes {}.  At most some 20 KiB are
 * appended.
 */
void audit_redact_body(struct str *s, struct json_object *json);

/*
 * Append a text as a JSON string, without full card numbers, cut after 256
 * bytes.
 */
void audit_redact_text(struct str *s, const char *text);

/* Append only scheme and host of a URL, as a JSON string. */
void audit_redact_url(struct str *s, const char *url);

#endif
