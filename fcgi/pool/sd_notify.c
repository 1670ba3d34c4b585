/* SPDX-License-Identifier: ISC */
/* Send states to systemd: sd_notify(3) without libsystemd. */
#include "config.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fcgi/pool/sd_notify.h"

void
sd_notify_send(const char *state)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	const char *path = getenv("NOTIFY_SOCKET");
	const size_t n = path == NULL ? 0 : strlen(path);
	int fd;

	if (n == 0 || n >= sizeof(sun.sun_path))
		return;
	memcpy(sun.sun_path, path, n);
	if (sun.sun_path[0] == '@')
		sun.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd == -1)
		return;

	/* If READY is lost, systemd reports the timeout itself. */
	(void)sendto(fd, state, strlen(state), MSG_NOSIGNAL,
	    (const struct sockaddr *)&sun,
	    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
	close(fd);
}

int64_t
sd_notify_interval(void)
{
	const char *usec = getenv("WATCHDOG_USEC");
	const char *pid = getenv("WATCHDOG_PID");

	if (usec == NULL ||
	    (pid != NULL && strtol(pid, NULL, 10) != (long)getpid()))
		return 0;
	return strtoll(usec, NULL, 10) / 2;
}
