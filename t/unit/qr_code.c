/* SPDX-License-Identifier: ISC */
/* fcgi/access/qr_code.c: the path draws a QR code. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/str.h"
#include "fcgi/access/qr_code.h"
#include "t/unit/unit.h"

#define SIDE_MAX 177

static _Alignas(16) char block[1 << 18];
static struct arena a;
static char box[SIDE_MAX][SIDE_MAX];

static void
start(void)
{
	arena_init(&a, block, sizeof(block));
	memset(box, 0, sizeof(box));
}

static void
end(void)
{
	arena_reset(&a);
}

/* Draw a path of rectangles one module high; fail if it is another path. */
static void
draw(const char *path, int size)
{
	int x, y, run, back, n;

	for (; *path != '\0'; path += n) {
		n = 0;
		sscanf(path, "M%d %dh%dv1H%dz%n", &x, &y, &run, &back, &n);
		ck_assert_int_gt(n, 0);
		ck_assert(x >= 0 && run > 0 && x + run <= size);
		ck_assert(y >= 0 && y < size && back == x);
		memset(&box[y][x], 1, (size_t)run);
	}
}

/* A corner that scanners look for: dark, light, and 3 times 3 dark modules. */
static void
check_finder(int x, int y)
{
	int i, j, ring;

	for (i = -3; i <= 3; i++)
		for (j = -3; j <= 3; j++) {
			ring = abs(i) > abs(j) ? abs(i) : abs(j);
			ck_assert_int_eq(box[y + i][x + j], ring != 2);
		}
}

START_TEST(path_draws_a_qr_code)
{
	const char *text = "otpauth://totp/Assay:ana%40example.com?secret="
			   "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Assay";
	struct str s;
	int size;

	str_init(&s, &a);
	ck_assert_int_eq(qr_code_path(&s, text, &size), 0);
	ck_assert_int_eq(size % 4, 1);
	ck_assert_int_le(size, SIDE_MAX);
	draw(str_text(&s), size);
	check_finder(3, 3);
	check_finder(size - 4, 3);
	check_finder(3, size - 4);
}
END_TEST

START_TEST(long_text_is_refused)
{
	char text[3000];
	struct str s;
	int size;

	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	str_init(&s, &a);
	ck_assert_int_eq(qr_code_path(&s, text, &size), -1);
}
END_TEST

Suite *
suite_qr_code(void)
{
	Suite *s = suite_create("qr_code");
	TCase *tc = tcase_create("qr_code");

	tcase_add_checked_fixture(tc, start, end);
	tcase_add_test(tc, path_draws_a_qr_code);
	tcase_add_test(tc, long_text_is_refused);
	suite_add_tcase(s, tc);
	return s;
}
