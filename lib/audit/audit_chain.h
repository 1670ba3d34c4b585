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
 * The SHA-256 of n texts, each written as its length in bytes, a colon, the
 * text and a comma, after the prefix_size bytes at prefix and before the
 * suffix_size bytes at suffix; both may be NULL with size 0.  Returns 0, or -1
 * if the arena is full.
 *
 * An entry is hashed as its number, id, time, actor, role, action, status and
 * params.  A seal is hashed as the hash of the seal before it, if any; its
 * number, the number of its last entry, how many entries it seals and its
 * time; and the hashes of its entries, by number.  Times are microseconds
 * since 1970.
 */
int audit_chain_hash(struct arena *a, const void *prefix, size_t prefix_size,
    const char *const *texts, size_t n, const void *suffix, size_t suffix_size,
    uint8_t ret[CRYPT_SHA256_SIZE]) __attribute__((warn_unused_result));

#endif
