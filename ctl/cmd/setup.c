/* SPDX-License-Identifier: ISC */
/* assayctl setup: install the service on this host, by the script ctl/setup. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "ctl/ctl.h"

#define SCRIPT PKGDATADIR "/setup"

static void pass_option(const char *variable, const char *value);

int
setup(const struct command *cmd, int argc, char **argv)
{
	char *certificate = NULL, *key = NULL, *email = NULL, *from = NULL,
	     *name = NULL;
	bool check = false, new_passwords = false, no_start = false;
	const struct opt opts[] = {
		{ .name = "certificate",
		    .arg = "FILE",
		    .help = "certificate of the site; default: self-signed",
		    .type = OPT_TEXT,
		    .ret = &certificate },
		{ .name = "certificate-key",
		    .arg = "FILE",
		    .help = "key of the certificate",
		    .type = OPT_TEXT,
		    .ret = &key },
		{ .name = "check",
		    .help = "change nothing; print what would be made",
		    .type = OPT_FLAG,
		    .ret = &check },
		{ .name = "email",
		    .arg = "EMAIL",
		    .help = "email of the first admin",
		    .type = OPT_TEXT,
		    .ret = &email },
		{ .name = "new-passwords",
		    .help = "replace passwords of which the file is lost",
		    .type = OPT_FLAG,
		    .ret = &new_passwords },
		{ .name = "no-start",
		    .help = "do not enable and start the units",
		    .type = OPT_FLAG,
		    .ret = &no_start },
		{ .name = "operators-from",
		    .arg = "ADDRESSES",
		    .help = "addresses of operators; default: private ones",
		    .type = OPT_TEXT,
		    .ret = &from },
		{ .name = "server-name",
		    .arg = "NAME",
		    .help = "name of the service; default: that of the host",
		    .type = OPT_TEXT,
		    .ret = &name },
	};

	opt_parse(
	    cmd, opts, nitems(opts), (struct operands) { 0, 0 }, argc, argv);
	pass_option("SETUP_CERTIFICATE", certificate);
	pass_option("SETUP_CERTIFICATE_KEY", key);
	pass_option("SETUP_CHECK", check ? "yes" : NULL);
	pass_option("SETUP_EMAIL", email);
	pass_option("SETUP_NEW_PASSWORDS", new_passwords ? "yes" : NULL);
	pass_option("SETUP_NO_START", no_start ? "yes" : NULL);
	pass_option("SETUP_OPERATORS_FROM", from);
	pass_option("SETUP_SERVER_NAME", name);
	execl(SCRIPT, SCRIPT, (char *)NULL);
	ctl_say("setup: %s: %s; install the pool too", SCRIPT, strerror(errno));
	return EX_UNAVAILABLE;
}

/* Set the variable for the script, or unset it if the option is missing. */
static void
pass_option(const char *variable, const char *value)
{
	if (value == NULL)
		unsetenv(variable);
	else if (setenv(variable, value, 1) == -1)
		exit(EX_OSERR);
}
