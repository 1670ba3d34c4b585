/* SPDX-License-Identifier: ISC */
/* Emails and passwords of requests, and the limit of concurrent hashes. */
#include "config.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/event/event.h"
#include "fcgi/access/password.h"
#include "fcgi/http/req.h"
#include "fcgi/worker/host_semaphore.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/json/body.h"
#include "lib/shared/shm.h"

#define PASSWORD_MIN 8 /* characters */

static bool is_email(const char *email);
static size_t count_characters(const char *text);

const char *
password_email(struct req *req, const char *text)
{
	char *email = arena_strdup(req->arena, text), *p;

	if (email == NULL) {
		fail_memory(&req->fail);
		return NULL;
	}
	for (p = email; *p != '\0'; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)tolower((unsigned char)*p);
	return email;
}

int
password_check_email(struct req *req, const char *email)
{
	if (!is_email(email))
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "email", "is not an email address");
	return 0;
}

int
password_check(struct req *req, const char *field)
{
	const size_t n = count_characters(body_string(req->json, field));

	if (n < PASSWORD_MIN || n > PASSWORD_MAX)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, field,
		    "must be %d to %d characters", PASSWORD_MIN, PASSWORD_MAX);
	return 0;
}

int
password_slot(struct req *req)
{
	struct shm *shm = req->worker->shm;
	const int n = host_semaphore_spare((int)conf.OPERATOR_WORKERS,
	    host_semaphore_held(shm->long_requests));
	const int slot = host_semaphore_acquire(shm->hashing, n, getpid());

	if (slot == -1)
		fail_set(&req->fail, FAIL_DENIED, UNAVAILABLE, NULL,
		    "too many passwords are being checked; try again");
	return slot;
}

int
password_hash(struct req *req, char ret[CRYPT_PASSWORD_SIZE])
{
	const int slot = password_slot(req);
	int got;

	if (slot == -1)
		return -1;
	got = crypt_password_hash(
	    body_string(req->json, "password"), ret, &req->fail);
	host_semaphore_release(req->worker->shm->hashing, slot);
	return got;
}

/*
 * Return whether there is exactly one @, with text on both sides, and no space
 * or control character.
 */
static bool
is_email(const char *email)
{
	const char *at = strchr(email, '@');
	const char *p;

	for (p = email; *p != '\0'; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			return false;
	return event_line(email) && at != NULL && at != email &&
	    at[1] != '\0' && strchr(at + 1, '@') == NULL;
}

/* Count the characters of a text; the JSON parser has checked its UTF-8. */
static size_t
count_characters(const char *text)
{
	const size_t size = strlen(text);
	size_t i, n = 0;

	for (i = 0; i < size; i += utf8_get(text + i, size - i, NULL))
		n++;
	return n;
}
