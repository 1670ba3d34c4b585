/* SPDX-License-Identifier: ISC */
/* /v1/config: runtime settings, which admins can change. */
#include "config.h"

#include <json-c/json_object.h>

#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/settings_sync.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/retention/retention.h"
#include "lib/shared/runtime_setting.h"
#include "lib/sys/clock.h"

#define WINDOW_MS 60000

/* Settings that are shown and changed together. */
enum setting_page { RATE_LIMITS = 1, ALERTS, RETENTION, PAGE__MAX };

static int show_page(
    struct req *req, struct resp *resp, enum setting_page page);
static int change_page(
    struct req *req, struct resp *resp, enum setting_page page);
static void override_page(
    struct req *req, enum setting_page page, struct runtime_settings *settings);
static int add_preview(
    struct req *req, struct str *s, enum retention which, int64_t days);
static int check_page(struct req *req, enum setting_page page);
static int store_page(struct req *req, enum setting_page page);
static void apply_settings(struct req *req);
static void add_values(
    struct str *s, const struct runtime_settings *all, enum setting_page page);
static void add_overridden(
    struct str *s, const struct runtime_settings *all, enum setting_page page);
static enum runtime_setting first_of(enum setting_page page);

/*
 * A body may have any of the fields of its page; null restores the default.
 * check_page() checks numbers that need not be whole, because min cannot
 * express their lower bound.
 */
