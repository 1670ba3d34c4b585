/* SPDX-License-Identifier: ISC */
/* Gauges of what waits in the database, measured for the metrics. */
#include "config.h"

#include <string.h>

#include "core/base/str.h"
#include "lib/db/db.h"
#include "lib/shared/gauge.h"

#define COUNT_MAX 10000 /* the help texts of gauges.tbl say so */

static void note_gauge(struct gauges *g, const char *name, int64_t value);

static const struct {
	const char *id;
	const char *name;
	const char *labels;
	int unit;
	const char *help;
} gauges[GAUGE__MAX] = {
#define GAUGE(id, name, labels, unit, help) { #id, name, labels, unit, help },
#include "lib/shared/gauges.tbl"
#undef GAUGE
};

int
gauge_measure(struct db *db, struct arena *a, struct gauges *g, struct fail *f)
{
	struct params p;
	struct rows rows;
	int i;

	params_init(&p, a);
	params_int(&p, COUNT_MAX);
	if (db_run(db, a, STMT_GAUGES, &p, &rows, f) == -1)
		return -1;
	for (i = 0; i < rows.n; i++)
		note_gauge(g, rows_text(&rows, i, "name"),
		    rows_int(&rows, i, "value"));
	atomic_store(&g->measured, 1);
	return 0;
}

void
gauge_print(const struct gauges *g, struct str *s)
{
	int i;

	if (atomic_load(&g->measured) == 0)
		return;
	for (i = 0; i < GAUGE__MAX; i++) {
		if (i == 0 || strcmp(gauges[i].name, gauges[i - 1].name) != 0)
			str_addf(s, "# HELP %s %s\n# TYPE %s gauge\n",
			    gauges[i].name, gauges[i].help, gauges[i].name);
		str_addf(s, "%s%s ", gauges[i].name, gauges[i].labels);
		str_number(
		    s, (double)atomic_load(&g->value[i]) / gauges[i].unit);
		str_addc(s, '\n');
	}
}

/* Store a value; ignore a name that only a newer schema has. */
static void
note_gauge(struct gauges *g, const char *name, int64_t value)
{
	int i;

	for (i = 0; i < GAUGE__MAX; i++)
		if (strcmp(gauges[i].id, name) == 0)
			atomic_store(&g->value[i], value);
}
