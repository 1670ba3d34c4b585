/* SPDX-License-Identifier: ISC */
/* Secrets, which are typed or piped in and never arguments. */
#ifndef CTL_PROMPT_SECRET_H
#define CTL_PROMPT_SECRET_H

#include <stddef.h>

/*
 * Read one line, without its end, into ret: from a prompt without echo, or
 * from standard input when that is no terminal.  Returns 0, or -1 when there
 * was none, it was empty, or it does not fit.
 */
int prompt_secret_read(const char *prompt, char *ret, size_t size)
    __attribute__((warn_unused_result));

/* The same, with echo, for what is no secret but is asked for besides one. */
int prompt_secret_ask(const char *prompt, char *ret, size_t size)
    __attribute__((warn_unused_result));

#endif
