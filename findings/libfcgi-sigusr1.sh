#!/bin/sh
# SPDX-License-Identifier: ISC
# libfcgi catches SIGUSR1 in every program that calls FCGX_Init(), also if the program
# has the default action or ignores the signal.  The signal then does not end the
# program, as its default action would: from then on FCGX_Accept_r() refuses each
# request at once, while clients still connect.  A program that treats a failed accept
# as a passing error lives on and serves nothing.
#
# Seen with libfcgi 2.4.2 of Debian 12, with a client waiting each time: FCGX_Accept_r()
# returns 0 before the signal, and below 0 each time after it, with an errno of some
# earlier call.
#
# The script needs apt-get, dpkg-deb and a C compiler; it works in a temporary folder and
# installs nothing.  It fails if the library does otherwise.
set -eu
version=2.4.2-2+deb12u1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get -qq download "libfcgi0ldbl=$version" "libfcgi-dev=$version" >/dev/null 2>&1
for package in *.deb; do
	dpkg-deb -x "$package" root
done
lib=$(dirname "$(find root -name libfcgi.so.0)")

cat >serve.c <<'END'
#include <fcgiapp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Connect a client, and return what FCGX_Accept_r() makes of it. */
static int
serve(FCGX_Request *request)
{
	/* A FastCGI request: begin, and empty parameters and body. */
	static const char asks[] = "\1\1\0\1\0\10\0\0\0\1\0\0\0\0\0\0"
				   "\1\4\0\1\0\0\0\0\1\5\0\1\0\0\0\0";
	struct sockaddr_un at = { .sun_family = AF_UNIX, .sun_path = "socket" };
	int client = socket(AF_UNIX, SOCK_STREAM, 0);
	int accepted;

	if (connect(client, (struct sockaddr *)&at, sizeof(at)) == -1 ||
	    send(client, asks, sizeof(asks) - 1, 0) == -1)
		return -1000;
	accepted = FCGX_Accept_r(request);
	if (accepted == 0)
		FCGX_Finish_r(request);
	return accepted;
}

static const char *
text(int accepted)
{
	return accepted == 0 ? "served" : accepted == -1000 ? "no client" : "refused";
}

int
main(void)
{
	FCGX_Request request;
	int before;

	signal(SIGUSR1, SIG_IGN);
	FCGX_Init();
	FCGX_InitRequest(&request, FCGX_OpenSocket("socket", 5),
	    FCGI_FAIL_ACCEPT_ON_INTR);
	before = serve(&request);
	raise(SIGUSR1);
	printf("before %s, after %s", text(before), text(serve(&request)));
	printf(" and %s\n", text(serve(&request)));
	return 0;
}
END
cc -I root/usr/include serve.c -L "$lib" -lfcgi -o serve
got=$(LD_LIBRARY_PATH=$lib timeout 20 ./serve) || got="ended with $?"
echo "libfcgi $version: $got"
[ "$got" = "before served, after refused and refused" ]
