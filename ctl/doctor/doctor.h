/* SPDX-License-Identifier: ISC */
/* assayctl doctor: checks of a host and its database. */
#ifndef CTL_DOCTOR_DOCTOR_H
#define CTL_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "ctl/doctor/finding.h"
#include "ctl/doctor/server_facts.h"

/* What the checks read. */
struct doctor {
	const char *config; /* the file of settings, NULL: none */
	const char *site; /* of nginx */
	struct arena arena;
	bool has_settings; /* conf is loaded */
	bool has_database; /* server is filled in */
	struct fail refusal; /* why not the settings */
	struct fail failure; /* why not the database */
	struct server_facts server;
};

/* The checks, one per row. */
#define HOST_CHECK(id, name, settings, warn, critical, advice)                 \
	void doctor_##id(struct doctor *d, struct finding *ret);
#define SERVER_CHECK(id, name, warn, critical, advice)
#include "ctl/doctor/doctor_checks.tbl"
#undef HOST_CHECK
#undef SERVER_CHECK

/*
 * Connect to the database and read its facts.  Sets has_database, or failure;
 * url is NULL if no setting has one.
 */
void doctor_read_server(struct doctor *d, const char *url);

#endif
