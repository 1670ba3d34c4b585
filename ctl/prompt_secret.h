/* SPDX-License-Identifier: ISC */
/* Read secrets from the terminal or standard input, never as arguments. */
#ifndef CTL_PROMPT_SECRET_H
#define CTL_PROMPT_SECRET_H

#include <stddef.h>

/*
 * Read one line into ret, without its line end: with a prompt and no echo on a
 * terminal, else from standard input.  Return 0, or -1 if there is no line, it
 * is empty, or it does not fit.
 */
int prompt_secret_read(const char *prompt, char *ret, size_t size)
    __attribute__((warn_unused_result));

/* The same with echo, for input that is not secret. */
int prompt_secret_ask(const char *prompt, char *ret, size_t size)
    __attribute__((warn_unused_result));

/*
 * Ask to type yes after a question that is already printed.  Return EX_OK, or
 * EX_TEMPFAIL after a message if something else was typed.
 */
int prompt_secret_confirm(void);

#endif
