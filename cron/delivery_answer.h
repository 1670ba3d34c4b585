/* SPDX-License-Identifier: ISC */
/* What the answer of a receiver means for a delivery. */
#ifndef CRON_DELIVERY_ANSWER_H
#define CRON_DELIVERY_ANSWER_H

#include <stddef.h>

#define DELIVERY_ANSWER_WORDS 200 /* bytes of a receiver's words */
#define DELIVERY_ANSWER_ERROR_SIZE (DELIVERY_ANSWER_WORDS + 32)

enum delivery_answer {
	DELIVERY_ANSWER_TAKEN, /* delivered */
	DELIVERY_ANSWER_FAILED, /* a later attempt may succeed */
	DELIVERY_ANSWER_REFUSED, /* no later attempt will */
	DELIVERY_ANSWER__MAX
};

/* An answer. */
struct delivery_reply {
	const char
	    *form; /* of the delivery, as struct delivery_message has it */
	const char *url; /* that it was sent to */
	int status; /* 200, for example */
	const char *body; /* NULL for none */
	size_t size; /* of the body, in bytes */
};

/*
 * Judge an answer.  A status of 200 to 299 takes the delivery, unless the body
 * of an alert's answer says otherwise, as those of some chats do.  *ret_error
 * is "" or the status with the beginning of the body: one line of valid UTF-8,
 * in which "..." stands for parts of the URL, which may be secret, of at least
 * 8 bytes.
 */
enum delivery_answer delivery_answer(const struct delivery_reply *re,
    char ret_error[DELIVERY_ANSWER_ERROR_SIZE]);

#endif
