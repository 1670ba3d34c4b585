/* SPDX-License-Identifier: ISC */
/* assayctl audit verify: hash the audit trail again, and compare. */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sysexits.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "ctl/ctl.h"
#include "lib/audit/audit_chain.h"
#include "lib/db/db.h"

#define ARENA_SIZE ((size_t)256 << 20)
#define SEALS_PAGE 1000
#define SHOWN_MAX 20 /* faults that are printed */
#define HEX_SIZE (2 * CRYPT_SHA256_SIZE + 1)

/* The state of a walk along the chain. */
struct walk {
	struct db *db;
	struct arena arena;
	const char *head; /* the hash that must be in the chain, or NULL */
	bool head_found;
	int64_t number; /* of the last seal that was read */
	int64_t last; /* number of the last entry under that seal */
	uint8_t hash[CRYPT_SHA256_SIZE]; /* stored hash of that seal */
	int64_t entries; /* sealed entries that exist */
	int64_t faults;
};

/* A stored seal. */
struct seal {
	int64_t number;
	int64_t last;
	int64_t rows;
	const char *at;
	const uint8_t *hash;
	size_t hash_size;
};

static int walk_seals(struct walk *w, struct fail *f);
static int check_seal(struct walk *w, const struct seal *se, struct fail *f);
static int hash_seal(struct walk *w, const struct seal *se,
    const struct rows *rows, uint8_t ret[CRYPT_SHA256_SIZE]);
static int hash_entry(struct walk *w, const struct rows *rows, int row,
    uint8_t ret[CRYPT_SHA256_SIZE]);
