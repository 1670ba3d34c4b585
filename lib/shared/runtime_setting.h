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

#define SETTING_NUMBER_MIN 0.000001 /* of those that are no whole number */

enum runtime_setting {
#define SETTING(id, group, field, name, type, min, max, fallback) SETTING_##id,
	SETTING__NONE = 0,
#include "lib/shared/runtime_setting.tbl"
#undef SETTING
	SETTING__MAX
};

/* What the database says; what has no override has no text. */
struct runtime_settings {
	int64_t epoch; /* assay.epoch.settings */
	const char *text[SETTING__MAX]; /* decimal, as JSON has it, or NULL */
};

/*
 * Read all overrides, in one statement, into arena a.  Returns 0, or -1 with
 * f set.
 */
int runtime_setting_read(struct db *db, struct arena *a,
    struct runtime_settings *ret, struct fail *f)
    __attribute__((warn_unused_result));

/* The value in effect: the override, else what this process was told. */
double runtime_setting_value(
    const struct runtime_settings *s, enum runtime_setting which);

/* What holds without an override. */
int64_t runtime_setting_fallback(enum runtime_setting which);

/* The name of a setting in assay.setting. */
const char *runtime_setting_name(enum runtime_setting which);

/*
 * Some settings are needed where the database is not asked.  Their values
 * stand in the shared region, each in one word with the epoch that it is of,
 * so that whoever comes late leaves nothing that looks newer than it is.  They
 * stay as they are while the database is away.
 */

/* Share what was read at ticks, a moment of clock_ticks(). */
void runtime_setting_publish(
    struct shm *shm, const struct runtime_settings *s, int64_t ticks);

/*
 * Read the settings and share them with the host.  Returns 0, or -1 with f
 * set and nothing changed.
 */
int runtime_setting_share(struct shm *shm, struct db *db, struct arena *a,
    struct fail *f) __attribute__((warn_unused_result));

/* Whether what is shared is of this epoch. */
bool runtime_setting_shared(const struct shm *shm, int64_t epoch);

/*
 * Whether what is shared was read too long before ticks, a moment of
 * clock_ticks(), and this caller is the one to call runtime_setting_share():
 * the next is told so after a while, whatever becomes of this one.
 */
bool runtime_setting_due(struct shm *shm, int64_t ticks);

/* The limit that is in effect here, of SETTING_DECISIONS or SETTING_LOGINS. */
int64_t runtime_setting_limit(
    const struct shm *shm, enum runtime_setting which);

/* The z-score from which on a decision is an anomaly (alert.anomaly.v1). */
double runtime_setting_anomaly(const struct shm *shm);

#endif
