/* SPDX-License-Identifier: ISC */
/*
 * The job "model": look at the file of the model when it is time to, and make
 * what is in it serve if it is another than before.  One that is refused
 * changes nothing but what is said about it.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/arena.h"
#include "core/fail.h"
#include "core/model.h"
#include "cron/steps.h"
#include "lib/body_model.h"
#include "lib/clock.h"
#include "lib/conf.h"
#include "lib/crypt.h"
#include "lib/db.h"
#include "lib/log.h"

#define nitems(a) (sizeof(a) / sizeof((a)[0]))
#define HASH_SIZE (2 * CRYPT_SHA256_SIZE + 1)
#define ASK_PAUSE (2 * CLOCK_SECOND) /* of whether it is due by now */

enum { COUNT_LOOKS, COUNT_LOADED, COUNT_REFUSED };

/* What is known from step to step. */
struct state {
	char host[HOST_NAME_MAX + 1];
	int64_t ask_at; /* clock_ticks() to ask whether it is due */
};

/* What is in the file. */
struct found {
	const char *text; /* NULL: it is refused */
	const char *refusal;
	char hash[HASH_SIZE];
};

static int look(struct run *r, struct state *s, bool *ret_more, struct fail *f);
static int turn(struct run *r, const struct state *s, bool *ret_mine,
    int64_t *ret_wait, struct fail *f);
static void find(struct arena *a, struct found *ret);
static char *read_file(
    struct arena *a, const char *path, size_t *ret_size, struct fail *f);
static void refuse(struct fail *f, const char *why);
static ssize_t read_all(int fd, char *ret, size_t size);
static int tell(struct run *r, const struct state *s, const struct found *found,
    struct fail *f);
static int unlook(struct run *r, struct state *s, struct fail *f);

int
model_open(struct run *r, struct fail *f)
{
	struct state *s;

	if ((r->own = s = calloc(1, sizeof(*s))) == NULL)
		return fail_set(
		    f, FAIL_US, INTERNAL, "memory", "%s", strerror(errno));
	if (gethostname(s->host, HOST_NAME_MAX) == -1)
		return fail_set(
		    f, FAIL_US, INTERNAL, "hostname", "%s", strerror(errno));
	return 0;
}

/* Who is told to do it once looks, due or not. */
int
model_step(struct run *r, bool *ret_more, struct fail *f)
{
	struct state *s = r->own;

	if (r->until != 0 && clock_ticks() < s->ask_at)
		return 0;
	if (conf.MODEL_PATH == NULL)
		return unlook(r, s, f);
	if (look(r, s, ret_more, f) == 0)
		return 0;
	db_rollback(r->db);
	return -1;
}

void
model_close(struct run *r)
{
	free(r->own);
}

/*
 * Look at the file if it is due and no other process of the host does: what
 * is told of the file is told in the order in which it was read.
 */
static int
look(struct run *r, struct state *s, bool *ret_more, struct fail *f)
{
	const bool once = r->until == 0;
	struct found found;
	int64_t wait;
	bool mine;

	if (turn(r, s, &mine, &wait, f) == -1)
		return -1;
	s->ask_at = clock_ticks() + ASK_PAUSE;
	if (mine && (once || wait == 0)) {
		find(r->arena, &found);
		return tell(r, s, &found, f);
	}
	db_rollback(r->db);
	*ret_more = once;
	if (once)
		poll(NULL, 0, r->job->pause_ms);
	return 0;
}

/* Begin, and learn whether to look. */
static int
turn(struct run *r, const struct state *s, bool *ret_mine, int64_t *ret_wait,
    struct fail *f)
{
	struct rows rows[2];
	struct params p;

	params_init(&p, r->arena);
	params_text(&p, s->host);
	params_int(&p, conf.MODEL_REFRESH_MINUTES);
	if (db_send(r->db, STMT_BEGIN, NULL, f) == -1 ||
	    db_send(r->db, STMT_MODEL_TURN, &p, f) == -1 ||
	    db_sync(r->db, r->arena, rows, nitems(rows), f) == -1)
		return -1;
	*ret_mine = rows_get_bool(&rows[1], "mine");
	*ret_wait = rows_get_int(&rows[1], "wait_ms");
	return 0;
}

