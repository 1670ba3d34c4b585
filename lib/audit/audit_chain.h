/* SPDX-License-Identifier: ISC */
/* The chain of hashes over the audit trail: the bytes of entries and seals. */
#ifndef LIB_AUDIT_AUDIT_CHAIN_H
#define LIB_AUDIT_AUDIT_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#include "lib/sys/crypt.h"

#define AUDIT_SEAL_ENTRIES_MAX 1000 /* entries under one seal, at most */

struct arena;

/*
 * Compute the SHA-256 of prefix, n texts and suffix.  Each text is written as
 * its length in bytes, a colon, the text and a comma.  prefix and suffix may be
 * NULL with size 0.  Returns 0, or -1 if the arena is full.
 *
 * The texts of an entry are its number, id, time, actor, role, action, status
 * and params.  For a seal, prefix is the hash of the previous seal, if any; the
 * texts are its number, the number of its last entry, the number of entries and
 * its time; suffix is the hashes of its entries, in order of their numbers.
 * Times are microseconds since 1970.
 */
int audit_chain_hash(struct arena *a, const void *prefix, size_t prefix_size,
    const char *const *texts, size_t n, const void *suffix, size_t suffix_size,
    uint8_t ret[CRYPT_SHA256_SIZE]) __attribute__((warn_unused_result));

#endif
