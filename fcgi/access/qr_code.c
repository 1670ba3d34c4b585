/* SPDX-License-Identifier: ISC */
/* QR codes as SVG path data. */
#include "config.h"

#include <qrencode.h>

#include "core/base/str.h"
#include "fcgi/access/qr_code.h"

#define DARK 1 /* the bit of a module that says that it is dark */

static void add_qr_row(
    struct str *s, const unsigned char *row, int y, int size);

int
qr_code_path(struct str *s, const char *text, int *ret_size)
{
	QRcode *qr = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M);
	int y;

	if (qr == NULL)
		return -1;
	for (y = 0; y < qr->width; y++)
		add_qr_row(s, qr->data + y * qr->width, y, qr->width);
	*ret_size = qr->width;
	QRcode_free(qr);
	return 0;
}

/* Append a rectangle for each run of dark modules in a row. */
static void
add_qr_row(struct str *s, const unsigned char *row, int y, int size)
{
	int x, end;

	for (x = 0; x < size; x = end + 1) {
		for (end = x; end < size && (row[end] & DARK) != 0; end++)
			;
		if (end > x)
			str_addf(s, "M%d %dh%dv1H%dz", x, y, end - x, x);
	}
}
