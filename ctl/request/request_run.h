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
	const struct command *rm_cmd;
	struct command rm_named; /* the same with its arguments, for --help */
	const struct request_part *rm_call;
	struct opt rm_opts[OPTS_MAX];
	struct request_value rm_value[OPTS_MAX];
	size_t rm_n_opts;
	size_t rm_n_values;
	struct operands rm_want;
	char rm_args[256];
	char **rm_operand;
	int rm_n_operands;
	const struct request_part *rm_page;
	const struct request_part *rm_older;
	int64_t rm_limit;
	int64_t rm_offset;
	char *rm_before;
	const struct request_part *rm_find;
	int rm_found; /* the operand that rm_find is about */
	const struct request_part *rm_missing;
	const struct request_part *rm_seen;
	char *rm_url;
	bool rm_json;
	bool rm_yes;
	bool rm_slow;
	const struct request_part *rm_watch;
	enum http_client_access rm_access;
	struct http_client rm_service;
	struct arena rm_arena;
	struct str rm_query;
	struct str rm_body;
	char rm_secret[SECRET_SIZE];
};

/*
 * Send what was asked for and show the answer.  Ids that were typed in part
 * are looked for first.  Returns an exit status, after having said what is
 * wrong.
 */
int request_send(struct request_run *rm);

#endif
