/* SPDX-License-Identifier: ISC */
/* The file with the session of `assayctl login`. */
#include "config.h"

#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "core/base/arena.h"
#include "ctl/ctl.h"
#include "ctl/session.h"
#include "lib/sys/crypt.h"

#define FILE_MAX 8192

static int session_path(char path[PATH_MAX], bool make);
static int file_read(int fd, const char *path, char text[FILE_MAX]);
static void lines_read(struct arena *a, struct session *ss, const char *text);
static int refuse_session_file(const char *path, const char *why);

/* The lines of the file: name, space, text. */
static const struct {
	const char *name;
	size_t offset;
} lines[] = {
	{ "url", offsetof(struct session, url) },
	{ "email", offsetof(struct session, email) },
	{ "role", offsetof(struct session, role) },
	{ "until", offsetof(struct session, until) },
	{ "token", offsetof(struct session, token) },
};

int
session_read(struct arena *a, struct session *ret)
{
	char path[PATH_MAX], text[FILE_MAX];
	int fd, status;

	memset(ret, 0, sizeof(*ret));
	if ((status = session_path(path, false)) != EX_OK)
		return status;
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) == -1)
		return errno == ENOENT || errno == ENOTDIR
		    ? EX_OK
		    : refuse_session_file(path, strerror(errno));
	if ((status = file_read(fd, path, text)) == EX_OK)
		lines_read(a, ret, text);
	crypt_wipe(text, sizeof(text));
	close(fd);
	return status;
}

int
session_write(const struct session *ss)
{
	char path[PATH_MAX], draft[PATH_MAX + 8];
	const char *text;
	FILE *file;
	size_t i;
	int fd, status;
	bool failed;

	if ((status = session_path(path, true)) != EX_OK)
		return status;
	snprintf(draft, sizeof(draft), "%s.XXXXXX", path);
	if ((fd = mkostemp(draft, O_CLOEXEC)) == -1)
		return refuse_session_file(path, strerror(errno));
	if ((file = fdopen(fd, "w")) == NULL) {
		close(fd);
		unlink(draft);
		return refuse_session_file(path, strerror(errno));
	}
	for (i = 0; i < nitems(lines); i++) {
		text =
		    *(const char *const *)((const char *)ss + lines[i].offset);
		fprintf(file, "%s %s\n", lines[i].name, text);
	}
	failed = fflush(file) == EOF || fsync(fd) == -1;
	failed |= fclose(file) == EOF;
	if (!failed && rename(draft, path) == 0)
		return EX_OK;
	status = refuse_session_file(path, strerror(errno));
	unlink(draft);
	return status;
}

int
session_remove(void)
{
	char path[PATH_MAX];
	int status;

	if ((status = session_path(path, false)) != EX_OK)
		return status;
	if (unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR)
		return EX_OK;
	return refuse_session_file(path, strerror(errno));
}

/*
 * Store the path of the file.  With make, also create its directories, readable
 * only for this user.  Return an exit status.
 */
static int
session_path(char path[PATH_MAX], bool make)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *below = "";
	char *slash;
	int n;

	if (base == NULL || *base != '/') {
		base = getenv("HOME");
		below = "/.config";
	}
	if (base == NULL || *base != '/') {
		ctl_say("cannot find the session; set HOME or ASSAY_TOKEN");
		return EX_CONFIG;
	}
	n = snprintf(path, PATH_MAX, "%s%s/assay/token", base, below);
	if (n < 0 || n >= PATH_MAX)
		return refuse_session_file(base, strerror(ENAMETOOLONG));
	for (slash = strchr(path + 1, '/'); make && slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0700) == -1 && errno != EEXIST &&
		    errno != EISDIR && errno != EROFS && errno != EACCES)
			return refuse_session_file(path, strerror(errno));
		*slash = '/';
	}
	return EX_OK;
}

/* Read the file if it belongs to this user and no other user can read it. */
static int
file_read(int fd, const char *path, char text[FILE_MAX])
{
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) == -1)
		return refuse_session_file(path, strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return refuse_session_file(
		    path, "is not a regular file that you own; remove it");
	if ((st.st_mode & 077) != 0)
		return refuse_session_file(path,
		    "others can read it; run 'chmod 600' on it, then "
		    "'assayctl logout --all' to end sessions that they may "
		    "have used");
	if ((n = read(fd, text, FILE_MAX - 1)) == -1)
		return refuse_session_file(path, strerror(errno));
	text[n] = '\0';
	return EX_OK;
}

static void
lines_read(struct arena *a, struct session *ss, const char *text)
{
	size_t i, len, name;

	for (; *text != '\0'; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		for (i = 0; i < nitems(lines); i++) {
			name = strlen(lines[i].name);
			if (len > name && text[name] == ' ' &&
			    strncmp(text, lines[i].name, name) == 0)
				*(const char **)((char *)ss + lines[i].offset) =
				    arena_strndup(
					a, text + name + 1, len - name - 1);
		}
	}
}

static int
refuse_session_file(const char *path, const char *why)
{
	ctl_say("%s: %s", path, why);
	return EX_NOPERM;
}
