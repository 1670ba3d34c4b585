/* SPDX-License-Identifier: ISC */
/* Read the file of assayctl replay row by row, and draw the progress. */
#include "config.h"

#include <sys/stat.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <zlib.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "ctl/ctl.h"
#include "ctl/replay/replay.h"
#include "lib/sys/clock.h"
#include "lib/sys/csv.h"

#define NAMES_SIZE ((size_t)1 << 20) /* for the names of columns */

static void set_name(struct replay_source *so, struct arena *a);

int
replay_source_open(
    struct replay_source *so, const char *map, struct arena *a, struct fail *f)
{
	struct stat st;
	int r;

	if (stat(so->path, &st) == -1 ||
	    (so->file = gzopen(so->path, "r")) == NULL)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL, "%s",
		    strerror(errno));
	so->size = st.st_size;
	so->began = clock_ticks();
	csv_init(&so->csv, ctl_gz_read, so->file);
	if ((r = csv_next(&so->csv, f)) == -1)
		return -1;
	if (r == 0)
		return fail_set(
		    f, FAIL_INPUT, INVALID_REQUEST, NULL, "is empty");
	set_name(so, a);
	if (replay_row_layout(&so->layout, &so->csv, map, a, f) == -1)
		return -1;
	while (r == 1 && so->row + 1 < so->first) {
		so->row++;
		r = csv_next(&so->csv, f);
	}
	return r == -1 ? -1 : 0;
}

int
replay_source_next(struct replay_source *so, struct fail *f)
{
	int r;

	if (so->row >= so->last)
		return 0;
	if ((r = csv_next(&so->csv, f)) == 1) {
		so->row++;
		replay_row_note(&so->layout, &so->csv);
	}
	return r;
}

bool
replay_source_is_whole(const struct replay_source *so, const char *map)
{
	static struct replay_source copy;
	struct fail f = { 0 };
	struct arena a;
	struct stat st;
	bool whole;
	int r;

	if (stat(so->path, &st) == 0 && !S_ISREG(st.st_mode)) {
		ctl_say("--strict reads the file twice: %s must be a regular "
			"file",
		    so->path);
		return false;
	}
	copy = *so;
	ctl_arena(&a, NAMES_SIZE);
	if ((r = replay_source_open(&copy, map, &a, &f)) == 0)
		while ((r = replay_source_next(&copy, &f)) == 1)
			continue;
	if (r == -1)
		ctl_failed(so->path, &f);
	whole = r == 0 && !replay_row_losses(&copy.layout);
	replay_source_close(&copy);
	ctl_arena_free(&a);
	return whole;
}

void
replay_source_close(struct replay_source *so)
{
	if (so->file != NULL)
		gzclose(so->file);
	so->file = NULL;
}

bool
replay_source_progress(struct replay_source *so, uint64_t done)
{
	const int64_t now = clock_ticks();
	const double seconds = (double)(now - so->began) / CLOCK_SECOND;
	double part, left;

	if (!so->progress || now - so->drawn < CLOCK_SECOND / 4)
		return false;
	so->drawn = now;
	part = so->last != UINT64_MAX
	    ? (double)done / (double)(so->last - so->first + 1)
	    : so->size > 0 ? (double)gzoffset(so->file) / (double)so->size
			   : 1;
	left = part > 0 && part < 1 ? seconds / part - seconds : 0;
	fprintf(stderr,
	    "\r%" PRIu64 " events, %.0f %%, %.0f/s, %.0f s left\033[K", done,
	    100 * part, seconds > 0 ? (double)done / seconds : 0, left);
	return true;
}

void
replay_source_clear(const struct replay_source *so)
{
	if (so->progress && so->drawn != 0)
		fputs("\r\033[K", stderr);
}

/* Make the prefix of ids for rows without one, from the name of the file. */
static void
set_name(struct replay_source *so, struct arena *a)
{
	const char *base = strrchr(so->path, '/');
	struct str s;

	so->layout.name = "";
	base = base == NULL ? so->path : base + 1;
	str_init(&s, a);
	str_addn(&s, base, strcspn(base, "."));
	str_addc(&s, '-');
	if (str_text(&s) != NULL && strlen(str_text(&s)) < EVENT_ID_MAX / 2)
		so->layout.name = str_text(&s);
}
