/* SPDX-License-Identifier: ISC */
/* assayctl factor enable: enable the second factor of the session's operator.
 */
#include "config.h"

#include <langinfo.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include <json-c/json.h>

#include "core/base/str.h"
#include "core/base/writer.h"
#include "ctl/cmd/login.h"
#include "ctl/ctl.h"
#include "ctl/http_client.h"
#include "ctl/prompt_secret.h"
#include "ctl/request/request_spec.h"
#include "ctl/term_text.h"
#include "lib/sys/crypt.h"

#define CODE_SIZE 34 /* with a line end and a NUL */
#define SIDE_MAX 177 /* modules of the largest QR code */
#define QUIET 2 /* light modules around the code */

/* A QR code with its quiet zone. */
struct picture {
	int side; /* without the quiet zone */
	bool dark[SIDE_MAX + 2 * QUIET + 1][SIDE_MAX + 2 * QUIET];
};

static int enable_factor(struct http_client *sv, struct json_object *json);
static int show_offer(const struct http_client *sv, struct json_object *json);
static bool can_draw(void);
static void draw_qr(struct json_object *qr);
static bool read_qr_path(struct picture *p, const char *path);
static int send_code(struct http_client *sv);
static void print_recovery_codes(struct json_object *json);

int
factor_enable(const struct command *cmd, int argc, char **argv)
{
	opt_parse(cmd, NULL, 0, (struct operands) { 0, 0 }, argc, argv);
	if (getenv("ASSAY_TOKEN") != NULL) {
		ctl_say("a second factor ends the token in ASSAY_TOKEN; unset "
			"it and run 'assayctl login'");
		return EX_USAGE;
	}
	return login_ask(cmd, "POST", "/v1/auth/second-factor", enable_factor);
}

/* Show the key that the service offers, and enable it with a code. */
static int
enable_factor(struct http_client *sv, struct json_object *json)
{
	int status = show_offer(sv, json);

	return status == EX_OK ? send_code(sv) : status;
}

/* Print the key that the service offers, for an authenticator app. */
static int
show_offer(const struct http_client *sv, struct json_object *json)
{
	const char *uri = json_object_get_string(request_spec_at(json, "uri"));

	if (uri == NULL) {
		ctl_say("%s did not offer a key; check that it is an Assay "
			"service",
		    sv->url);
		return EX_PROTOCOL;
	}
	if (can_draw())
		draw_qr(request_spec_at(json, "qr"));
	term_text_put(uri);
	putchar('\n');
	fflush(stdout);
	ctl_say("add this key to an authenticator app, then enter the code "
		"that the app shows");
	return EX_OK;
}

/* Whether standard output is a terminal that shows half blocks. */
static bool
can_draw(void)
{
	setlocale(LC_CTYPE, "");
	return isatty(STDOUT_FILENO) == 1 &&
	    strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/*
 * Draw a QR code with two modules in a character, in black on white whatever
 * the colours of the terminal are.  Draw nothing if it cannot be read.
 */
static void
draw_qr(struct json_object *qr)
{
	static const char *const half[2][2] = { { " ", "\xe2\x96\x84" },
		{ "\xe2\x96\x80", "\xe2\x96\x88" } };
	const char *path = json_object_get_string(request_spec_at(qr, "path"));
	struct picture p = { .side = json_object_get_int(
				 request_spec_at(qr, "size")) };
	int x, y;

	if (path == NULL || p.side < 1 || p.side > SIDE_MAX ||
	    !read_qr_path(&p, path))
		return;
	for (y = 0; y < p.side + 2 * QUIET; y += 2) {
		fputs("\033[30;107m", stdout);
		for (x = 0; x < p.side + 2 * QUIET; x++)
			fputs(half[p.dark[y][x]][p.dark[y + 1][x]], stdout);
		puts("\033[0m");
	}
}

/* Read path data of rectangles that are one module high: "M0 0h7v1H0z". */
static bool
read_qr_path(struct picture *p, const char *path)
{
	int x, y, run, back, n;

	for (; *path != '\0'; path += n) {
		n = 0;
		if (sscanf(path, "M%3d %3dh%3dv1H%3dz%n", &x, &y, &run, &back,
			&n) != 4 ||
		    n == 0 || x < 0 || y < 0 || run < 1 || y >= p->side ||
		    run > p->side - x)
			return false;
		memset(&p->dark[y + QUIET][x + QUIET], true, (size_t)run);
	}
	return true;
}

/* Read the code of the app, and enable the key with it. */
static int
send_code(struct http_client *sv)
{
	struct client_request req = { .what = "factor enable",
		.method = "POST",
		.path = "/v1/auth/second-factor/enable" };
	char code[CODE_SIZE];
	struct json_object *json;
	struct str s;
	int status;

	if (prompt_secret_ask("Code", code, sizeof(code)) == -1) {
		ctl_say("%s: enter the code that the app shows; nothing was "
			"changed",
		    req.what);
		return EX_DATAERR;
	}
	str_init(&s, sv->arena);
	writer_object(&s, NULL);
	writer_text(&s, "code", code);
	writer_end(&s);
	req.body = str_text(&s);
	status = http_client_call(sv, &req, &json);
	crypt_wipe(code, sizeof(code));
	if (status != EX_OK)
		return status;
	/* Nothing may keep the codes back: they are never shown again. */
	print_recovery_codes(json);
	return login_store(sv, json);
}

static void
print_recovery_codes(struct json_object *json)
{
	struct json_object *codes = request_spec_at(json, "recoveryCodes");
	size_t i, n;

	n = json_object_is_type(codes, json_type_array)
	    ? json_object_array_length(codes)
	    : 0;
	ctl_say("from now on a login asks for a code; keep these recovery "
		"codes, each replaces a code once and is not shown again:");
	for (i = 0; i < n; i++) {
		term_text_put(json_object_get_string(
		    json_object_array_get_idx(codes, i)));
		putchar('\n');
	}
	fflush(stdout);
}
