/* SPDX-License-Identifier: ISC */
/* Whether somebody wants a long command to end. */
#ifndef CTL_INTERRUPT_H
#define CTL_INTERRUPT_H

#include <stdbool.h>

/*
 * From now on Ctrl-C, a hangup, a termination and output that nobody reads any
 * more end the command in order, once; but for the last, the second time at
 * once.
 */
void interrupt_listen(void);

/* Whether one of them has come. */
bool interrupt_wanted(void);

#endif
