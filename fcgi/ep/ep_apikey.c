/* SPDX-License-Identifier: ISC */
/* /v1/apikeys: the API keys of services, for admins. */
#include "config.h"

#include <assert.h>
#include <json-c/json_object.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/worker.h"
#include "lib/auth/apikey.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/shared/apikey_cache.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

#define DAYS_MAX 3650

static void forget_key(struct req *req);
static int read_scopes(
    struct json_object *json, int64_t *ret_scopes, struct fail *f);
static int64_t scope_parse(struct json_object *name);

static const struct body_field fields[] = {
	{ "name", BODY_NAME, BODY_REQUIRED, 1, 128 },
	{ "scopes", BODY_ARRAY, BODY_OPTIONAL, 0, 2 },
	{ "expiresInDays", BODY_INT, BODY_OPTIONAL, 1, DAYS_MAX },
};

/*
 * GET /v1/apikeys.  200: all keys, newest first, also revoked and expired ones.
 */
int
apikey_list(struct req *req, struct resp *resp)
{
	struct rows rows;

	if (db_one(req->db, req->arena, STMT_SERVICE_KEY_LIST, NULL, &rows,
		&req->fail) == -1)
		return -1;
	return resp_json(req, resp, 200, rows_text(&rows, 0, "keys"));
}

/*
 * POST /v1/apikeys.  201: the key, and its plaintext, which cannot be read
 * again; 400: a field is wrong or unknown.
 */
int
apikey_create(struct req *req, struct resp *resp)
{
	char id[CRYPT_ID_SIZE];
	struct apikey key;
	struct params p;
	struct rows rows;
	struct str s;
	int64_t scopes;

	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1 ||
	    read_scopes(req->json, &scopes, &req->fail) == -1)
		return -1;
	apikey_new(&key);
	crypt_id("key_", clock_now(), id);
	params_init(&p, req->arena);
	params_text(&p, id);
	params_bytes(&p, key.hash, sizeof(key.hash));
	params_text(&p, body_string(req->json, "name"));
	params_text(&p, key.prefix);
	params_int(&p, scopes);
	if (body_has(req->json, "expiresInDays"))
		params_int(&p, body_int(req->json, "expiresInDays", 0));
	else
		params_null(&p);
	params_text(&p, req->operator.email);
	if (db_one(req->db, req->arena, STMT_SERVICE_KEY_CREATE, &p, &rows,
		&req->fail) == -1)
		return -1;

	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_text(&s, "plaintext", key.text);
	writer_json(&s, "key", rows_text(&rows, 0, "key"));
	writer_end(&s);
	crypt_wipe(&key, sizeof(key));
	resp_header(req, resp, "Cache-Control: no-store");
	return resp_json(req, resp, 201, str_text(&s));
}

/*
 * POST /v1/apikeys/{id}/revoke.  200: the key is revoked, now or before; 404:
 * unknown id.
 */
int
apikey_revoke(struct req *req, struct resp *resp)
{
	struct params p;
	struct rows rows;
	const void *hash;
	size_t size;

	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	if (db_one(req->db, req->arena, STMT_SERVICE_KEY_REVOKE, &p, &rows,
		&req->fail) == -1)
		return -1;
	if (!rows_bool(&rows, 0, "found"))
		return fail_set(
		    &req->fail, FAIL_INPUT, NOT_FOUND, NULL, "%s", "");
	hash = rows_bytes(&rows, 0, "hash", &size);
	assert(size == sizeof(req->key_hash));
	memcpy(req->key_hash, hash, size);
	req->change->committed = forget_key;
	return resp_json(req, resp, 200, "{\"ok\":true}");
}

/*
 * Remove the key from this host's cache, so that it is refused here even if the
 * database becomes unavailable.
 */
static void
forget_key(struct req *req)
{
	apikey_cache_drop(req->worker->shm, req->key_hash);
}

/* Read the scopes of a new key as bits; no scopes mean both. */
static int
read_scopes(struct json_object *json, int64_t *ret_scopes, struct fail *f)
{
	struct json_object *list = NULL;
	int64_t scope, scopes = 0;
	size_t i, n = 0;

	if (json_object_object_get_ex(json, "scopes", &list))
		n = json_object_array_length(list);
	for (i = 0; i < n; i++) {
		scope = scope_parse(json_object_array_get_idx(list, i));
		if (scope == SCOPE_NONE || (scopes & scope) != 0)
			return fail_set(f, FAIL_INPUT, INVALID_REQUEST,
			    "scopes",
			    "must hold \"decisions\" or \"labels\", each once");
		scopes |= scope;
	}
	*ret_scopes = scopes == 0 ? SCOPE_DECISIONS | SCOPE_LABELS : scopes;
	return 0;
}

/* Return the bit of a scope name, or SCOPE_NONE if it is unknown. */
static int64_t
scope_parse(struct json_object *name)
{
	const char *text;

	if (!json_object_is_type(name, json_type_string))
		return SCOPE_NONE;
	text = json_object_get_string(name);
	if (strcmp(text, "decisions") == 0)
		return SCOPE_DECISIONS;
	return strcmp(text, "labels") == 0 ? SCOPE_LABELS : SCOPE_NONE;
}
