/* SPDX-License-Identifier: ISC */
/* What the checks of assayctl doctor found: judged, counted, printed.  Pure. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/base/str.h"
#include "core/base/writer.h"
#include "ctl/doctor/finding.h"
#include "ctl/term_text.h"

static enum doctor_state worst_state(const struct finding *list, size_t n);
static size_t count_state(
    const struct finding *list, size_t n, enum doctor_state state);

static const struct {
	const char *name;
	const char *nagios;
	const char *label; /* of performance data */
	const char *colour;
	int exit;
} states[DOCTOR_STATE__MAX] = {
	[DOCTOR_OK] = { "ok", "OK", "ok", "\033[32m", 0 },
	[DOCTOR_UNKNOWN] = { "unknown", "UNKNOWN", "unknown", "\033[35m", 3 },
	[DOCTOR_WARN] = { "warn", "WARNING", "warn", "\033[33m", 1 },
	[DOCTOR_CRITICAL] = { "critical", "CRITICAL", "critical", "\033[31m",
	    2 },
};

void
finding_text(struct finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
}

void
finding_raise(struct finding *f, enum doctor_state state, const char *fmt, ...)
{
	va_list ap;

	if (state <= f->state)
		return;
	f->state = state;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
}

enum doctor_state
finding_limit(const struct finding *f, int64_t value)
{
	const bool falls = f->warn > f->critical;

	if (falls ? value < f->critical : value >= f->critical)
		return DOCTOR_CRITICAL;
	if (falls ? value < f->warn : value >= f->warn)
		return DOCTOR_WARN;
	return DOCTOR_OK;
}

int
finding_exit(const struct finding *list, size_t n)
{
	return states[worst_state(list, n)].exit;
}

void
finding_summary(struct str *s, const struct finding *list, size_t n)
{
	const char *between = ": ";
	enum doctor_state state;
	size_t i;

	str_addf(s, "ASSAY %s", states[worst_state(list, n)].nagios);
	for (state = DOCTOR_CRITICAL; state > DOCTOR_OK; state--)
		for (i = 0; i < n; i++) {
			if (list[i].state != state)
				continue;
			str_addf(s, "%s%s %s", between, list[i].name,
			    states[state].name);
			between = ", ";
		}
	str_add(s, " |");
	for (state = DOCTOR_OK; state < DOCTOR_STATE__MAX; state++)
		str_addf(s, " %s=%zu", states[state].label,
		    count_state(list, n, state));
	str_addc(s, '\n');
}

void
finding_table(struct str *s, const struct finding *list, size_t n, bool colour)
{
	size_t i;

	for (i = 0; i < n; i++) {
		str_addf(s, "%s%-8s%s  %-12s  ",
		    colour ? states[list[i].state].colour : "",
		    states[list[i].state].name, colour ? TERM_TEXT_PLAIN : "",
		    list[i].name);
		term_text_clean(s, list[i].text);
		str_addc(s, '\n');
		if (list[i].state != DOCTOR_OK)
			str_addf(s, "%-8s  %-12s  %s\n", "", "to do",
			    list[i].advice);
	}
}

void
finding_json(struct str *s, const struct finding *list, size_t n)
{
	size_t i;

	writer_object(s, NULL);
	writer_text(s, "state", states[worst_state(list, n)].name);
	writer_array(s, "checks");
	for (i = 0; i < n; i++) {
		writer_object(s, NULL);
		writer_text(s, "check", list[i].name);
		writer_text(s, "state", states[list[i].state].name);
		writer_text(s, "found", list[i].text);
		if (list[i].state != DOCTOR_OK)
			writer_text(s, "toDo", list[i].advice);
		writer_end(s);
	}
	writer_end(s);
	writer_end(s);
	str_addc(s, '\n');
}

static enum doctor_state
worst_state(const struct finding *list, size_t n)
{
	enum doctor_state worst = DOCTOR_OK;
	size_t i;

	for (i = 0; i < n; i++)
		if (list[i].state > worst)
			worst = list[i].state;
	return worst;
}

static size_t
count_state(const struct finding *list, size_t n, enum doctor_state state)
{
	size_t i, found = 0;

	for (i = 0; i < n; i++)
		found += list[i].state == state;
	return found;
}
