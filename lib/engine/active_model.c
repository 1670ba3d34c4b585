/* SPDX-License-Identifier: ISC */
/* The active model in the memory of a worker. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "lib/db/db.h"
#include "lib/engine/active_model.h"
#include "lib/json/model_file.h"
#include "lib/sys/log.h"

static const char *source_of(const char *origin);

/* The origins of models; constants, because the rows are freed. */
static const char *const sources[] = { "disk", "s3", "url", "published" };

void
active_model_init(struct active_model *s)
{
	memset(s, 0, sizeof(*s));
	s->model = *model_bundled();
}

int
active_model_refresh(struct active_model *s, struct db *db, struct arena *a,
    int64_t epoch, struct fail *f)
{
	struct model m = *model_bundled();
	struct fail refusal = { 0 };
	struct params p;
	struct rows rows;
	const char *body;

	if (s->epoch == epoch)
		return 0;
	params_init(&p, a);
	params_int(&p, FEATURES_VERSION);
	if (db_run(db, a, STMT_ENGINE_MODEL, &p, &rows, f) == -1)
		return -1;
	body = rows.n == 0 ? NULL : rows_text(&rows, 0, "body");
	if (body == NULL)
		s->model = m;
	else if (model_file_read(a, body, strlen(body), &m, &refusal) == 0)
		active_model_keep(s, &m, &rows);
	else
		log_warn("event=model_unreadable hash=%s where=%s why=%s",
		    rows_text(&rows, 0, "hash"), refusal.where, refusal.why);
	s->epoch = epoch;
	return 0;
}

int
active_model_find(struct active_model *s, struct db *db, struct arena *a,
    const char *version, enum active_model_result *ret, struct fail *f)
{
	struct model m = *model_bundled();
	struct fail refusal = { 0 };
	struct params p;
	struct rows rows;
	const char *body;

	if (strcmp(version, m.version) == 0) {
		s->model = m;
		*ret = ACTIVE_MODEL_FOUND;
		return 0;
	}
	params_init(&p, a);
	params_text(&p, version);
	if (db_run(db, a, STMT_MODEL_FIND, &p, &rows, f) == -1)
		return -1;
	*ret = ACTIVE_MODEL_REMOVED;
	if (rows.n == 0)
		return 0;
	body = rows_text(&rows, 0, "body");
	*ret = ACTIVE_MODEL_UNREADABLE;
	if (model_file_read(a, body, strlen(body), &m, &refusal) == -1)
		return 0;
	active_model_keep(s, &m, &rows);
	*ret = ACTIVE_MODEL_FOUND;
	return 0;
}

void
active_model_keep(
    struct active_model *s, const struct model *m, const struct rows *r)
{
	snprintf(s->version, sizeof(s->version), "%s", rows_text(r, 0, "hash"));
	snprintf(s->trained_at, sizeof(s->trained_at), "%s", m->trained_at);
	s->model = *m;
	s->model.version = s->version;
	s->model.trained_at = s->trained_at;
	s->model.provenance = MODEL_OPERATOR;
	s->model.source = source_of(rows_text(r, 0, "origin"));
}

void
active_model_warn(const struct model *m, const char *hash)
{
	enum feature feature;
	const double reach = model_reach(m, &feature);

	if (reach > MODEL_REACH_MAX)
		log_warn("event=model_extreme hash=%s where=%s why=the feature "
			 "can move the log odds by %.1f, more than %d",
		    hash, feature_name(feature), reach, MODEL_REACH_MAX);
}

static const char *
source_of(const char *origin)
{
	size_t i;

	for (i = 0; i + 1 < nitems(sources); i++)
		if (strcmp(origin, sources[i]) == 0)
			break;
	return sources[i];
}
