/* SPDX-License-Identifier: ISC */
/* What `systemctl show` says of units.  Pure. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "ctl/doctor/finding.h"
#include "ctl/doctor/unit_state.h"

struct unit_state {
	const char *id;
	const char *active;
	const char *file;
};

static bool next_unit(char **at, struct unit_state *ret);
static bool unit_runs(const struct unit_state *u);

void
unit_state_judge(char *text, struct finding *ret)
{
	struct unit_state u;
	bool wanted = false, first = true;
	size_t n = 0;

	while (next_unit(&text, &u)) {
		if (first)
			wanted =
			    unit_runs(&u) || strcmp(u.file, "enabled") == 0;
		first = false;
		n += unit_runs(&u);
		if (strcmp(u.active, "failed") == 0 ||
		    (!unit_runs(&u) &&
			(wanted || strcmp(u.file, "enabled") == 0)))
			finding_raise(
			    ret, DOCTOR_CRITICAL, "%s is %s", u.id, u.active);
	}
	if (n == 0)
		finding_raise(ret, DOCTOR_WARN, "no unit of Assay is active");
	else if (ret->state == DOCTOR_OK)
		finding_text(ret, "%zu are active", n);
}

/* Read the lines of a unit.  Returns false at the end. */
static bool
next_unit(char **at, struct unit_state *ret)
{
	static const char *const names[] = {
		"Id=", "ActiveState=", "UnitFileState="
	};
	const char **const values[] = { &ret->id, &ret->active, &ret->file };
	char *line;
	size_t i;

	*ret = (struct unit_state) { "", "", "" };
	while ((line = strsep(at, "\n")) != NULL) {
		if (*line == '\0' && *ret->id != '\0')
			return true;
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (strncmp(line, names[i], strlen(names[i])) == 0)
				*values[i] = line + strlen(names[i]);
	}
	return *ret->id != '\0';
}

/* A timer whose service runs is active, too. */
static bool
unit_runs(const struct unit_state *u)
{
	return strcmp(u->active, "active") == 0 ||
	    strcmp(u->active, "activating") == 0 ||
	    strcmp(u->active, "reloading") == 0;
}
