/* SPDX-License-Identifier: ISC */
/* A command that is one request: what the files remote*.c share. */
#ifndef CTL_REQUEST_REQUEST_RUN_H
#define CTL_REQUEST_REQUEST_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/str.h"
#include "ctl/ctl.h"
#include "ctl/http_client.h"

struct request_part;

#define OPTS_MAX 12
#define SECRET_SIZE 2048

/* The value of one option. */
struct request_value {
	char *text;
	int64_t number;
	struct opt_list list;
};

/* A command that is one request, while it is made and sent. */
struct request_run {
	const struct command *cmd;
	struct command named; /* the same with its arguments, for --help */
	const struct request_part *call;
	struct opt opts[OPTS_MAX];
	struct request_value value[OPTS_MAX];
	size_t n_opts;
	size_t n_values;
	struct operands want;
	char args[256];
	char **operand;
	int n_operands;
	const struct request_part *page;
	const struct request_part *older;
	int64_t limit;
	int64_t offset;
	char *before;
	const struct request_part *find;
	int found; /* the operand that find is about */
	const struct request_part *missing;
	const struct request_part *seen;
	char *url;
	bool json;
	bool yes;
	bool slow;
	const struct request_part *watch;
	enum http_client_access access;
	struct http_client service;
	struct arena arena;
	struct str query;
	struct str body;
	char secret[SECRET_SIZE];
};

/*
 * Send what was asked for and show the answer.  Ids that were typed in part
 * are looked for first.  Returns an exit status, after having said what is
 * wrong.
 */
int request_send(struct request_run *rm);

#endif
