/* SPDX-License-Identifier: ISC */
/* Which correlation ids of callers may be written to logs. */
#ifndef CORE_EVENT_CORRELATION_ID_H
#define CORE_EVENT_CORRELATION_ID_H

#include <stdbool.h>

#define CORRELATION_ID_MAX 128 /* bytes */

/*
 * Whether a caller's correlation id may be logged, stored and handed on: 1 to
 * CORRELATION_ID_MAX printable ASCII characters, in which stand no full card
 * number, no "@", as emails have it, no IPv4 or IPv6 address and no phone
 * number with its "+".  An address is one where no letter or digit is beside
 * it, so the version "v1.2.3.4" is none.
 */
bool correlation_id_harmless(const char *id);

#endif
