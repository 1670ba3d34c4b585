/* SPDX-License-Identifier: ISC */
/* Settings that admins change while the service runs. */
#ifndef LIB_SHARED_RUNTIME_SETTING_H
#define LIB_SHARED_RUNTIME_SETTING_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct db;
struct fail;
struct shm;

#define SETTING_NUMBER_MIN 0.000001 /* of settings of type NUMBER */

enum runtime_setting {
#define SETTING(id, group, field, name, type, min, max, fallback) SETTING_##id,
	SETTING__NONE = 0,
#include "lib/shared/runtime_setting.tbl"
#undef SETTING
	SETTING__MAX
};

/* The overrides in the database. */
struct runtime_settings {
	int64_t epoch; /* assay.epoch.settings */
	const char *text[SETTING__MAX]; /* a JSON number; NULL: no override */
};

/*
 * Read all overrides with one statement, into arena a.  Returns 0, or -1 with
 * f set.
 */
int runtime_setting_read(struct db *db, struct arena *a,
    struct runtime_settings *ret, struct fail *f)
    __attribute__((warn_unused_result));

/* The value in effect: the override, else the fallback of this process. */
double runtime_setting_value(
    const struct runtime_settings *s, enum runtime_setting which);

/* The value without an override, from the settings of this process. */
int64_t runtime_setting_fallback(enum runtime_setting which);

/* The name of a setting in assay.setting. */
const char *runtime_setting_name(enum runtime_setting which);

/*
 * Some settings are needed without a query.  Their values are in the shared
 * region, each in one word with its epoch, so that a slow writer cannot make an
 * old value look new.  They stay in effect while the database is unreachable.
 */

/* Share settings that were read at ticks (of clock_ticks()). */
void runtime_setting_publish(
    struct shm *shm, const struct runtime_settings *s, int64_t ticks);

/*
 * Read the settings and share them with all processes of the region; log that
 * they have changed.  Returns 0, or -1 with f set and nothing changed.
 */
int runtime_setting_share(struct shm *shm, struct db *db, struct arena *a,
    struct fail *f) __attribute__((warn_unused_result));

/* Whether all shared values are of this epoch. */
bool runtime_setting_shared(const struct shm *shm, int64_t epoch);

/*
 * Whether the shared values are too old at ticks (of clock_ticks()) and this
 * caller must call runtime_setting_share().  Only one caller gets true; if it
 * fails, another gets true a few seconds later.
 */
bool runtime_setting_due(struct shm *shm, int64_t ticks);

/* The shared limit: SETTING_DECISIONS or SETTING_LOGINS. */
int64_t runtime_setting_limit(
    const struct shm *shm, enum runtime_setting which);

/* The z-score at or above which alert.anomaly.v1 is sent. */
double runtime_setting_anomaly(const struct shm *shm);

#endif
