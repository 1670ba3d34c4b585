/* SPDX-License-Identifier: ISC */
/* Let signals end a long command in order. */
#include "config.h"

#include <signal.h>
#include <stddef.h>

#include "core/base/array.h"
#include "ctl/interrupt.h"

static void note_interrupt(int sig);

static const int signals[] = { SIGHUP, SIGINT, SIGTERM };
static volatile sig_atomic_t wanted;

void
interrupt_listen(void)
{
	struct sigaction sa = { .sa_handler = note_interrupt,
		.sa_flags = (int)SA_RESETHAND };
	size_t i;

	for (i = 0; i < nitems(signals); i++)
		sigaction(signals[i], &sa, NULL);

	/* More SIGPIPE may arrive while the command ends. */
	sa.sa_flags = 0;
	sigaction(SIGPIPE, &sa, NULL);
}

bool
interrupt_wanted(void)
{
	return wanted != 0;
}

static void
note_interrupt(int sig)
{
	(void)sig;
	wanted = 1;
}
