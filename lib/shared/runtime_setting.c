/* SPDX-License-Identifier: ISC */
/* Settings that admins change while the service runs. */
#include "config.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/shared/runtime_setting.h"
#include "lib/shared/shm.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"

#define SHARED_MAX (5 * CLOCK_SECOND) /* shared values are older: refresh */
#define VALUE_BITS 31 /* low bits of a word; the others are the epoch */
#define VALUE_MASK ((UINT64_C(1) << VALUE_BITS) - 1)
#define MICRO 1e6 /* a word holds a z-score in millionths */

static double in_word(enum runtime_setting which, double value);
static uint64_t shared_value(const struct shm *shm, enum runtime_setting which);
static size_t shared_index(enum runtime_setting which);

static const char *const names[SETTING__MAX] = {
#define SETTING(id, group, field, name, type, min, max, fallback)              \
	[SETTING_##id] = name,
#include "lib/shared/runtime_setting.tbl"
#undef SETTING
};

/* The shared settings, in the order of their words in the shared region. */
static const enum runtime_setting live[SHM_SETTINGS] = {
	SETTING_DECISIONS,
	SETTING_LOGINS,
	SETTING_ANOMALY,
};

int
runtime_setting_read(struct db *db, struct arena *a,
    struct runtime_settings *ret, struct fail *f)
{
	struct rows rows;
	enum runtime_setting s;
	int row;

	if (db_run(db, a, STMT_SETTING_READ, NULL, &rows, f) == -1)
		return -1;
	memset(ret, 0, sizeof(*ret));
	for (row = 0; row < rows.n; row++) {
		ret->epoch = rows_int(&rows, row, "epoch");
		s = name_index(names, rows_text(&rows, row, "name"));
		if (s != SETTING__NONE)
			ret->text[s] = rows_text(&rows, row, "value");
	}
	return 0;
}

double
runtime_setting_value(
    const struct runtime_settings *s, enum runtime_setting which)
{
	if (s->text[which] == NULL)
		return (double)runtime_setting_fallback(which);
	return strtod(s->text[which], NULL);
}

int64_t
runtime_setting_fallback(enum runtime_setting which)
{
	const int64_t fallbacks[SETTING__MAX] = {
#define SETTING(id, group, field, name, type, min, max, fallback)              \
	[SETTING_##id] = fallback,
#include "lib/shared/runtime_setting.tbl"
#undef SETTING
	};

	return fallbacks[which];
}

const char *
runtime_setting_name(enum runtime_setting which)
{
	return names[which];
}

void
runtime_setting_publish(
    struct shm *shm, const struct runtime_settings *s, int64_t ticks)
{
	uint64_t value;
	size_t i;

	for (i = 0; i < nitems(live); i++) {
		/* 0 means the fallback, which each process has. */
		value = s->text[live[i]] == NULL
		    ? 0
		    : (uint64_t)llround(
			  in_word(live[i], runtime_setting_value(s, live[i])));
		atomic_store(&shm->setting[i],
		    (uint64_t)s->epoch << VALUE_BITS | (value & VALUE_MASK));
	}
	atomic_store(&shm->setting_at, ticks);
}

int
runtime_setting_share(
    struct shm *shm, struct db *db, struct arena *a, struct fail *f)
{
	const int64_t ticks = clock_ticks();
	struct runtime_settings s;

	if (runtime_setting_read(db, a, &s, f) == -1)
		return -1;
	if (!runtime_setting_shared(shm, s.epoch))
		log_info("event=settings_shared epoch=%" PRId64, s.epoch);
	runtime_setting_publish(shm, &s, ticks);
	return 0;
}

bool
runtime_setting_shared(const struct shm *shm, int64_t epoch)
{
	size_t i;

	for (i = 0; i < nitems(live); i++)
		if (atomic_load(&shm->setting[i]) >> VALUE_BITS !=
		    (uint64_t)epoch)
			return false;
	return true;
}

bool
runtime_setting_due(struct shm *shm, int64_t ticks)
{
	int64_t at = atomic_load(&shm->setting_at);

	if (at != 0 && ticks - at < SHARED_MAX)
		return false;
	return atomic_compare_exchange_strong(&shm->setting_at, &at, ticks);
}

int64_t
runtime_setting_limit(const struct shm *shm, enum runtime_setting which)
{
	const uint64_t value = shared_value(shm, which);

	assert(which == SETTING_DECISIONS || which == SETTING_LOGINS);
	return value == 0 ? runtime_setting_fallback(which) : (int64_t)value;
}

double
runtime_setting_anomaly(const struct shm *shm)
{
	const uint64_t value = shared_value(shm, SETTING_ANOMALY);

	return value == 0 ? (double)runtime_setting_fallback(SETTING_ANOMALY)
			  : (double)value / MICRO;
}

/* The number that a word stores for a value. */
static double
in_word(enum runtime_setting which, double value)
{
	return which == SETTING_ANOMALY ? value * MICRO : value;
}

/* Read the value in a word; 0 means the fallback. */
static uint64_t
shared_value(const struct shm *shm, enum runtime_setting which)
{
	return atomic_load(&shm->setting[shared_index(which)]) & VALUE_MASK;
}

static size_t
shared_index(enum runtime_setting which)
{
	size_t i;

	for (i = 0; i < nitems(live) - 1 && live[i] != which; i++)
		continue;
	assert(live[i] == which);
	return i;
}
