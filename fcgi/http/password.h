/* SPDX-License-Identifier: ISC */
/* Emails and passwords as requests bring them; passwords are hashed in turn. */
#ifndef FCGI_HTTP_PASSWORD_H
#define FCGI_HTTP_PASSWORD_H

#include "core/base/utf8.h"
#include "lib/sys/crypt.h"

struct req;

/* What the fields of a body may have, in bytes. */
#define PASSWORD_EMAIL_MAX 254
#define PASSWORD_MAX 256 /* characters */
#define PASSWORD_BYTES_MAX (PASSWORD_MAX * UTF8_MAX)

/*
 * An email of a request in lower case, as operators are stored.  Returns NULL
 * with req->fail set when the arena is full.
 */
const char *password_email(struct req *req, const char *text);

/*
 * See that an operator can be made with this email, or with the password in
 * this field of the body.  Returns 0, or -1 with req->fail set to
 * INVALID_REQUEST.
 */
int password_check_email(struct req *req, const char *email)
    __attribute__((warn_unused_result));
int password_check(struct req *req, const char *field)
    __attribute__((warn_unused_result));

/*
 * Take a turn at what costs 64 MiB and half a second; host_semaphore_release()
 * ends it.  So many run at once that one operator worker is always left to
 * other requests, also while others serve long ones; of two workers one does.
 * There is no waiting: a login that waits in a worker keeps everybody else out
 * of it. Returns its number, or -1 with req->fail set to UNAVAILABLE.
 */
int password_slot(struct req *req) __attribute__((warn_unused_result));

/*
 * Hash the body's password, if a turn is free.  Returns 0, or -1 with
 * req->fail set: UNAVAILABLE, INTERNAL.
 */
int password_hash(struct req *req, char ret[CRYPT_PASSWORD_SIZE])
    __attribute__((warn_unused_result));

#endif
