/* SPDX-License-Identifier: ISC */
/* The chain of hashes over the audit trail: the bytes of entries and seals. */
#include "config.h"

#include <string.h>

#include "core/base/str.h"
#include "lib/audit/audit_chain.h"

int
audit_chain_hash(struct arena *a, const void *prefix, size_t prefix_size,
    const char *const *texts, size_t n, const void *suffix, size_t suffix_size,
    uint8_t ret[CRYPT_SHA256_SIZE])
{
	struct str s;
	size_t i;

	str_init(&s, a);
	if (prefix_size > 0)
		str_addn(&s, prefix, prefix_size);
	for (i = 0; i < n; i++)
		str_addf(&s, "%zu:%s,", strlen(texts[i]), texts[i]);
	if (suffix_size > 0)
		str_addn(&s, suffix, suffix_size);
	if (str_text(&s) == NULL)
		return -1;
	crypt_sha256(s.text, s.len, ret);
	return 0;
}
