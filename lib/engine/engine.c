/* SPDX-License-Identifier: ISC */
/* Rulebooks, lists, exceptions, models and places in the memory of a worker. */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/decide/model.h"
#include "core/decide/policy.h"
#include "core/event/event.h"
#include "core/event/geo.h"
#include "core/event/placeholder.h"
#include "core/rule/rule.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/engine/active_model.h"
#include "lib/engine/candidate_model.h"
#include "lib/engine/engine.h"
#include "lib/engine/event_digest.h"
#include "lib/engine/exception_cache.h"
#include "lib/engine/geoip.h"
#include "lib/engine/list_cache.h"
#include "lib/engine/tag_weight_cache.h"
#include "lib/engine/velocity_set.h"
#include "lib/shared/runtime_setting.h"
#include "lib/shared/shm.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"

/*
 * Room for the largest compiled ruleset and policy of each event type, so that
 * everything published can be loaded.  It is only address space: the kernel
 * allocates pages on first use, and the pages of a replaced load are released.
 */
#define LOAD_SIZE                                                              \
	((EVENT_TYPE__MAX - 1) *                                               \
		(RULE_ARENA_SIZE(RULE_TEXT_MAX) + POLICY_ARENA_SIZE) +         \
	    VELOCITY_SET_ARENA_SIZE)
#define POLICY_ARENA_SIZE ((size_t)65536)

#define EXPIRED (-1) /* an epoch below all others */

/* A shadow ruleset. */
struct shadow_ruleset {
	bool there;
	const char *id;
	const struct ruleset *ruleset; /* NULL: it cannot be read */
	int percent; /* of the users: for these it decides */
};

/* One complete set of rulebooks and its memory. */
struct rulebook_load {
	struct arena arena;
	void *block;
	struct rulebook books[EVENT_TYPE__MAX];
	struct shadow_ruleset shadows[EVENT_TYPE__MAX];
	struct velocity_set velocities;
	uint8_t digest_key[EVENT_DIGEST_KEY_SIZE];
	struct epochs epochs;
};

struct engine {
	struct rulebook_load loads[2]; /* the current one and the next */
	int current; /* index, -1 before the first load */
	struct scoring scoring; /* of all rulebooks */
	struct scoring shadow; /* of the shadow scorer; 0: none */
	struct scoring shadow_model; /* of the shadow model */
	struct candidate_model candidate;
	struct tag_weight_cache learned;
	struct active_model served;
	struct list_cache *lists;
	struct exception_cache *exceptions;
	struct placeholders placeholders; /* of the setting */
	const struct geoip *geoip;
	struct spool *spool;
	struct shm *shm;
	int64_t server; /* db_server() of all that was read */
	int64_t settings; /* latest epoch of the settings */
	bool anomalies; /* a subscriber wants alert.anomaly.v1 */
	int64_t seen; /* last time of the database's clock, 0: none */
	int64_t seen_at; /* clock_ticks() then */
};

static bool scores_by(const struct engine *e, enum scorer scorer);
static int fresh_model(struct engine *e, struct db *db, struct arena *a,
    int64_t epoch, struct fail *f);
static void share_reach(const struct engine *e);
static int load_books(struct engine *e, struct db *db, struct arena *a,
    const struct epochs *now, struct fail *f);
static int load_rulesets(
    struct rulebook_load *load, struct db *db, struct arena *a, struct fail *f);
static int load_policies(
    struct rulebook_load *load, struct db *db, struct arena *a, struct fail *f);
static int load_policy(struct rulebook_load *load, const struct rows *rows,
    int first, int last, struct fail *f);
static int load_complete(const struct rulebook_load *load, struct fail *f);
static int load_shadows(
    struct rulebook_load *load, struct db *db, struct arena *a, struct fail *f);
static void load_shadow(struct rulebook_load *load, struct shadow_ruleset *ret,
    const struct rows *rows, int row);
static void load_drop(struct rulebook_load *load);

