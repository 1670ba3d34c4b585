/* SPDX-License-Identifier: ISC */
/* Abandoned sessions, which the server may still run. */
#include "config.h"

#include "lib/db/db_abandoned.h"

void
db_abandoned_add(struct db_abandoned *l, int64_t name)
{
	int64_t none;
	size_t i;

	for (i = 0; i < DB_ABANDONED_MAX; i++) {
		none = 0;
		if (atomic_compare_exchange_strong(&l->names[i], &none, name))
			return;
	}
}

size_t
db_abandoned_list(const struct db_abandoned *l, int64_t ret[DB_ABANDONED_MAX])
{
	size_t i, n = 0;
	int64_t name;

	for (i = 0; i < DB_ABANDONED_MAX; i++) {
		if ((name = atomic_load(&l->names[i])) == 0)
			continue;
		if (ret != NULL)
			ret[n] = name;
		n++;
	}
	return n;
}

void
db_abandoned_drop(struct db_abandoned *l, int64_t name)
{
	int64_t was;
	size_t i;

	for (i = 0; i < DB_ABANDONED_MAX; i++) {
		was = name;
		if (atomic_compare_exchange_strong(&l->names[i], &was, 0))
			return;
	}
}
