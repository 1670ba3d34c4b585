/* SPDX-License-Identifier: ISC */
/* Check the text of URLs that operators give for deliveries. */
#ifndef LIB_CONF_URL_CHECK_H
#define LIB_CONF_URL_CHECK_H

struct fail;

#define URL_CHECK_URL_MAX 2048 /* bytes */

enum url_check_flag {
	URL_CHECK_HTTP = 1 << 0, /* allow http://, too */
	URL_CHECK_PRIVATE = 1 << 1, /* allow private hosts, too */
};

/*
 * Check a URL: it is absolute and of visible ASCII, has a host name or an
 * address, but no user and no fragment.  Without URL_CHECK_PRIVATE, hosts that
 * are certainly not public are refused: localhost, and addresses of a private
 * or special block in any notation.  Names are not resolved here; see
 * HTTP_OUTSIDE.  flags are of enum url_check_flag.  Returns 0, or -1 with f set
 * to INVALID_REQUEST for the field "url"; f does not show the URL.
 */
int url_check(const char *url, unsigned flags, struct fail *f)
    __attribute__((warn_unused_result));

/* The same, but return NULL or a reason that completes a sentence. */
const char *url_check_error(const char *url, unsigned flags);

#endif