struct engine *
engine_new(enum scorer scorer, enum scorer shadow, const struct geoip *geoip,
    struct spool *spool, struct shm *shm, struct fail *f)
{
	struct engine *e;
	int i;

	if ((e = calloc(1, sizeof(*e))) == NULL)
		goto err0;
	if ((e->lists = list_cache_new()) == NULL)
		goto err1;
	if ((e->exceptions = exception_cache_new()) == NULL)
		goto err2;
	e->current = -1;
	active_model_init(&e->served);
	e->scoring = (struct scoring) {
		.scorer = scorer,
		.tag_weights = &e->learned.tag_weights,
		.model = &e->served.model,
	};
	e->shadow = e->scoring;
	e->shadow.scorer = shadow;
	e->shadow_model = (struct scoring) {
		.scorer = SCORER_ML,
		.model = &e->candidate.served.model,
	};
	if (placeholders_read(conf.PLACEHOLDERS, &e->placeholders) == -1)
		abort(); /* conf_load() has checked it */
	e->geoip = geoip;
	e->spool = spool;
	e->shm = shm;
	for (i = 0; i < 2; i++) {
		e->loads[i].block =
		    mmap(NULL, LOAD_SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (e->loads[i].block == MAP_FAILED)
			goto err3;
		arena_init(&e->loads[i].arena, e->loads[i].block, LOAD_SIZE);
	}
	return e;

err3:
	while (i-- > 0)
		munmap(e->loads[i].block, LOAD_SIZE);
	exception_cache_free(e->exceptions);
err2:
	list_cache_free(e->lists);
err1:
	free(e);
err0:
	fail_memory(f);
	return NULL;
}

void
engine_free(struct engine *e)
{
	int i;

	if (e == NULL)
		return;
	for (i = 0; i < 2; i++) {
		arena_reset(&e->loads[i].arena);
		munmap(e->loads[i].block, LOAD_SIZE);
	}
	exception_cache_free(e->exceptions);
	list_cache_free(e->lists);
	tag_weight_cache_clear(&e->learned);
	free(e);
}

void
engine_session(struct engine *e, const struct db *db)
{
	const int64_t before = e->server;

	e->server = db_server(db);
	if (before == 0 || before == e->server)
		return;
	if (e->current != -1)
		e->loads[e->current].epochs.rules = EXPIRED;
	e->served.epoch = ACTIVE_MODEL_EXPIRED;
	e->candidate.epoch = ACTIVE_MODEL_EXPIRED;
	e->learned.epoch = TAG_WEIGHT_CACHE_EXPIRED;
	list_cache_expire(e->lists);
	exception_cache_expire(e->exceptions);
}

int
engine_refresh(struct engine *e, struct db *db, struct arena *a,
    const struct epochs *now, struct fail *f)
{
	const struct epochs none = { 0 };
	const struct epochs *seen =
	    e->current == -1 ? &none : &e->loads[e->current].epochs;

	e->settings = now->settings;
	e->anomalies = now->anomalies;
	if ((seen->rules != now->rules || seen->policies != now->policies) &&
	    load_books(e, db, a, now, f) == -1)
		return -1;
	if (scores_by(e, SCORER_ML) &&
	    fresh_model(e, db, a, now->model, f) == -1)
		return -1;
	if (candidate_model_refresh(&e->candidate, db, a, now->model, f) == -1)
		return -1;
	if (list_cache_refresh(e->lists, db, now->lists, f) == -1)
		return -1;
	return exception_cache_refresh(e->exceptions, db, now->exceptions, f);
}

int
engine_load(struct engine *e, struct db *db, struct arena *a, struct fail *f)
{
	struct epochs now;
	struct rows r;

	if (db_ready(db, f) == -1)
		return -1;
	engine_session(e, db);
	if (db_one(db, a, STMT_ENGINE_EPOCHS, NULL, &r, f) == -1)
		return -1;
	now.rules = rows_int(&r, 0, "rules");
	now.policies = rows_int(&r, 0, "policies");
	now.lists = rows_int(&r, 0, "lists");
	now.exceptions = rows_int(&r, 0, "exceptions");
	now.settings = rows_int(&r, 0, "settings");
	now.model = rows_int(&r, 0, "model");
	now.anomalies = rows_bool(&r, 0, "anomalies");
	return engine_refresh(e, db, a, &now, f);
}

int64_t
engine_settings(const struct engine *e)
{
	return e->settings;
}

double
engine_anomaly(const struct engine *e)
{
	if (!e->anomalies)
		return INFINITY;
	if (e->shm == NULL)
		return (double)runtime_setting_fallback(SETTING_ANOMALY);
	return runtime_setting_anomaly(e->shm);
}

const struct rulebook *
engine_book(const struct engine *e, enum event_type type)
{
	if (e->current == -1)
		return NULL;
	return &e->loads[e->current].books[type];
}

bool
engine_shadow(const struct engine *e, enum event_type type, struct shadow *ret)
{
	const struct rulebook *book = engine_book(e, type);
	const struct shadow_ruleset *shadow;

	if (book == NULL)
		return false;
	ret->book = *book;
	ret->percent = 0;
	shadow = &e->loads[e->current].shadows[type];
	if (shadow->there) {
		ret->id = shadow->id;
		ret->book.ruleset = shadow->ruleset;
		ret->percent = shadow->percent;
		return shadow->ruleset != NULL;
	}
	if (e->candidate.id[0] != '\0') {
		ret->id = e->candidate.id;
		ret->book.scoring = &e->shadow_model;
		ret->percent = e->candidate.percent;
		return e->candidate.readable;
	}
	if (e->shadow.scorer == 0)
		return false;
	ret->id = scorer_name(e->shadow.scorer);
	ret->book.scoring = &e->shadow;
	return true;
}

struct tag_weight_cache *
engine_tag_weights(struct engine *e)
{
	return scores_by(e, SCORER_LEARNED) ? &e->learned : NULL;
}

const uint8_t *
engine_digest_key(const struct engine *e)
{
	return e->current == -1 ? NULL : e->loads[e->current].digest_key;
}

const struct geoip *
engine_geoip(const struct engine *e)
{
	return e->geoip;
}

const struct placeholders *
engine_placeholders(const struct engine *e)
{
	return &e->placeholders;
}

const struct list_cache *
engine_lists(const struct engine *e)
{
	return e->lists;
}

const struct exception_cache *
engine_exceptions(const struct engine *e)
{
	return e->exceptions;
}

const struct velocity_set *
engine_velocities(const struct engine *e)
{
	return e->current == -1 ? NULL : &e->loads[e->current].velocities;
}

enum list_kind
engine_match_lists(const struct engine *e, const struct event *ev, int64_t now)
{
	struct list_key keys[LIST_KEYS_MAX];
	struct list_match match;
	struct place place;
	size_t n;

	geoip_place(e->geoip, ev, &place);
	n = list_keys(ev, place.country, keys);
	match = list_cache_match(e->lists, keys, n, now);
	return list_match_kind(&match);
}

struct spool *
engine_spool(const struct engine *e)
{
	return e->spool;
}

void
engine_note_time(struct engine *e, int64_t now)
{
	e->seen = now;
	e->seen_at = clock_ticks();
}

int64_t
engine_now(const struct engine *e)
{
	return e->seen == 0 ? clock_now()
			    : e->seen + clock_ticks() - e->seen_at;
}

/* Whether the active scorer or the shadow scorer is this one. */
static bool
scores_by(const struct engine *e, enum scorer scorer)
{
	return e->scoring.scorer == scorer || e->shadow.scorer == scorer;
}

/*
 * Refresh the active model.  Warn each time when a demonstration model or an
 * extreme one becomes active, but not again when a new session reads the same
 * model.
 */
static int
fresh_model(struct engine *e, struct db *db, struct arena *a, int64_t epoch,
    struct fail *f)
{
	const int64_t before = e->served.epoch;
	const bool warned = before == ACTIVE_MODEL_EXPIRED &&
	    model_demonstrates(&e->served.model);
	char version[ACTIVE_MODEL_VERSION_SIZE];