/* Read the file and what is in it. */
static void
find(struct arena *a, struct found *ret)
{
	uint8_t hash[CRYPT_SHA256_SIZE];
	char why[FAIL_TEXT_SIZE];
	struct fail f = { 0 };
	struct model model;
	size_t size = 0;
	char *text;

	memset(ret, 0, sizeof(*ret));
	text = read_file(a, conf.MODEL_PATH, &size, &f);
	if (text == NULL || body_model(a, text, size, &model, &f) == -1) {
		ret->refusal = arena_strdup(a, fail_text(&f, why));
		return;
	}
	crypt_sha256(text, size, hash);
	crypt_hex(hash, sizeof(hash), ret->hash);
	ret->text = text;
}

/*
 * All of a file, NUL-terminated.  What is no file may never end, or begin;
 * what is too large is not read any further.
 */
static char *
read_file(struct arena *a, const char *path, size_t *ret_size, struct fail *f)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *text = arena_alloc(a, MODEL_FILE_MAX + 2);
	struct stat st;
	ssize_t n = -1;

	if (text == NULL)
		fail_set(f, FAIL_US, INTERNAL, NULL, "out of memory");
	else if (fd == -1 || fstat(fd, &st) == -1)
		refuse(f, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		refuse(f, "it is no regular file");
	else if ((n = read_all(fd, text, MODEL_FILE_MAX + 1)) == -1)
		refuse(f, strerror(errno));
	if (fd != -1)
		close(fd);
	if (n == -1)
		return NULL;
	*ret_size = (size_t)n;
	return text;
}

static void
refuse(struct fail *f, const char *why)
{
	fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
	    "the file cannot be read: %s", why);
}

/* Up to size bytes, to the end of the file; how many, or -1. */
static ssize_t
read_all(int fd, char *ret, size_t size)
{
	size_t have = 0;
	ssize_t n;

	while (have < size) {
		n = read(fd, ret + have, size - have);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return -1;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

/*
 * Tell the database what there is, and the log, if it is news.  Who was told
 * to look once is told in any case.
 */
static int
tell(struct run *r, const struct state *s, const struct found *found,
    struct fail *f)
{
	struct rows rows[2];
	struct params p;
	bool loaded, news;

	params_init(&p, r->arena);
	params_text(&p, s->host);
	params_text(&p, found->text == NULL ? NULL : found->hash);
	params_text(&p, found->text);
	params_text(&p, found->refusal);
	if (db_send(r->db, STMT_MODEL_LOOK, &p, f) == -1 ||
	    db_send(r->db, STMT_COMMIT, NULL, f) == -1 ||
	    db_sync(r->db, r->arena, rows, nitems(rows), f) == -1)
		return -1;
	loaded = rows_get_bool(&rows[0], "loaded");
	news = rows_get_bool(&rows[0], "news");
	r->count[COUNT_LOOKS]++;
	r->count[COUNT_LOADED] += loaded;
	r->count[COUNT_REFUSED] += found->text == NULL;
	if (loaded)
		log_info("model=loaded hash=%s", found->hash);
	if (found->text == NULL && r->until == 0)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "model", "%s",
		    found->refusal);
	if (news && found->text == NULL)
		log_error("model=refused why=%s", found->refusal);
	else if (news)
		log_info("model=fine");
	return 0;
}

/* There is no file to look at; what came from one goes with the last. */
static int
unlook(struct run *r, struct state *s, struct fail *f)
{
	struct rows rows;
	struct params p;

	params_init(&p, r->arena);
	params_text(&p, s->host);
	if (db_one(r->db, r->arena, STMT_MODEL_UNLOOK, &p, &rows, f) == -1)
		return -1;
	if (rows_get_bool(&rows, "unloaded"))
		log_warn("model=bundled");
	s->ask_at = INT64_MAX;
	return 0;
}
