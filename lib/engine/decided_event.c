/* SPDX-License-Identifier: ISC */
/* The event of a stored decision, as velocities count it. */
#include "config.h"

#include "core/decide/sample.h"
#include "core/event/placeholder.h"
#include "lib/db/db.h"
#include "lib/engine/decided_event.h"

struct velocity_event
decided_event(struct sample *sample, const struct rows *rows, int row,
    const struct placeholders *placeholders)
{
	const struct value *bin = &sample->signals.value[SIGNAL_INSTRUMENT_BIN];
	const char *fingerprint = rows_text(rows, row, "fingerprint");

	sample->event.bin = bin->type == VALUE_STRING ? bin->string : NULL;
	if (fingerprint != NULL &&
	    placeholder_is(placeholders, LIST_FINGERPRINT, fingerprint))
		fingerprint = NULL;
	return (struct velocity_event) {
		.subject[SUBJECT_USER] = rows_text(rows, row, "user_id"),
		.subject[SUBJECT_DEVICE] = rows_text(rows, row, "device"),
		.subject[SUBJECT_IP] = rows_text(rows, row, "ip"),
		.subject[SUBJECT_FINGERPRINT] = fingerprint,
		.event = &sample->event,
	};
}