static const struct body_field fields[SETTING__MAX] = {
#define SETTING(id, group, field, name, type, min, max, fallback)              \
	[SETTING_##id] = { field, BODY_##type, BODY_NULLABLE, min, max },
#include "lib/shared/runtime_setting.tbl"
#undef SETTING
};

static const enum setting_page pages[SETTING__MAX + 1] = {
#define SETTING(id, group, field, name, type, min, max, fallback)              \
	[SETTING_##id] = group,
#include "lib/shared/runtime_setting.tbl"
#undef SETTING
};

/*
 * GET /v1/config/rate-limits, alerts, retention.  200: the values in effect,
 * and which of them override the default.
 */
int
setting_rates(struct req *req, struct resp *resp)
{
	return show_page(req, resp, RATE_LIMITS);
}

int
setting_alerts(struct req *req, struct resp *resp)
{
	return show_page(req, resp, ALERTS);
}

int
setting_retention(struct req *req, struct resp *resp)
{
	return show_page(req, resp, RETENTION);
}

/*
 * PUT /v1/config/rate-limits, alerts, retention.  200: as GET, after the
 * change.  Fields that are absent do not change; null restores the default.
 * 400: a field is unknown, has the wrong type or is out of range.
 */
int
setting_put_rates(struct req *req, struct resp *resp)
{
	return change_page(req, resp, RATE_LIMITS);
}

int
setting_put_alerts(struct req *req, struct resp *resp)
{
	return change_page(req, resp, ALERTS);
}

int
setting_put_retention(struct req *req, struct resp *resp)
{
	return change_page(req, resp, RETENTION);
}

/*
 * POST /v1/config/retention/preview.  200: how many rows of each collection the
 * next sweep would remove with the windows of the body; 400: as for PUT.
 */
int
setting_preview_retention(struct req *req, struct resp *resp)
{
	struct runtime_settings settings;
	int64_t days[RETENTION__MAX];
	enum retention i;
	struct str s;

	if (check_page(req, RETENTION) == -1 ||
	    runtime_setting_read(req->db, req->arena, &settings, &req->fail) ==
		-1)
		return -1;
	override_page(req, RETENTION, &settings);
	retention_days(&settings, days);
	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_object(&s, "removes");
	for (i = 0; i < RETENTION__MAX; i++)
		if (add_preview(req, &s, i, days[i]) == -1)
			return -1;
	writer_end(&s);
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
}

/* Put the fields of the body in the place of the overrides that are stored. */
static void
override_page(
    struct req *req, enum setting_page page, struct runtime_settings *settings)
{
	struct json_object *value;
	enum runtime_setting s;

	for (s = first_of(page); pages[s] == page; s++)
		if (json_object_object_get_ex(
			req->json, fields[s].name, &value))
			settings->text[s] = value == NULL
			    ? NULL
			    : json_object_get_string(value);
}

static int
add_preview(struct req *req, struct str *s, enum retention which, int64_t days)
{
	char text[CLOCK_TEXT_SIZE];
	struct params p;
	struct rows rows;

	params_init(&p, req->arena);
	params_text(&p, retention_name(which));
	params_int(&p, days);
	if (db_one(req->db, req->arena, STMT_RETAIN_PREVIEW, &p, &rows,
		&req->fail) == -1)
		return -1;
	clock_text(rows_time(&rows, 0, "cut"), text);
	writer_object(s, retention_name(which));
	writer_int(s, "days", days);
	writer_text(s, "before", days == 0 ? NULL : text);
	writer_int(s, "rows", rows_int(&rows, 0, "rows"));
	writer_bool(s, "exact", rows_bool(&rows, 0, "exact"));
	writer_end(s);
	return 0;
}

static int
show_page(struct req *req, struct resp *resp, enum setting_page page)
{
	struct runtime_settings all;
	struct str s;

	if (runtime_setting_read(req->db, req->arena, &all, &req->fail) == -1)
		return -1;
	str_init(&s, req->arena);
	writer_object(&s, NULL);
	if (page == RATE_LIMITS)
		writer_int(&s, "windowMs", WINDOW_MS);
	if (page == RETENTION) {
		writer_int(&s, "sweepMinutes", conf.RETENTION_SWEEP_MINUTES);
		writer_object(&s, "days");
	}
	add_values(&s, &all, page);
	if (page == RETENTION)
		writer_end(&s);
	add_overridden(&s, &all, page);
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
}

static int
change_page(struct req *req, struct resp *resp, enum setting_page page)
{
	if (check_page(req, page) == -1 || store_page(req, page) == -1)
		return -1;
	req->change->committed = apply_settings;
	return show_page(req, resp, page);
}

static int
check_page(struct req *req, enum setting_page page)
{
	const enum runtime_setting first = first_of(page);
	struct json_object *value;
	enum runtime_setting s, end = first;

	while (pages[end] == page)
		end++;
	if (body_check(req->json, &fields[first], (size_t)(end - first),
		&req->fail) == -1)
		return -1;
	for (s = first; s < end; s++)
		if (fields[s].type == BODY_NUMBER &&
		    body_has(req->json, fields[s].name) &&
		    json_object_object_get_ex(
			req->json, fields[s].name, &value) &&
		    json_object_get_double(value) < SETTING_NUMBER_MIN)
			return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
			    fields[s].name, "must be a number from %g to %d",
			    SETTING_NUMBER_MIN, (int)fields[s].max);
	return 0;
}

/* Store the fields of the body, as the text that was sent. */
static int
store_page(struct req *req, enum setting_page page)
{
	const char *names[SETTING__MAX], *values[SETTING__MAX];
	struct json_object *value;
	struct params p;
	enum runtime_setting s;
	size_t n = 0;

	for (s = first_of(page); pages[s] == page; s++) {
		if (!json_object_object_get_ex(
			req->json, fields[s].name, &value))
			continue;
		names[n] = runtime_setting_name(s);
		values[n++] =
		    value == NULL ? NULL : json_object_get_string(value);
	}
	if (n == 0)
		return 0;
	params_init(&p, req->arena);
	params_texts(&p, names, n);
	params_texts(&p, values, n);
	return db_run(
	    req->db, req->arena, STMT_SETTING_PUT, &p, NULL, &req->fail);
}

/* Make the committed change take effect on this host at once. */
static void
apply_settings(struct req *req)
{
	settings_sync_read(req->worker, req->arena);
}

static void
add_values(
    struct str *s, const struct runtime_settings *all, enum setting_page page)
{
	enum runtime_setting i;

	for (i = first_of(page); pages[i] == page; i++)
		if (all->text[i] == NULL)
			writer_int(
			    s, fields[i].name, runtime_setting_fallback(i));
		else
			writer_json(s, fields[i].name, all->text[i]);
}

static void
add_overridden(
    struct str *s, const struct runtime_settings *all, enum setting_page page)
{
	enum runtime_setting i;

	writer_object(s, "overridden");
	for (i = first_of(page); pages[i] == page; i++)
		writer_bool(s, fields[i].name, all->text[i] != NULL);
	writer_end(s);
}

static enum runtime_setting
first_of(enum setting_page page)
{
	enum runtime_setting s = SETTING__NONE + 1;

	while (pages[s] != page)
		s++;
	return s;
}
