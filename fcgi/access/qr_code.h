/* SPDX-License-Identifier: ISC */
/* QR codes as SVG path data. */
#ifndef FCGI_ACCESS_QR_CODE_H
#define FCGI_ACCESS_QR_CODE_H

struct str;

/*
 * Append the QR code of a text as the path data of its dark modules, each run
 * of a row as a rectangle: "M0 0h7v1H0z".  The box has *ret_size modules a
 * side, without the quiet zone.  Return 0, or -1 if the text is too long or
 * there is no memory.
 */
int qr_code_path(struct str *s, const char *text, int *ret_size)
    __attribute__((warn_unused_result));

#endif