	memcpy(version, e->served.version, sizeof(version));
	if (active_model_refresh(&e->served, db, a, epoch, f) == -1)
		return -1;
	if (e->served.epoch == before)
		return 0;
	if (strcmp(version, e->served.version) != 0)
		active_model_warn(&e->served.model, e->served.version);
	share_reach(e);
	if (!warned && e->scoring.scorer == SCORER_ML &&
	    model_demonstrates(&e->served.model))
		log_warn("event=bundled_model_used scorer=ml "
			 "model=synthetic-demo why=the bundled model was "
			 "trained on synthetic traffic; its scores mean "
			 "nothing for real traffic");
	return 0;
}

/* Tell the other processes of this host the reach of the active model. */
static void
share_reach(const struct engine *e)
{
	enum feature feature;

	if (e->shm != NULL)
		atomic_store(&e->shm->model_reach,
		    llround(1000 * model_reach(&e->served.model, &feature)));
}

/* Load all rulebooks and replace the current ones. */
static int
load_books(struct engine *e, struct db *db, struct arena *a,
    const struct epochs *now, struct fail *f)
{
	const int next = e->current == 0 ? 1 : 0;
	struct rulebook_load *load = &e->loads[next];
	int type;

	if (load_rulesets(load, db, a, f) == -1 ||
	    load_policies(load, db, a, f) == -1 ||
	    event_digest_key_read(db, a, load->digest_key, f) == -1 ||
	    load_complete(load, f) == -1 ||
	    velocity_set_read(&load->velocities, &load->arena, db, a, f) ==
		-1 ||
	    load_shadows(load, db, a, f) == -1) {
		load_drop(load);
		return -1;
	}
	for (type = 0; type < EVENT_TYPE__MAX; type++)
		load->books[type].scoring = &e->scoring;
	load->epochs = *now;
	if (e->current != -1)
		load_drop(&e->loads[e->current]);
	e->current = next;
	return 0;
}

/* Compile the active ruleset of each event type. */
static int
load_rulesets(
    struct rulebook_load *load, struct db *db, struct arena *a, struct fail *f)
{
	struct ruleset *rs;
	enum event_type type;
	struct rows rows;
	const char *text;
	int i;

