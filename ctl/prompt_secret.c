/* SPDX-License-Identifier: ISC */
/* Read secrets from the terminal or standard input, never as arguments. */
#include "config.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <termios.h>
#include <unistd.h>

#include "ctl/ctl.h"
#include "ctl/prompt_secret.h"

static int line_read(const char *prompt, bool echo, char *ret, size_t size);
static int line_take(char *ret, size_t size);
static void note_prompt_signal(int sig);

/* Signals that end a prompt; it restores the echo before they take effect. */
static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
static volatile sig_atomic_t caught;

int
prompt_secret_read(const char *prompt, char *ret, size_t size)
{
	return line_read(prompt, false, ret, size);
}

int
prompt_secret_ask(const char *prompt, char *ret, size_t size)
{
	return line_read(prompt, true, ret, size);
}

int
prompt_secret_confirm(void)
{
	char typed[16];

	if (prompt_secret_ask("Type yes to confirm", typed, sizeof(typed)) ==
		0 &&
	    strcmp(typed, "yes") == 0)
		return EX_OK;
	ctl_say("not confirmed; nothing was done");
	return EX_TEMPFAIL;
}

static int
line_read(const char *prompt, bool echo, char *ret, size_t size)
{
	struct sigaction sa = { .sa_handler = note_prompt_signal },
			 old[nitems(signals)];
	struct termios quiet, saved;
	size_t i;
	int r;

	if (tcgetattr(STDIN_FILENO, &saved) == -1)
		return line_take(ret, size);
	for (i = 0; i < nitems(signals); i++)
		sigaction(signals[i], &sa, &old[i]);
	quiet = saved;
	if (!echo)
		quiet.c_lflag &= ~(tcflag_t)ECHO;
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
	fprintf(stderr, "%s: ", prompt);
	r = line_take(ret, size);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved);
	if (!echo || caught != 0)
		fputc('\n', stderr);
	for (i = 0; i < nitems(signals); i++)
		sigaction(signals[i], &old[i], NULL);
	if (caught != 0)
		raise(caught);
	return r;
}

/* Read one line of standard input. */
static int
line_take(char *ret, size_t size)
{
	size_t len;

	if (fgets(ret, (int)size, stdin) == NULL)
		ret[0] = '\0';
	len = strcspn(ret, "\r\n");
	if (ret[len] == '\0' && len + 1 == size)
		return -1;
	ret[len] = '\0';
	return len == 0 ? -1 : 0;
}

static void
note_prompt_signal(int sig)
{
	caught = sig;
}
