/* SPDX-License-Identifier: ISC */
/* assayctl lists import: send the rows of a CSV file as list entries. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include <json-c/json.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "ctl/ctl.h"
#include "ctl/http_client.h"
#include "ctl/propose.h"
#include "ctl/request/request_spec.h"
#include "ctl/term_text.h"
#include "lib/json/list_entry.h"
#include "lib/sys/clock.h"
#include "lib/sys/csv.h"

#define ENTRIES_MAX 10000 /* per request, which is one transaction */
#define BODY_MAX ((size_t)1 << 20) /* bytes per request */
#define ROW_MAX 2048 /* bytes of one entry, with every quote doubled */
#define ARENA_SIZE ((size_t)8 << 20) /* for one request and its answer */
#define FAULTS_SHOWN 20

/* The state of the import. */
struct import {
	const char *what; /* the command, for messages */
	const char *path; /* as messages name it */
	FILE *file;
	struct csv csv;
	struct list_entry_columns columns;
	struct http_client service;
	struct arena arena; /* of one request */
	struct str body;
	uint64_t n; /* entries in body */
	char *propose; /* the reason of a proposal, or NULL */
	bool strict; /* import nothing unless every row is a new entry */
	bool trying; /* only ask what the import would do */
	int64_t from_line; /* skip rows on earlier lines */
	uint64_t line; /* of the first row that is not imported yet */
	uint64_t rows; /* to send, as counted by the check */
	uint64_t done; /* rows imported */
	uint64_t added;
	uint64_t updated;
	uint64_t expired; /* rows left out, because they have expired */
	uint64_t faults;
	int64_t began; /* ticks */
	int64_t drawn; /* ticks when progress was drawn, 0: never */
};

static int open_import_source(struct import *im, const char *path);
static int check_import_file(struct import *im);
static void refuse_expired(
    struct import *im, const struct list_entry_input *en);
static int try_import(struct import *im);
static int run_import(struct import *im, char *url, bool json);
static int send_all(struct import *im);
static int read_header_line(struct import *im);
static int next_entry(struct import *im, struct list_entry_input *ret);
static void report_fault(struct import *im, const struct fail *f);
static void body_begin(struct import *im);
static void body_add(struct import *im, const struct list_entry_input *en);
static void body_text(struct str *s, const char *text);
static int body_send(struct import *im);
static uint64_t count_member(struct json_object *json, const char *name);
static void print_totals(const struct import *im, bool json);
static void draw_import_progress(struct import *im);
static void progress_clear(const struct import *im);
static long read_file(void *cookie, char *buf, size_t size);

int
lists_import(const struct command *cmd, int argc, char **argv)
{
	static struct import im;
	char *url = NULL;
	bool json = false;
	const struct opt opts[] = {
		{ "from-line", "N", "skip the rows on earlier lines",
		    OPT_NUMBER, &im.from_line, 1, INT64_MAX },
		{ "json", NULL, "print the totals as JSON", OPT_FLAG, &json, 0,
		    0 },
		PROPOSE_OPT(&im.propose),
		{ "strict", NULL,
		    "import nothing if a row has expired or would change an "
		    "entry",
		    OPT_FLAG, &im.strict, 0, 0 },
		{ "url", "URL",
		    "the service; default ASSAY_URL, else the session's",
		    OPT_TEXT, &url, 0, 0 },
	};
	int status;

	opt_parse(
	    cmd, opts, nitems(opts), (struct operands) { 1, 1 }, argc, argv);
	im.what = cmd->name;
	if ((status = open_import_source(&im, argv[0])) != EX_OK)
		return status;
	if ((status = check_import_file(&im)) == EX_OK)
		status = run_import(&im, url, json);
	fclose(im.file);
	return status;
}

/*
 * Open the file.  Copy standard input to a temporary file, because the import
 * reads its input twice.  Return an exit status.
 */
static int
open_import_source(struct import *im, const char *path)
{
	char buf[65536];
	size_t n;

	if (strcmp(path, "-") != 0) {
		im->path = path;
		im->file = fopen(path, "r");
		if (im->file != NULL)
			return EX_OK;
		ctl_say("%s: %s: %s", im->what, path, strerror(errno));
		return EX_NOINPUT;
	}
	im->path = "stdin";
	if ((im->file = tmpfile()) != NULL) {
		while ((n = fread(buf, 1, sizeof(buf), stdin)) > 0)
			if (fwrite(buf, 1, n, im->file) != n)
				break;
		if (!ferror(stdin) && !ferror(im->file) &&
		    fflush(im->file) == 0)
			return EX_OK;
		fclose(im->file);
	}
	ctl_say("%s: cannot copy standard input to a temporary file: %s; "
		"import from a file instead",
	    im->what, strerror(errno));
	return EX_IOERR;
}