	if (db_run(db, a, STMT_ENGINE_RULESETS, NULL, &rows, f) == -1)
		return -1;
	for (i = 0; i < rows.n; i++) {
		type = event_type_parse(rows_text(&rows, i, "event_type"));
		text = rows_text(&rows, i, "text");
		if (type == EVENT_TYPE__NONE)
			continue;
		rs = rule_compile(&load->arena, text, strlen(text), f);
		if (rs == NULL)
			return -1;
		rs->version =
		    arena_strdup(&load->arena, rows_text(&rows, i, "version"));
		load->books[type].ruleset = rs;
	}
	return 0;
}

/* Read the active policies: one row per band, grouped by policy. */
static int
load_policies(
    struct rulebook_load *load, struct db *db, struct arena *a, struct fail *f)
{
	struct rows rows;
	int first, last;

	if (db_run(db, a, STMT_ENGINE_POLICIES, NULL, &rows, f) == -1)
		return -1;
	for (first = 0; first < rows.n; first = last) {
		for (last = first + 1; last < rows.n &&
		     strcmp(rows_text(&rows, last, "event_type"),
			 rows_text(&rows, first, "event_type")) == 0;
		     last++)
			continue;
		if (load_policy(load, &rows, first, last, f) == -1)
			return -1;
	}
	return 0;
}

/* Read one policy from its rows: first up to, but not including, last. */
static int
load_policy(struct rulebook_load *load, const struct rows *rows, int first,
    int last, struct fail *f)
{
	struct arena *a = &load->arena;
	struct policy *p = arena_alloc(a, sizeof(*p));
	struct band *bands =
	    arena_array(a, (size_t)(last - first), sizeof(*bands));
	enum event_type type;
	int i;

	type = event_type_parse(rows_text(rows, first, "event_type"));
	if (type == EVENT_TYPE__NONE)
		return 0;
	if (p == NULL || bands == NULL)
		return fail_memory(f);
	p->id = arena_strdup(a, rows_text(rows, first, "id"));
	p->version = arena_strdup(a, rows_text(rows, first, "version"));
	p->on_error = policy_on_error_parse(rows_text(rows, first, "on_error"));
	for (i = first; i < last; i++) {
		bands[i - first] = (struct band) {
			.verdict = verdict_parse(rows_text(rows, i, "verdict")),
			.min = (double)rows_int(rows, i, "min"),
			.max = (double)rows_int(rows, i, "max"),
			.queue = arena_strdup(a, rows_text(rows, i, "queue")),
		};
	}
	p->bands = bands;
	p->n_bands = (size_t)(last - first);
	if (policy_check(p, f) == -1)
		return -1;
	load->books[type].policy = p;
	return 0;
}

/* Check that every event type has a rulebook, and that all fitted. */
static int
load_complete(const struct rulebook_load *load, struct fail *f)
{
	int type;

	if (load->arena.overflow)
		return fail_memory(f);
	for (type = EVENT_TYPE__NONE + 1; type < EVENT_TYPE__MAX; type++) {
		if (load->books[type].ruleset == NULL ||
		    load->books[type].policy == NULL)
			return fail_set(f, FAIL_US, UNAVAILABLE,
			    event_type_name((enum event_type)type),
			    "has no active %s; run assayctl migrate",
			    load->books[type].ruleset == NULL ? "ruleset"
							      : "policy");
	}
	return 0;
}

/* Compile the shadow rulesets. */
static int
load_shadows(
    struct rulebook_load *load, struct db *db, struct arena *a, struct fail *f)
{
	enum event_type type;
	struct rows rows;
	int i;

