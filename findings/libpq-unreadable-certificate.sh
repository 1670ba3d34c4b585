#!/bin/sh
# SPDX-License-Identifier: ISC
# libpq says "could not read certificate file", and then not why: where the reason should
# be, the message has bytes that are no text, or nothing.  This is so if the system refuses
# to open the file that sslcert names, as for a program whose user may not read it.  If
# the file can be read but is no certificate, the message has the reason.  A log or a
# terminal then gets control characters, and who greps for "Permission denied" finds
# nothing.
#
# Seen with libpq 15.18 of Debian 12 and its OpenSSL 3.0: for a file of mode 0 the reason
# is five bytes, of which some are no text and which differ from run to run; for an empty
# file that can be read it is "no start line".
#
# The script needs apt-get, dpkg-deb, a C compiler, python3, and, as root, setpriv.  It
# works in a temporary folder and installs nothing.  It fails if the library does
# otherwise.
set -eu
version=15.18-0+deb12u1
tmp=$(mktemp -d)
server=
trap 'kill $server 2>/dev/null || :; rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
cd "$tmp"
apt-get -qq download "libpq5=$version" >/dev/null 2>&1
dpkg-deb -x libpq5_*.deb root
lib=$(dirname "$(find root -name libpq.so.5)")

# A server that agrees to TLS and says no more: libpq reads its files then.
cat >server.py <<'END'
import socket

listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    client, _ = listener.accept()
    client.recv(8)
    client.sendall(b"S")
END
python3 server.py >port &
server=$!
until [ -s port ]; do sleep 0.1; done

cat >connect.c <<'END'
#include <stdio.h>

typedef struct pg_conn PGconn;
PGconn *PQconnectdb(const char *);
char *PQerrorMessage(const PGconn *);

int
main(int argc, char **argv)
{
	(void)argc;
	fputs(PQerrorMessage(PQconnectdb(argv[1])), stdout);
	return 0;
}
END
cc connect.c "$lib/libpq.so.5" -o connect

# reason FILE: what libpq gives as the reason, with "?" for a byte that is no text.
as=
[ "$(id -u)" -ne 0 ] || as="setpriv --reuid=65534 --regid=65534 --clear-groups"
reason() {
	# shellcheck disable=SC2086 # a command and its arguments
	LD_LIBRARY_PATH=$lib timeout 20 $as ./connect "host=127.0.0.1 port=$(cat port)
	    dbname=a user=a sslmode=require sslcert=$tmp/$1 sslkey=$tmp/$1" |
	    sed -n 's/.*could not read certificate file "[^"]*": //p' |
	    LC_ALL=C tr -c '[:print:]\n' '?'
}
: >empty
: >closed
chmod 644 empty
chmod 0 closed
echo "libpq $version: empty: $(reason empty); of mode 0: $(reason closed)"
[ "$(reason empty)" = "no start line" ]
[ "$(reason closed)" != "Permission denied" ]