/* Read the whole file and report its errors.  Return an exit status. */
static int
check_import_file(struct import *im)
{
	struct list_entry_input en;
	int r;

	if (read_header_line(im) == 0) {
		while ((r = next_entry(im, &en)) == 1) {
			im->rows++;
			if (im->strict)
				refuse_expired(im, &en);
		}
		if (r == 0 && im->faults == 0)
			return EX_OK;
	}
	if (im->faults > FAULTS_SHOWN)
		fprintf(stderr, "%s: and %" PRIu64 " more errors\n", im->path,
		    im->faults - FAULTS_SHOWN);
	ctl_say("nothing was imported; correct the file and import it again");
	return EX_DATAERR;
}

/* Report a row that has expired. */
static void
refuse_expired(struct import *im, const struct list_entry_input *en)
{
	struct fail f = { 0 };

	if (en->expires == 0 || en->expires > clock_now())
		return;
	(void)fail_set(&f, FAIL_INPUT, INVALID_REQUEST,
	    list_entry_field_name(LIST_ENTRY_EXPIRES), "is in the past");
	report_fault(im, &f);
}

/* Ask what the import would do; refuse it if it would change entries. */
static int
try_import(struct import *im)
{
	int status;

	im->trying = true;
	status = send_all(im);
	progress_clear(im);
	if (status == EX_OK && im->updated > 0) {
		ctl_say("nothing was imported; %" PRIu64 " of %" PRIu64
			" entries would change one that exists",
		    im->updated, im->done);
		status = EX_DATAERR;
	}
	im->trying = false;
	im->added = im->updated = im->expired = im->done = 0;
	return status;
}

static int
run_import(struct import *im, char *url, bool json)
{
	struct arena a;
	int status;

	ctl_arena(&a, (size_t)1 << 20);
	ctl_arena(&im->arena, ARENA_SIZE);
	status = http_client_open(&im->service, url, ACCESS_TOKEN, &a);
	im->service.arena = &im->arena;
	if (status == EX_OK && im->strict)
		status = try_import(im);
	if (status == EX_OK) {
		status = send_all(im);
		progress_clear(im);
		if (status == EX_OK && im->propose == NULL)
			print_totals(im, json);
		else if (im->done > 0)
			ctl_say("imported %" PRIu64 " of %" PRIu64
				" entries; continue with --from-line %" PRIu64,
			    im->done, im->rows, im->line);
	}
	http_client_close(&im->service);
	ctl_arena_free(&im->arena);
	ctl_arena_free(&a);
	return status;
}

/* Read the file again and send it; it may have changed since the check. */
static int
send_all(struct import *im)
{
	int r, status = EX_OK;
	struct list_entry_input en;

	im->began = clock_ticks();
	body_begin(im);
	if ((r = read_header_line(im)) == 0) {
		while (status == EX_OK && (r = next_entry(im, &en)) == 1) {
			body_add(im, &en);
			if (im->n == ENTRIES_MAX ||
			    im->body.len > BODY_MAX - ROW_MAX)
				status = body_send(im);
		}
	}
	if (r == -1 || im->faults > 0)
		status = EX_DATAERR;
	return status == EX_OK && im->n > 0 ? body_send(im) : status;
}

/* Rewind the file, read its header.  Return 0, or -1 after an error message. */
static int
read_header_line(struct import *im)
{
	struct fail f = { 0 };

	rewind(im->file);
	csv_init(&im->csv, read_file, im->file);
	if (list_entry_header(&im->csv, &im->columns, &f) == 0)
		return 0;
	report_fault(im, &f);
	return -1;
}

/*
 * Read the next valid entry from line im->from_line on; report and count the
 * invalid rows.  Return 1, 0 at the end of the file, or -1 if reading cannot
 * continue.
 */
static int
next_entry(struct import *im, struct list_entry_input *ret)
{
	struct fail f;
	int r;

	do {
		memset(&f, 0, sizeof(f));
		r = list_entry_next(&im->csv, &im->columns, ret, &f);
		if (r == -1)
			report_fault(im, &f);
		if (r == -1 && f.where[0] == '\0')
			return -1;
	} while (
	    r == -1 || (r == 1 && im->csv.row_line < (uint64_t)im->from_line));
	return r;
}