	if (db_run(db, a, STMT_ENGINE_CANDIDATES, NULL, &rows, f) == -1)
		return -1;
	for (i = 0; i < rows.n; i++) {
		type = event_type_parse(rows_text(&rows, i, "event_type"));
		if (type != EVENT_TYPE__NONE)
			load_shadow(load, &load->shadows[type], &rows, i);
	}
	return 0;
}

/*
 * Compile one shadow ruleset into the memory that the active ones leave free.
 * If it cannot be read or does not fit, only warn.
 */
static void
load_shadow(struct rulebook_load *load, struct shadow_ruleset *ret,
    const struct rows *rows, int row)
{
	const struct arena_mark mark = arena_mark(&load->arena);
	const char *id = rows_text(rows, row, "id");
	const char *text = rows_text(rows, row, "text");
	struct ruleset *rs;
	struct fail why = { 0 };

	ret->there = true;
	ret->percent = (int)rows_int(rows, row, "percent");
	ret->id = arena_strdup(&load->arena, id);
	rs = rule_compile(&load->arena, text, strlen(text), &why);
	if (rs != NULL)
		rs->version =
		    arena_strdup(&load->arena, rows_text(rows, row, "version"));
	ret->ruleset = rs;
	if (ret->id != NULL && rs != NULL && rs->version != NULL)
		return;
	log_warn("event=shadow_unreadable id=%s where=%s why=%s", id, why.where,
	    why.why);
	arena_rewind(&load->arena, mark);
	ret->ruleset = NULL;
}

/* Clear a load and release its pages. */
static void
load_drop(struct rulebook_load *load)
{
	arena_reset(&load->arena);
	memset(load->books, 0, sizeof(load->books));
	memset(load->shadows, 0, sizeof(load->shadows));
	load->velocities.n = 0;
	madvise(load->block, LOAD_SIZE, MADV_DONTNEED);
}
