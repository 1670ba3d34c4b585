/* SPDX-License-Identifier: ISC */
/*
 * The listening sockets: passed by systemd or a parent process, or bound here.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/fail.h"
#include "fcgi/pool/listen.h"
#include "lib/conf/conf.h"

#define BACKLOG 1024 /* holds a burst; load_shed.c refuses old requests */
#define FIRST_PASSED 3 /* first descriptor that systemd passes */

static int take_passed(struct listeners *l);
static void adopt_descriptor(struct listeners *l, int n);
static bool is_listening(int fd);
static int bind_path(struct listeners *l, enum worker_group group,
    const char *path, struct fail *f);
static int bind_socket(int fd, const struct sockaddr_un *sun);
static bool socket_answers(const struct sockaddr_un *sun);

static const char *const names[GROUP__MAX] = {
	[GROUP_DECIDE] = "decide",
	[GROUP_OPERATOR] = "operator",
};

int
listen_open(struct listeners *l, struct fail *f)
{
	const char *const path[GROUP__MAX] = {
		[GROUP_DECIDE] = conf.DECIDE_SOCKET,
		[GROUP_OPERATOR] = conf.OPERATOR_SOCKET,
	};
	enum worker_group group;

	memset(l, 0, sizeof(*l));
	for (group = 0; group < GROUP__MAX; group++)
		l->fd[group] = -1;
	adopt_descriptor(l, take_passed(l));
	for (group = GROUP_DECIDE; group < GROUP__MAX; group++) {
		if (l->fd[group] == -1 &&
		    bind_path(l, group, path[group], f) == -1) {
			listen_close(l, GROUP_DECIDE);
			return -1;
		}
		fcntl(l->fd[group], F_SETFD, FD_CLOEXEC);
		fcntl(l->fd[group], F_SETFL,
		    fcntl(l->fd[group], F_GETFL) | O_NONBLOCK);
	}
	return 0;
}

void
listen_close(struct listeners *l, enum worker_group group)
{
	const int fd = l->fd[group];

	if (l->bound[group].sun_family != 0)
		unlink(l->bound[group].sun_path);
	l->bound[group].sun_family = 0;
	l->fd[group] = -1;
	if (fd != l->fd[GROUP_DECIDE] && fd != l->fd[GROUP_OPERATOR])
		close(fd);
}

/* Take the sockets that systemd passes by name.  Return how many it passes. */
static int
take_passed(struct listeners *l)
{
	const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
	const char *list = getenv("LISTEN_FDNAMES");
	enum worker_group group;
	size_t size;
	int i, n;

	if (pid == NULL || count == NULL ||
	    strtol(pid, NULL, 10) != (long)getpid())
		return 0;
	n = (int)strtol(count, NULL, 10);
	for (i = 0; i < n && list != NULL; i++) {
		size = strcspn(list, ":");
		for (group = GROUP_DECIDE; group < GROUP__MAX; group++)
			if (size == strlen(names[group]) &&
			    strncmp(list, names[group], size) == 0 &&
			    is_listening(FIRST_PASSED + i))
				l->fd[group] = FIRST_PASSED + i;
		list = list[size] == ':' ? list + size + 1 : NULL;
	}
	return n;
}

/* Use one listening descriptor for both groups if none has a name. */
static void
adopt_descriptor(struct listeners *l, int n)
{
	int fd;

	if (l->fd[GROUP_DECIDE] != -1 || l->fd[GROUP_OPERATOR] != -1)
		return;
	fd = n == 1 ? FIRST_PASSED : STDIN_FILENO;
	if (!is_listening(fd))
		return;
	l->shared = true;
	l->fd[GROUP_DECIDE] = l->fd[GROUP_OPERATOR] = fd;
}

static bool
is_listening(int fd)
{
	socklen_t size = sizeof(int);
	int yes = 0;

	return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &size) == 0 &&
	    yes != 0;
}

/* Listen at a path to which only its owner and group may connect. */
static int
bind_path(struct listeners *l, enum worker_group group, const char *path,
    struct fail *f)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	mode_t mask;
	int fd, status;

	if (strlen(path) >= sizeof(sun.sun_path))
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, path,
		    "is longer than %zu bytes", sizeof(sun.sun_path) - 1);
	memcpy(sun.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd == -1)
		return fail_set(
		    f, FAIL_US, INTERNAL, path, "%s", strerror(errno));
	mask = umask(0117);
	status = bind_socket(fd, &sun);
	umask(mask);
	if (status == -1 || listen(fd, BACKLOG) == -1) {
		fail_set(f, FAIL_US, INTERNAL, path, "%s", strerror(errno));
		close(fd);
		return -1;
	}
	l->fd[group] = fd;
	l->bound[group] = sun;
	return 0;
}

/* Bind.  Replace a socket file at which no process listens. */
static int
bind_socket(int fd, const struct sockaddr_un *sun)
{
	const struct sockaddr *sa = (const struct sockaddr *)sun;
	struct stat st;

	if (bind(fd, sa, sizeof(*sun)) == 0)
		return 0;
	if (errno != EADDRINUSE || lstat(sun->sun_path, &st) == -1 ||
	    !S_ISSOCK(st.st_mode) || socket_answers(sun)) {
		errno = EADDRINUSE;
		return -1;
	}
	if (unlink(sun->sun_path) == -1)
		return -1;
	return bind(fd, sa, sizeof(*sun));
}

/* Return whether a process listens there, also if its backlog is full. */
static bool
socket_answers(const struct sockaddr_un *sun)
{
	const int fd =
	    socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool yes;

	if (fd == -1)
		return true;
	yes = connect(fd, (const struct sockaddr *)sun, sizeof(*sun)) == 0 ||
	    errno != ECONNREFUSED;
	close(fd);
	return yes;
}