/* Print an error, "FILE:LINE: error", without the text of the row. */
static void
report_fault(struct import *im, const struct fail *f)
{
	const char *why = f->why;
	unsigned long line;
	int skip = 0;

	/* An error of the CSV reader begins with the line. */
	if (f->where[0] == '\0' &&
	    sscanf(why, "line %lu %n", &line, &skip) == 1)
		why += skip;
	if (++im->faults <= FAULTS_SHOWN)
		fprintf(stderr, "%s:%" PRIu64 ": %s%s%s\n", im->path,
		    im->csv.row_line, f->where, f->where[0] == '\0' ? "" : " ",
		    why);
}

static void
body_begin(struct import *im)
{
	arena_reset(&im->arena);
	str_init(&im->body, &im->arena);
	str_add(&im->body, "kind,subject,value,reason,expiresAt\n");
	im->n = 0;
}

static void
body_add(struct import *im, const struct list_entry_input *en)
{
	char end[CLOCK_TEXT_SIZE] = "";
	struct str *s = &im->body;

	if (im->n++ == 0)
		im->line = im->csv.row_line;
	if (en->expires != 0)
		clock_text(en->expires, end);
	str_addf(s, "%s,%s,", list_kind_name(en->kind),
	    list_subject_name(en->subject));
	body_text(s, en->value);
	str_addc(s, ',');
	body_text(s, en->reason == NULL ? "" : en->reason);
	str_addf(s, ",%s\n", end);
}

/* Append a CSV field in quotes. */
static void
body_text(struct str *s, const char *text)
{
	str_addc(s, '"');
	for (; *text != '\0'; text++) {
		if (*text == '"')
			str_addc(s, '"');
		str_addc(s, *text);
	}
	str_addc(s, '"');
}

/* Send the body as one transaction, and begin the next body. */
static int
body_send(struct import *im)
{
	const struct client_request req = { .what = im->what,
		.method = "POST",
		.path =
		    im->trying ? "/v1/lists/import/check" : "/v1/lists/import",
		.type = "Content-Type: text/csv",
		.body = str_text(&im->body),
		.patient = true };
	struct json_object *json;
	int status;

	if (im->propose != NULL && !im->trying)
		status =
		    propose_request(&im->service, &req, im->propose, false);
	else
		status = http_client_call(&im->service, &req, &json);
	if (status != EX_OK)
		return status;
	if (im->propose == NULL || im->trying) {
		im->added += count_member(json, "added");
		im->updated += count_member(json, "updated");
		im->expired += count_member(json, "expired");
	}
	im->done += im->n;
	im->line = im->csv.row_line + 1;
	body_begin(im);
	draw_import_progress(im);
	return EX_OK;
}

static uint64_t
count_member(struct json_object *json, const char *name)
{
	return (uint64_t)json_object_get_int64(request_spec_at(json, name));
}

static void
print_totals(const struct import *im, bool json)
{
	const uint64_t same = im->done - im->added - im->updated - im->expired;

	if (json)
		printf("{\"entries\":%" PRIu64 ",\"added\":%" PRIu64
		       ",\"updated\":%" PRIu64 ",\"unchanged\":%" PRIu64
		       ",\"expired\":%" PRIu64 "}\n",
		    im->done, im->added, im->updated, same, im->expired);
	else
		printf("%" PRIu64 " entries: %" PRIu64 " added, %" PRIu64
		       " updated, %" PRIu64 " unchanged\n",
		    im->done, im->added, im->updated, same);
	if (im->expired > 0)
		ctl_say("%" PRIu64 " of them have expired already and are left "
			"out",
		    im->expired);
}

/* Draw the progress, on a terminal. */
static void
draw_import_progress(struct import *im)
{
	const double part = (double)im->done / (double)im->rows;
	const int64_t now = clock_ticks();
	const double seconds = (double)(now - im->began) / CLOCK_SECOND;

	if (isatty(STDERR_FILENO) != 1 || now - im->drawn < CLOCK_SECOND / 4)
		return;
	im->drawn = now;
	term_text_bar((int64_t)im->done, (int64_t)im->rows);
	fprintf(stderr,
	    ", %" PRIu64 " of %" PRIu64 " entries, %.0f s left\033[K", im->done,
	    im->rows, seconds / part - seconds);
}

/* Erase the progress line before other output. */
static void
progress_clear(const struct import *im)
{
	if (im->drawn != 0)
		fputs("\r\033[K", stderr);
}

/* The read function of struct csv. */
static long
read_file(void *cookie, char *buf, size_t size)
{
	const size_t n = fread(buf, 1, size, cookie);

	return n == 0 && ferror((FILE *)cookie) ? -1 : (long)n;
}
