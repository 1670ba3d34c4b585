/* SPDX-License-Identifier: ISC */
/* Models from a file on this host. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/model.h"
#include "cron/job.h"
#include "cron/model_source.h"
#include "lib/conf/conf.h"

static void refuse_model_file(struct fail *f, const char *why);
static ssize_t read_all(int fd, char *ret, size_t size);

const char *
model_source_disk_place(struct arena *a, const char *host)
{
	struct str s;

	str_init(&s, a);
	str_addf(&s, "disk %s", host);
	return str_text(&s);
}

/* Refuse a FIFO or a device: reading it could block forever. */
int
model_source_disk_poll(struct job_run *r, const char *etag,
    struct model_source_found *ret, struct fail *f)
{
	const int fd =
	    open(conf.MODEL_PATH, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *text = arena_alloc(r->arena, MODEL_FILE_MAX + 2);
	struct stat st;
	ssize_t n = -1;

	(void)etag;
	if (text == NULL)
		fail_memory(f);
	else if (fd == -1 || fstat(fd, &st) == -1)
		refuse_model_file(f, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		refuse_model_file(f, "it is not a regular file");
	else if ((n = read_all(fd, text, MODEL_FILE_MAX + 1)) == -1)
		refuse_model_file(f, strerror(errno));
	if (fd != -1)
		close(fd);
	if (n == -1)
		return -1;
	ret->text = text;
	ret->size = (size_t)n;
	return 0;
}

static void
refuse_model_file(struct fail *f, const char *why)
{
	fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
	    "the file cannot be read: %s", why);
}

/* Read the file up to size bytes; return their number, or -1. */
static ssize_t
read_all(int fd, char *ret, size_t size)
{
	size_t have = 0;
	ssize_t n;

	while (have < size) {
		n = read(fd, ret + have, size - have);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return -1;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	return (ssize_t)have;
}
