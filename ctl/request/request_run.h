/* SPDX-License-Identifier: ISC */
/* The state of a command that sends one request. */
#ifndef CTL_REQUEST_REQUEST_RUN_H
#define CTL_REQUEST_REQUEST_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/str.h"
#include "ctl/ctl.h"
#include "ctl/http_client.h"

struct request_part;

#define OPTS_MAX 24
#define SECRET_SIZE 2048

/* The value of one option. */
struct request_value {
	char *text;
	int64_t number;
	struct opt_list list;
};

/*
 * One such command.  Pointers to parts are NULL if the command has no such
 * part.
 */
struct request_run {
	const struct command *cmd;
	struct command named; /* cmd with its line of usage, for --help */
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
	int found; /* the index of the operand for find */
	const struct request_part *missing;
	const struct request_part *seen;
	char *url;
	bool json;
	bool yes;
	char *propose; /* the reason, NULL: send the request itself */
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
 * Complete a partial id, send the request, and print the answer.  Return an
 * exit status, after an error message if it is not EX_OK.
 */
int request_send(struct request_run *rm);

#endif
