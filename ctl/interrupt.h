/* SPDX-License-Identifier: ISC */
/* Let signals end a long command in order. */
#ifndef CTL_INTERRUPT_H
#define CTL_INTERRUPT_H

#include <stdbool.h>

/*
 * Catch SIGINT, SIGHUP, SIGTERM and SIGPIPE from now on, so that the command
 * can end in order.  The second SIGINT, SIGHUP or SIGTERM ends it at once.
 */
void interrupt_listen(void);

/* Whether one of these signals has arrived. */
bool interrupt_wanted(void);

#endif