static void check_head(struct walk *w);
static int report_chain(struct walk *w, struct fail *f);
static void add_fault(struct walk *w, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

int
audit_verify(const struct command *cmd, int argc, char **argv)
{
	static struct walk w;
	char *head = NULL;
	const struct opt opts[] = {
		{ .name = "head",
		    .arg = "HASH",
		    .help = "the chain must contain this seal "
			    "(event=audit_head)",
		    .type = OPT_TEXT,
		    .ret = &head },
	};
	struct fail f = { 0 };
	int status;

	opt_parse(
	    cmd, opts, nitems(opts), (struct operands) { 0, 0 }, argc, argv);
	if (head != NULL &&
	    (strlen(head) != HEX_SIZE - 1 ||
		strspn(head, "0123456789abcdefABCDEF") != HEX_SIZE - 1))
		opt_usage(
		    cmd, "HASH must be %d hexadecimal digits", HEX_SIZE - 1);
	w.head = head;
	if ((w.db = ctl_database(&status)) == NULL)
		return status;
	ctl_arena(&w.arena, ARENA_SIZE);
	if (walk_seals(&w, &f) == -1 || report_chain(&w, &f) == -1)
		status = ctl_failed(cmd->name, &f);
	else
		status = w.faults == 0 ? EX_OK : EX_DATAERR;
	ctl_arena_free(&w.arena);
	db_close(w.db);
	return status;
}

/* Read the seals page by page, in the order of the chain, and check each. */
static int
walk_seals(struct walk *w, struct fail *f)
{
	const struct arena_mark mark = arena_mark(&w->arena);
	struct params p;
	struct rows rows;
	struct seal se;
	int i, n;

	w->last = INT64_MIN;
	do {
		arena_rewind(&w->arena, mark);
		params_init(&p, &w->arena);
		params_int(&p, w->number == 0 ? INT64_MIN : w->number);
		params_int(&p, SEALS_PAGE);
		if (db_run(w->db, &w->arena, STMT_AUDIT_SEALS, &p, &rows, f) ==
		    -1)
			return -1;
		n = rows.n;
		for (i = 0; i < n; i++) {
			se.number = rows_int(&rows, i, "number");
			se.last = rows_int(&rows, i, "last");
			se.rows = rows_int(&rows, i, "rows");
			se.at = rows_text(&rows, i, "at");
			se.hash = rows_bytes(&rows, i, "hash", &se.hash_size);
			if (check_seal(w, &se, f) == -1)
				return -1;
		}
	} while (n == SEALS_PAGE);
	return 0;
}

/*
 * Check one seal and its entries.  It becomes the previous seal of the walk.
 * Return 0, also if there are faults, or -1 with f set.
 */
static int
check_seal(struct walk *w, const struct seal *se, struct fail *f)
{
	const struct arena_mark mark = arena_mark(&w->arena);
	uint8_t hash[CRYPT_SHA256_SIZE];
	struct params p;
	struct rows rows;

	if (se->number != w->number + 1)
		add_fault(w,
		    "seal %" PRId64 " follows seal %" PRId64
		    ": seals are missing",
		    se->number, w->number);
	params_init(&p, &w->arena);
	params_int(&p, w->last);
	params_int(&p, se->last);
	params_int(&p, AUDIT_SEAL_ENTRIES_MAX + 1);
	if (db_run(w->db, &w->arena, STMT_AUDIT_ENTRIES, &p, &rows, f) == -1)
		return -1;
	if (hash_seal(w, se, &rows, hash) == -1)
		return fail_set(
		    f, FAIL_US, INTERNAL, NULL, "the entries are too large");
	if (rows.n < se->rows)
		add_fault(w,
		    "seal %" PRId64 ", entries %" PRId64 " to %" PRId64
		    ": %" PRId64 " are missing",
		    se->number, w->last + 1, se->last, se->rows - rows.n);
	else if (rows.n > se->rows)
		add_fault(w,
		    "seal %" PRId64 ", entries %" PRId64 " to %" PRId64
		    ": there are more entries than were sealed",
		    se->number, w->last + 1, se->last);
	else if (se->hash_size != sizeof(hash) ||
	    memcmp(hash, se->hash, sizeof(hash)) != 0)
		add_fault(w,
		    "seal %" PRId64 ", entries %" PRId64 " to %" PRId64
		    ": the seal, the seal before it or an entry was changed",
		    se->number, w->last + 1, se->last);
	w->number = se->number;
	w->last = se->last;
	w->entries += rows.n;
	memset(w->hash, 0, sizeof(w->hash));
	if (se->hash_size == sizeof(w->hash))
		memcpy(w->hash, se->hash, sizeof(w->hash));
	check_head(w);
	arena_rewind(&w->arena, mark);
	return 0;
}

/* Compute the hash of a seal from its entries and the previous seal. */
static int
hash_seal(struct walk *w, const struct seal *se, const struct rows *rows,
    uint8_t ret[CRYPT_SHA256_SIZE])
{
	uint8_t *digests =
	    arena_array(&w->arena, (size_t)rows->n + 1, CRYPT_SHA256_SIZE);
	char number[24], last[24], count[24];
	const char *const texts[] = { number, last, count, se->at };
	int i;

	if (digests == NULL)
		return -1;
	for (i = 0; i < rows->n; i++)
		if (hash_entry(w, rows, i,
			digests + (size_t)i * CRYPT_SHA256_SIZE) == -1)
			return -1;
	snprintf(number, sizeof(number), "%" PRId64, se->number);
	snprintf(last, sizeof(last), "%" PRId64, se->last);
	snprintf(count, sizeof(count), "%" PRId64, se->rows);
	return audit_chain_hash(&w->arena, w->hash,
	    w->number == 0 ? 0 : sizeof(w->hash), texts, nitems(texts), digests,
	    (size_t)rows->n * CRYPT_SHA256_SIZE, ret);
}

static int
hash_entry(struct walk *w, const struct rows *rows, int row,
    uint8_t ret[CRYPT_SHA256_SIZE])
{
	char number[24], status[24];
	const char *const texts[] = { number, rows_text(rows, row, "id"),
		rows_text(rows, row, "at"), rows_text(rows, row, "actor"),
		rows_text(rows, row, "role"), rows_text(rows, row, "action"),
		status, rows_text(rows, row, "params") };

	snprintf(
	    number, sizeof(number), "%" PRId64, rows_int(rows, row, "number"));
	snprintf(
	    status, sizeof(status), "%" PRId64, rows_int(rows, row, "status"));
	return audit_chain_hash(
	    &w->arena, NULL, 0, texts, nitems(texts), NULL, 0, ret);
}

/* Note whether this seal has the hash of --head. */
static void
check_head(struct walk *w)
{
	char hex[HEX_SIZE];

	crypt_hex(w->hash, sizeof(w->hash), hex);
	if (w->head != NULL && strcasecmp(hex, w->head) == 0)
		w->head_found = true;
}

/* Print the result, with the number of entries that have no seal yet. */
static int
report_chain(struct walk *w, struct fail *f)
{
	char hex[HEX_SIZE];
	struct params p;
	struct rows rows;

	if (w->head != NULL && !w->head_found)
		add_fault(w,
		    "no seal has the hash of --head: the trail was "
		    "cut off or rewritten");
	params_init(&p, &w->arena);
	params_int(&p, w->last);
	if (db_one(w->db, &w->arena, STMT_AUDIT_LEFT, &p, &rows, f) == -1)
		return -1;
	crypt_hex(w->hash, sizeof(w->hash), hex);
	printf("%" PRId64 " entries under %" PRId64 " seals, %" PRId64
	       " not sealed yet\n",
	    w->entries, w->number, rows_int(&rows, 0, "entries"));
	if (w->number > 0)
		printf("head %" PRId64 " %s\n", w->number, hex);
	if (w->faults == 0)
		printf("the chain is intact\n");
	else
		printf(
		    "the chain is broken in %" PRId64 " places\n", w->faults);
	return 0;
}

/* Count a fault, and print the first SHOWN_MAX. */
static void
add_fault(struct walk *w, const char *fmt, ...)
{
	va_list ap;

	if (w->faults++ >= SHOWN_MAX)
		return;
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}
