/* SPDX-License-Identifier: ISC */
/*
 * An Internet for tests, loaded into a program with LD_PRELOAD.  The file that
 * INTERNET names has lines "NAME ADDRESS ..."; no other name resolves.
 * Each lookup of a name returns its next address; the last one repeats.  The
 * address "hang" makes a lookup hang.  A connection to the public network
 * 93.184.0.0/16 goes to the same port of this machine.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PUBLIC 0x5db80000U /* 93.184.0.0 */
#define HANG 60 /* seconds */
#define NAMES 32

typedef int resolve_fn(
    const char *, const char *, const struct addrinfo *, struct addrinfo **);
typedef int connect_fn(int, const struct sockaddr *, socklen_t);

static int next_address(const char *name, char *ret, size_t size);

/* How often each line was looked up. */
static int lookups[NAMES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int
getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
    struct addrinfo **ret)
{
	resolve_fn *real = (resolve_fn *)dlsym(RTLD_NEXT, "getaddrinfo");
	unsigned char bytes[16];
	char address[64];

	if (name == NULL || inet_pton(AF_INET, name, bytes) == 1 ||
	    inet_pton(AF_INET6, name, bytes) == 1)
		return real(name, service, hints, ret);
	if (next_address(name, address, sizeof(address)) == -1)
		return EAI_NONAME;
	if (strcmp(address, "hang") == 0) {
		sleep(HANG);
		return EAI_AGAIN;
	}
	return real(address, service, hints, ret);
}

int
connect(int fd, const struct sockaddr *to, socklen_t size)
{
	connect_fn *real = (connect_fn *)dlsym(RTLD_NEXT, "connect");
	struct sockaddr_in in;

	if (to->sa_family != AF_INET || size < sizeof(in))
		return real(fd, to, size);
	memcpy(&in, to, sizeof(in));
	if ((ntohl(in.sin_addr.s_addr) & 0xffff0000U) == PUBLIC)
		in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return real(fd, (const struct sockaddr *)&in, sizeof(in));
}

/* The address of this lookup of a name.  Returns -1 without one. */
static int
next_address(const char *name, char *ret, size_t size)
{
	const char *path = getenv("INTERNET");
	FILE *file = path == NULL ? NULL : fopen(path, "r");
	char line[256], *word, *rest;
	int i, n, found = -1;

	pthread_mutex_lock(&lock);
	for (i = 0; file != NULL && i < NAMES && found == -1 &&
	     fgets(line, sizeof(line), file) != NULL;
	     i++) {
		word = strtok_r(line, " \n", &rest);
		if (word == NULL || strcmp(word, name) != 0)
			continue;
		for (n = 0; (word = strtok_r(NULL, " \n", &rest)) != NULL &&
		     n <= lookups[i];
		     n++) {
			snprintf(ret, size, "%s", word);
			found = 0;
		}
		lookups[i]++;
	}
	pthread_mutex_unlock(&lock);
	if (file != NULL)
		fclose(file);
	return found;
}
