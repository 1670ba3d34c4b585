/* SPDX-License-Identifier: ISC */
/* assayctl doctor: the state of the units, where systemd runs. */
#include "config.h"

#include <sys/wait.h>

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "ctl/doctor/doctor.h"
#include "ctl/doctor/unit_state.h"

#define SYSTEMCTL_SIZE 8192

static size_t read_systemctl(char *ret, size_t size);
static void run_systemctl(int out);

void
doctor_units(struct doctor *d, struct finding *ret)
{
	char text[SYSTEMCTL_SIZE];

	(void)d;
	if (read_systemctl(text, sizeof(text)) == 0)
		finding_text(ret, "systemd does not run here");
	else
		unit_state_judge(text, ret);
}

/* Read what systemctl says of the units; nothing where systemd does not run. */
static size_t
read_systemctl(char *ret, size_t size)
{
	size_t n = 0;
	ssize_t got;
	pid_t pid;
	int out[2];

	ret[0] = '\0';
	if (pipe2(out, O_CLOEXEC) == -1)
		return 0;
	if ((pid = fork()) == 0)
		run_systemctl(out[1]);
	close(out[1]);
	while (pid != -1 && n < size - 1 &&
	    (got = read(out[0], ret + n, size - 1 - n)) > 0)
		n += (size_t)got;
	close(out[0]);
	if (pid != -1)
		waitpid(pid, NULL, 0);
	ret[n] = '\0';
	return n;
}

/* Become systemctl in the child. */
static void
run_systemctl(int out)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null != -1 && dup2(null, STDIN_FILENO) != -1 &&
	    dup2(out, STDOUT_FILENO) != -1 && dup2(null, STDERR_FILENO) != -1)
		execlp("systemctl", "systemctl", "show", "--property",
		    "Id,ActiveState,UnitFileState",
#define UNIT(name) name,
#include "ctl/doctor/units.tbl"
#undef UNIT
		    (char *)NULL);
	_exit(127);
}
