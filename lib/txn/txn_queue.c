/* SPDX-License-Identifier: ISC */
/* What a set does about the queue that its events came out of. */
#include "config.h"

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "lib/db/db.h"
#include "lib/txn/txn_int.h"

static bool is_queued(const struct txn_event *en);
static int send_numbers(struct txn *s, enum stmt stmt,
    bool (*wanted)(const struct txn_event *), bool *ret_sent, struct fail *f);

int
txn_send_queue(struct txn *s, bool *ret_sent, struct fail *f)
{
	return send_numbers(s, STMT_TXN_QUEUED, is_queued, ret_sent, f);
}

void
txn_read_queue(struct txn *s, const struct rows *r)
{
	const int number = rows_col(r, "number");
	struct txn_event *en;
	int i;

	for (en = s->entries; en < s->entries + s->n; en++) {
		for (i = 0; i < r->n; i++) {
			if (rows_int(r, i, number) == en->item->queued)
				break;
		}
		en->gone = is_queued(en) && i == r->n;
	}
}

bool
txn_takes(const struct txn_event *en)
{
	return is_queued(en) && !en->gone && !en->busy;
}

int
txn_send_take(struct txn *s, bool *ret_sent, struct fail *f)
{
	return send_numbers(s, STMT_TXN_TAKE, txn_takes, ret_sent, f);
}

static bool
is_queued(const struct txn_event *en)
{
	return en->item->queued != 0;
}

/* Send a statement the numbers of some entries, if there are any. */
static int
send_numbers(struct txn *s, enum stmt stmt,
    bool (*wanted)(const struct txn_event *), bool *ret_sent, struct fail *f)
{
	struct params p;
	int64_t *numbers;
	size_t i, n = 0;

	*ret_sent = false;
	if (!s->queued)
		return 0;
	if ((numbers = arena_array(s->arena, s->n, sizeof(*numbers))) == NULL)
		return txn_no_room(f);
	for (i = 0; i < s->n; i++) {
		if (wanted(&s->entries[i]))
			numbers[n++] = s->entries[i].item->queued;
	}
	if (n == 0)
		return 0;
	*ret_sent = true;
	params_init(&p, s->arena);
	params_ints(&p, numbers, n);
	return db_send(s->db, stmt, &p, f);
}
