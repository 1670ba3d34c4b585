/* SPDX-License-Identifier: ISC */
/* When the certificates of a file end. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "core/base/fail.h"
#include "lib/sys/certificate.h"
#include "lib/sys/clock.h"

static bool note_end(const X509 *x, struct certificate_ends *ret);

int
certificate_read(const char *path, struct certificate_ends *ret, struct fail *f)
{
	FILE *file;
	X509 *x;

	*ret = (struct certificate_ends) { .first = INT64_MAX, .last = 0 };
	if ((file = fopen(path, "re")) == NULL)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, path, "%s",
		    strerror(errno));
	while ((x = PEM_read_X509(file, NULL, NULL, NULL)) != NULL) {
		if (!note_end(x, ret))
			ret->first = 0;
		X509_free(x);
	}
	ERR_clear_error();
	fclose(file);
	return ret->first == INT64_MAX
	    ? fail_set(
		  f, FAIL_INPUT, INVALID_REQUEST, path, "has no certificate")
	    : 0;
}

/* Keep the end of a certificate; return false if it has none. */
static bool
note_end(const X509 *x, struct certificate_ends *ret)
{
	struct tm tm;
	int64_t end;

	if (ASN1_TIME_to_tm(X509_get0_notAfter(x), &tm) != 1)
		return false;
	end = (int64_t)timegm(&tm) * CLOCK_SECOND;
	if (end < ret->first)
		ret->first = end;
	if (end > ret->last)
		ret->last = end;
	return true;
}
