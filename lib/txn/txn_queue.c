/* SPDX-License-Identifier: ISC */
/* The queue of asynchronous events, as a transaction uses it. */
#include "config.h"

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "lib/db/db.h"
#include "lib/txn/txn_int.h"

static bool is_queued(const struct txn_event *ev);
static int send_numbers(struct txn *txn, enum stmt stmt,
    bool (*wanted)(const struct txn_event *), int *ret_index, struct fail *f);

int
txn_send_queue(struct txn *txn, int *ret_index, struct fail *f)
{
	return send_numbers(txn, STMT_TXN_QUEUED, is_queued, ret_index, f);
}

void
txn_read_queue(struct txn *txn, const struct rows *r)
{
	struct txn_event *ev;
	int i;

	for (ev = txn->events; ev < txn->events + txn->n; ev++) {
		for (i = 0; i < r->n; i++) {
			if (rows_int(r, i, "number") == ev->item->queued)
				break;
		}
		if (is_queued(ev) && i == r->n)
			ev->state = TXN_STATE_DEQUEUED;
	}
}

bool
txn_is_taken(const struct txn_event *ev)
{
	return is_queued(ev) && ev->state != TXN_STATE_DEQUEUED &&
	    ev->state != TXN_STATE_BUSY;
}

int
txn_send_take(struct txn *txn, int *ret_index, struct fail *f)
{
	return send_numbers(txn, STMT_TXN_TAKE, txn_is_taken, ret_index, f);
}

static bool
is_queued(const struct txn_event *ev)
{
	return ev->item->queued != 0;
}

/* Queue a statement with the queue numbers of the events that are wanted. */
static int
send_numbers(struct txn *txn, enum stmt stmt,
    bool (*wanted)(const struct txn_event *), int *ret_index, struct fail *f)
{
	struct params p;
	int64_t *numbers;
	size_t i, n = 0;

	*ret_index = TXN_NOT_SENT;
	if (!txn->queued)
		return 0;
	numbers = arena_array(txn->arena, txn->n, sizeof(*numbers));
	if (numbers == NULL)
		return fail_memory(f);
	for (i = 0; i < txn->n; i++) {
		if (wanted(&txn->events[i]))
			numbers[n++] = txn->events[i].item->queued;
	}
	if (n == 0)
		return 0;
	params_init(&p, txn->arena);
	params_ints(&p, numbers, n);
	*ret_index = db_send(txn->db, stmt, &p, f);
	return *ret_index == -1 ? -1 : 0;
}
