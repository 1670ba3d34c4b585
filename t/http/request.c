/* SPDX-License-Identifier: ISC */
/*
 * Send one HTTP request to a unix socket and print the answer: its head as it
 * came, and its body. lib.sh uses this because the start of curl or of Perl
 * costs more than the request:
 *
 *	request SOCKET METHOD PATH BODY [-H HEADER ...]
 *
 * A BODY that begins with "@" names a file, as for curl.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct text {
	char *at; /* a NUL follows it */
	size_t size;
};

static void
on_alarm(int sig)
{
	static const char why[] = "request: no answer within 30 seconds\n";

	(void)sig;
	_exit(write(STDERR_FILENO, why, sizeof(why) - 1) == -1 ? 2 : 1);
}

static int
connect_to(const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (strlen(path) >= sizeof(to.sun_path))
		errx(1, "%s: too long", path);
	memcpy(to.sun_path, path, strlen(path));
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == -1)
		err(1, "connect");
	return fd;
}

/* All bytes up to the end of the file. */
static struct text
read_all(int fd)
{
	struct text all = { NULL, 0 };
	size_t room = 0;
	ssize_t n;

	do {
		if (room - all.size < 2 &&
		    (all.at = realloc(all.at, room += 1 << 18)) == NULL)
			err(1, "realloc");
		n = read(fd, all.at + all.size, room - all.size - 1);
		if (n == -1)
			err(1, "read");
		all.size += (size_t)n;
	} while (n > 0);
	all.at[all.size] = '\0';
	return all;
}

static struct text
body_of(char *arg)
{
	int fd;

	if (*arg != '@')
		return (struct text) { arg, strlen(arg) };
	if ((fd = open(arg + 1, O_RDONLY)) == -1)
		err(1, "%s", arg + 1);
	return read_all(fd);
}

/* An early answer is read even if the request could not be sent whole. */
static void
send_request(int fd, char **argv)
{
	const struct text body = body_of(argv[4]);
	FILE *out = fdopen(dup(fd), "w");

	if (out == NULL)
		err(1, "fdopen");
	fprintf(out,
	    "%s %s HTTP/1.1\r\nHost: assay\r\nAccept: */*\r\n"
	    "Connection: close\r\n",
	    argv[2], argv[3]);
	for (argv += 5; *argv != NULL; argv++)
		if (strcmp(*argv, "-H") != 0)
			fprintf(out, "%s\r\n", *argv);
	if (body.size > 0)
		fprintf(out, "Content-Length: %zu\r\n", body.size);
	fprintf(out, "\r\n");
	(void)fwrite(body.at, 1, body.size, out);
	(void)fclose(out);
}

/* Join the chunks (RFC 9112, section 7.1); nginx sends no trailers. */
static size_t
join_chunks(struct text body)
{
	char *from = body.at, *to = body.at, *end;
	size_t size;

	while ((size = strtoul(from, &end, 16)) > 0) {
		from = end + 2;
		if (memcmp(end, "\r\n", 2) != 0 ||
		    size + 2 > (size_t)(body.at + body.size - from))
			errx(1, "the answer ends early");
		memmove(to, from, size);
		to += size;
		from += size + 2;
	}
	if (strcmp(from, "0\r\n\r\n") != 0)
		errx(1, "the answer ends early");
	return (size_t)(to - body.at);
}

/* The size of the body that follows this head. */
static size_t
body_size(const char *head, struct text body)
{
	const char *length = strcasestr(head, "\r\nContent-Length: ");
	size_t size;

	if (strcasestr(head, "\r\nTransfer-Encoding: chunked\r\n") != NULL)
		return join_chunks(body);
	if (length == NULL)
		return body.size;
	size = strtoul(length + strlen("\r\nContent-Length: "), NULL, 10);
	if (body.size < size)
		errx(1, "the answer ends early");
	return size;
}

int
main(int argc, char **argv)
{
	struct text answer, body;
	int fd;

	if (argc < 5)
		errx(64, "SOCKET METHOD PATH BODY [-H HEADER ...]");
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGALRM, on_alarm);
	(void)alarm(30);
	fd = connect_to(argv[1]);
	send_request(fd, argv);
	answer = read_all(fd);
	body.at = memmem(answer.at, answer.size, "\r\n\r\n", 4);
	if (body.at == NULL)
		errx(1, "no answer");
	body.at[2] = '\0';
	body.at += 4;
	body.size = answer.size - (size_t)(body.at - answer.at);
	body.size = body_size(answer.at, body);
	printf("%s\r\n", answer.at);
	(void)fwrite(body.at, 1, body.size, stdout);
	return fflush(stdout) == 0 ? 0 : 1;
}
