/* SPDX-License-Identifier: ISC */
/* When the certificates of a file end. */
#ifndef LIB_SYS_CERTIFICATE_H
#define LIB_SYS_CERTIFICATE_H

#include <stdint.h>

struct fail;

/* The times at which certificates end, in microseconds since 1970. */
struct certificate_ends {
	int64_t first;
	int64_t last;
};

/*
 * Read the certificates of a PEM file.  Returns 0, or -1 with f set if the file
 * cannot be read or has no certificate.
 */
int certificate_read(const char *path, struct certificate_ends *ret,
    struct fail *f) __attribute__((warn_unused_result));

#endif
