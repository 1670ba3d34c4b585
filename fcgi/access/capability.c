/* SPDX-License-Identifier: ISC */
/* What operators may do by their roles. */
#include "config.h"

#include "core/base/writer.h"
#include "fcgi/access/capability.h"

static const struct {
	const char *name;
	enum role role;
} capabilities[CAPABILITY__MAX] = {
#define CAPABILITY(id, name, role) { name, ROLE_##role },
#include "fcgi/access/capabilities.tbl"
#undef CAPABILITY
};

bool
capability_held(enum role role, enum capability capability)
{
	return role >= capabilities[capability].role;
}

void
capability_list(struct str *s, enum role role)
{
	enum capability capability;

	writer_array(s, NULL);
	for (capability = 0; capability < CAPABILITY__MAX; capability++)
		if (capability_held(role, capability))
			writer_text(s, NULL, capabilities[capability].name);
	writer_end(s);
}
