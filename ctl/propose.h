/* SPDX-License-Identifier: ISC */
/* The option --propose: make a change a proposal. */
#ifndef CTL_PROPOSE_H
#define CTL_PROPOSE_H

#include <stdbool.h>

#include "ctl/ctl.h"
#include "ctl/http_client.h"

/* The option; its reason, or NULL, goes to *reason, a char *. */
#define PROPOSE_OPT(reason)                                                    \
	{                                                                      \
		"propose", "REASON", "propose the change, for this reason",    \
		    OPT_TEXT, reason, 0, 0                                     \
	}

/*
 * Send a request as a proposal, and print its id, or the answer with json.
 * Return an exit status, after an error message if it is not EX_OK.
 */
int propose_request(struct http_client *sv, const struct client_request *req,
    const char *reason, bool json);

#endif
