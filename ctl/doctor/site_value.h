/* SPDX-License-Identifier: ISC */
/* Read directives of a site of nginx. */
#ifndef CTL_DOCTOR_SITE_VALUE_H
#define CTL_DOCTOR_SITE_VALUE_H

/*
 * Return the next value of a directive in the text at *at, or NULL at the end.
 * The directive must begin a line.  Change the text, and move *at behind the
 * value.
 */
char *site_value(char **at, const char *name);

#endif
