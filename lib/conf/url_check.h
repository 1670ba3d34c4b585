/* SPDX-License-Identifier: ISC */
/* URLs that operators want events sent to: what their text says of them. */
#ifndef LIB_CONF_URL_CHECK_H
#define LIB_CONF_URL_CHECK_H

struct fail;

#define URL_CHECK_URL_MAX 2048 /* bytes */

enum url_check_flag {
	URL_CHECK_HTTP = 1 << 0, /* http:// too, not only https:// */
	URL_CHECK_PRIVATE = 1 << 1, /* hosts that are not public too */
};

/*
 * Check a URL: an absolute one of visible ASCII, a host name or an address,
 * no user in it, no fragment.  Without URL_CHECK_PRIVATE a host is refused that
 * is certain to be none of the public Internet: localhost, and an address of
 * a private or special block, however it is spelt.  What a name resolves to
 * only shows when it is connected to.  flags are of enum url_check_flag.
 * Returns 0, or -1 with f set to INVALID_REQUEST for the field "url", and
 * nothing of the URL in it.
 */
int url_check(const char *url, unsigned flags, struct fail *f)
    __attribute__((warn_unused_result));

/* The same as the tail of a sentence about the URL, or NULL: it is fine. */
const char *url_check_error(const char *url, unsigned flags);

#endif
