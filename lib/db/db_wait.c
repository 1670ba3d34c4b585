/* SPDX-License-Identifier: ISC */
/* Wait for the server's socket, never longer than the deadline. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>

#include "lib/db/db_int.h"
#include "lib/sys/clock.h"

#define SLACK_MS                                                               \
	200 /* after the statement timeout, until a server is silent           \
	     */
#define CHECK_MS 100 /* between two cancel checks */
#define CANCEL_MAX                                                             \
	(1 * CLOCK_SECOND) /* for the server to cancel a statement             \
			    */
#define NO_DEADLINE INT64_MAX

static int64_t wait_left_ms(const struct db *db, int64_t deadline);
static void check_cancel(struct db *db);

int
db_send_sync(struct db *db, int64_t deadline)
{
	const bool started = db->started;

	db->queued = 0;
	db->started = false;
	if (started)
		return 0;
	if (!PQpipelineSync(db->conn))
		return -1;
	return db_flush(db, deadline);
}

int
db_flush(struct db *db, int64_t deadline)
{
	int n;

	while ((n = PQflush(db->conn)) == 1) {
		if (db_wait_socket(db, POLLIN | POLLOUT, deadline) == -1 ||
		    !PQconsumeInput(db->conn))
			return -1;
	}
	return n;
}

PGresult *
db_next_result(struct db *db, int64_t deadline)
{
	while (PQisBusy(db->conn)) {
		if (db_wait_socket(db, POLLIN, deadline) == -1 ||
		    !PQconsumeInput(db->conn))
			return NULL;
	}
	return PQgetResult(db->conn);
}

int
db_wait_socket(struct db *db, short events, int64_t deadline)
{
	struct pollfd pfd = { .fd = PQsocket(db->conn), .events = events };
	int64_t left;
	int n, ms;

	for (;;) {
		left = wait_left_ms(db, deadline);
		ms = left > INT_MAX ? INT_MAX : (int)left;
		if (db->cancel_check != NULL && (left == -1 || left > CHECK_MS))
			ms = CHECK_MS;
		n = poll(&pfd, 1, ms);
		if (n == 1)
			return 0;
		if ((n == -1 && errno != EINTR) || (n == 0 && ms == left))
			return -1;
		check_cancel(db);
	}
}

/* Milliseconds until the deadline, or until a cancel counts as ignored; -1 is
 * without end. */
static int64_t
wait_left_ms(const struct db *db, int64_t deadline)
{
	int64_t left;

	if (db->cancelled_at != 0 && deadline > db->cancelled_at + CANCEL_MAX)
		deadline = db->cancelled_at + CANCEL_MAX;
	if (deadline == NO_DEADLINE)
		return -1;
	left = (deadline - clock_ticks()) / 1000;
	return left < 0 ? 0 : left;
}

/* Cancel the running statement, once, if the caller wants it; a handshake ends
 * at once. */
static void
check_cancel(struct db *db)
{
	char why[256];
	PGcancel *cancel;

	if (db->cancel_check == NULL || db->cancelled_at != 0 ||
	    !db->cancel_check(db->cancel_arg))
		return;
	db->cancelled_at = clock_ticks();
	if (PQstatus(db->conn) != CONNECTION_OK) {
		db->cancelled_at -= CANCEL_MAX;
		return;
	}
	if ((cancel = PQgetCancel(db->conn)) != NULL)
		(void)PQcancel(cancel, why, sizeof(why));
	PQfreeCancel(cancel);
}

int64_t
db_call_deadline(const struct db *db)
{
	const int64_t ms = (int64_t)db->timeout_ms + SLACK_MS;

	if (db->timeout_ms == 0)
		return db->until == 0 ? NO_DEADLINE : db->until;
	return db->until != 0 ? db->until : clock_ticks() + 1000 * ms;
}

int64_t
db_earlier_deadline(const struct db *db, int64_t us)
{
	const int64_t then = clock_ticks() + us;

	return db->until != 0 && db->until < then ? db->until : then;
}
