/* SPDX-License-Identifier: ISC */
/* What operators may do by their roles. */
#ifndef FCGI_ACCESS_CAPABILITY_H
#define FCGI_ACCESS_CAPABILITY_H

#include <stdbool.h>

#include "lib/auth/token.h"

struct str;

#define CAPABILITY(id, name, role) CAPABILITY_##id,
enum capability {
#include "fcgi/access/capabilities.tbl"
	CAPABILITY__MAX
};
#undef CAPABILITY

/* Return whether an operator with this role may do it. */
bool capability_held(enum role role, enum capability capability);

/* Append the names of what this role may do, as a JSON array. */
void capability_list(struct str *s, enum role role);

#endif
