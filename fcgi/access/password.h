/* SPDX-License-Identifier: ISC */
/* Emails and passwords of requests, and the limit of concurrent hashes. */
#ifndef FCGI_ACCESS_PASSWORD_H
#define FCGI_ACCESS_PASSWORD_H

#include "core/base/utf8.h"
#include "lib/sys/crypt.h"

struct req;

/* Maximum lengths of the fields of a body, in bytes. */
#define PASSWORD_EMAIL_MAX 254
#define PASSWORD_MAX 256 /* characters */
#define PASSWORD_BYTES_MAX (PASSWORD_MAX * UTF8_MAX)

/*
 * Return an email of a request in lower case, as operators are stored, or NULL
 * with req->fail set if the arena is full.
 */
const char *password_email(struct req *req, const char *text);

/*
 * Check that an operator may have this email, or the password in this field of
 * the body.  Return 0, or -1 with req->fail set to INVALID_REQUEST.
 */
int password_check_email(struct req *req, const char *email)
    __attribute__((warn_unused_result));
int password_check(struct req *req, const char *field)
    __attribute__((warn_unused_result));

/*
 * Take a slot to hash a password, which costs 64 MiB and half a second; release
 * it with host_semaphore_release().  There are so few slots that one operator
 * worker stays free for other requests, also while others serve long ones; but
 * at least one slot.  Never wait, because a waiting login would occupy its
 * worker.  Return the slot's number, or -1 with req->fail set to UNAVAILABLE.
 */
int password_slot(struct req *req) __attribute__((warn_unused_result));

/*
 * Hash the body's password if a slot is free.  Return 0, or -1 with req->fail
 * set: UNAVAILABLE, INTERNAL.
 */
int password_hash(struct req *req, char ret[CRYPT_PASSWORD_SIZE])
    __attribute__((warn_unused_result));

#endif
