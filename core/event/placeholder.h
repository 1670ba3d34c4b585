/* SPDX-License-Identifier: ISC */
/*
 * Identifiers that identify no one, because strangers send the same: what
 * applications send when they have no id, and private addresses.
 */
#ifndef CORE_EVENT_PLACEHOLDER_H
#define CORE_EVENT_PLACEHOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/event/ip_address.h"
#include "core/event/list.h"

#define PLACEHOLDERS_MAX 64 /* of a setting */

/* Placeholders of a setting, beside those that ship. */
struct placeholders {
	struct placeholder {
		enum list_subject subject; /* not user, bin or country */
		char value[LIST_VALUE_SIZE]; /* in normal form */
		struct ip_network network; /* of an ip */
	} placeholder[PLACEHOLDERS_MAX];
	size_t n;
};

/*
 * Read a setting such as "device:kiosk-7,ip:198.51.100.0/24"; NULL has no
 * placeholders.  Return 0, or -1 if a part has no such subject or value, or if
 * there are more than PLACEHOLDERS_MAX.
 */
int placeholders_read(const char *setting, struct placeholders *ret)
    __attribute__((warn_unused_result));

/*
 * Whether a value in normal form is a placeholder that ships, for a device, a
 * fingerprint or an ip, or one of more, which may be NULL.
 */
bool placeholder_is(const struct placeholders *more, enum list_subject subject,
    const char *value);

#endif
