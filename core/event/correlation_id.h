/* SPDX-License-Identifier: ISC */
/* Check the correlation ids of callers before they are written to logs. */
#ifndef CORE_EVENT_CORRELATION_ID_H
#define CORE_EVENT_CORRELATION_ID_H

#include <stdbool.h>

#define CORRELATION_ID_MAX 128 /* bytes */

/*
 * Whether a caller's correlation id may be logged, stored and passed on.  It
 * must be 1 to CORRELATION_ID_MAX printable ASCII characters, without a full
 * card number, an "@" (as in an email address), an IPv4 or IPv6 address, or a
 * phone number with "+".  An address next to a letter or digit does not count,
 * so the version "v1.2.3.4" is allowed.
 */
bool correlation_id_harmless(const char *id);

#endif
