/* SPDX-License-Identifier: ISC */
/* Print verdicts as a table, or as lines of JSON for programs. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <json-c/json.h>

#include "core/base/arena.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "ctl/replay/replay.h"
#include "ctl/term_text.h"

#define LINE_SIZE ((size_t)1 << 20) /* of one line of JSON */

/* The colour of each verdict on a terminal. */
static const char *const colours[VERDICT__MAX] = {
	[VERDICT_ALLOW] = "\033[32m",
	[VERDICT_CHALLENGE] = "\033[33m",
	[VERDICT_REVIEW] = "\033[35m",
	[VERDICT_DENY] = "\033[31m",
};

static void show_table_row(struct show *sh, const struct replay_item *item,
    const struct replay_outcome *oc);
static void table_reasons(struct json_object *reasons);
static void json_line(
    const struct replay_item *item, const struct replay_outcome *oc);
static void table_totals(const struct show *sh, double seconds);
static void json_totals(const struct show *sh, double seconds);
static void put_cell(const char *text, int width, bool right);
static double latency_percentile(const struct show *sh, double part);
static double share_of_requests(uint64_t part, uint64_t whole);
static int by_size(const void *a, const void *b);

void
replay_show_event(struct show *sh, const struct replay_item *item,
    const struct replay_outcome *oc)
{
	const bool flagged = oc->verdict > VERDICT_ALLOW;

	if (sh->as == SHOW_JSON)
		json_line(item, oc);
	else if (sh->as == SHOW_TABLE)
		show_table_row(sh, item, oc);

	sh->events++;
	if (oc->verdict == 0) {
		sh->errors++;
		return;
	}
	sh->verdicts[oc->verdict]++;
	sh->again += oc->again;
	if (oc->score >= 0) {
		sh->scores += oc->score;
		sh->scored++;
	}
	if (item->truth != LABEL_NONE)
		sh->confusion[item->truth == LABEL_FRAUD][flagged]++;
}

void
replay_show_request(struct show *sh, int64_t us)
{
	uint32_t *bigger;
	size_t cap;

	if (sh->n_us == sh->cap_us) {
		cap = sh->cap_us == 0 ? 1024 : 2 * sh->cap_us;
		bigger = realloc(sh->us, cap * sizeof(*bigger));
		if (bigger == NULL)
			return;
		sh->us = bigger;
		sh->cap_us = cap;
	}
	sh->us[sh->n_us++] = us > UINT32_MAX ? UINT32_MAX : (uint32_t)us;
}

void
replay_show_totals(struct show *sh, double seconds)
{
	if (sh->n_us > 0)
		qsort(sh->us, sh->n_us, sizeof(*sh->us), by_size);
	if (sh->as == SHOW_JSON)
		json_totals(sh, seconds);
	else
		table_totals(sh, seconds);
	free(sh->us);
	sh->us = NULL;
}

/* Print one row of the table, and its head before the first one. */
static void
show_table_row(struct show *sh, const struct replay_item *item,
    const struct replay_outcome *oc)
{
	const char *colour =
	    sh->colour && oc->verdict != 0 ? colours[oc->verdict] : "";

	if (!sh->header) {
		printf("%-14s %-17s %-12s %15s  %-9s %5s %7s  %s%s\n", "EVENT",
		    "TYPE", "USER", "AMOUNT", "VERDICT", "SCORE", "MS",
		    sh->truth ? "TRUTH  " : "", "REASONS");
		sh->header = true;
	}
	put_cell(item->id, 14, false);
	putchar(' ');
	put_cell(item->type, 17, false);
	putchar(' ');
	put_cell(item->user, 12, false);
	putchar(' ');
	put_cell(item->amount, 15, true);
	printf("  %s%-9s%s ", colour,
	    oc->verdict == 0 ? "error" : verdict_name(oc->verdict),
	    *colour == '\0' ? "" : "\033[0m");
	if (oc->verdict == 0)
		printf("%5s", "");
	else
		printf("%5.0f", oc->score);
	printf(" %7.1f  ", (double)oc->us / 1000);
	if (sh->truth)
		printf("%-7s", item->truth == LABEL_FRAUD ? "fraud" : "");
	if (oc->verdict != 0) {
		table_reasons(oc->reasons);
	} else {
		term_text_put(oc->code);
		printf(": ");
		term_text_put(oc->message);
	}
	putchar('\n');
}

/* "takeover 33, ring 26". */
static void
table_reasons(struct json_object *reasons)
{
	size_t i, n = reasons == NULL ? 0 : json_object_array_length(reasons);
	struct json_object *one, *tag, *points;

	for (i = 0; i < n; i++) {
		one = json_object_array_get_idx(reasons, i);
		tag = json_object_object_get(one, "tag");
		points = json_object_object_get(one, "points");
		printf("%s", i == 0 ? "" : ", ");
		term_text_put(tag == NULL ? "?" : json_object_get_string(tag));
		printf(" %.0f", json_object_get_double(points));
	}
}

static void
json_line(const struct replay_item *item, const struct replay_outcome *oc)
{
	static _Alignas(16) char block[LINE_SIZE];
	struct arena a;
	struct str s;

	arena_init(&a, block, sizeof(block));
	str_init(&s, &a);
	writer_object(&s, NULL);
	writer_int(&s, "row", (int64_t)item->row);
	writer_text(&s, "eventId", item->id);
	writer_text(&s, "type", item->type);
	writer_text(&s, "userId", item->user);
	if (oc->verdict != 0) {
		writer_text(&s, "verdict", verdict_name(oc->verdict));
		writer_number(&s, "score", oc->score);
		writer_json(&s, "reasons",
		    json_object_to_json_string_ext(
			oc->reasons, JSON_C_TO_STRING_PLAIN));
		if (oc->again)
			writer_bool(&s, "again", true);
	} else {
		writer_object(&s, "error");
		writer_text(&s, "code", oc->code);
		writer_text(&s, "message", oc->message);
		writer_end(&s);
	}
	if (oc->us > 0)
		writer_number(&s, "ms", (double)oc->us / 1000);
	if (item->truth != LABEL_NONE)
		writer_bool(&s, "fraud", item->truth == LABEL_FRAUD);
	if (oc->model != NULL)
		writer_json(&s, NULL, oc->model);
	if (oc->signals != NULL)
		writer_json(&s, "signals", oc->signals);
	writer_end(&s);
	if (str_text(&s) != NULL)
		puts(str_text(&s));
	arena_reset(&a);
}

static void
table_totals(const struct show *sh, double seconds)
{
	const uint64_t(*c)[2] = sh->confusion;
	int v;

	fprintf(sh->to, "%s%" PRIu64 " events in %.1f s, %.0f/s\n",
	    sh->header ? "\n" : "", sh->events, seconds,
	    seconds > 0 ? (double)sh->events / seconds : 0);
	for (v = VERDICT_ALLOW; v < VERDICT__MAX; v++)
		fprintf(sh->to, "  %-10s %8" PRIu64 "  %5.1f %%\n",
		    verdict_name((enum verdict)v), sh->verdicts[v],
		    100 * share_of_requests(sh->verdicts[v], sh->events));
	if (sh->errors > 0)
		fprintf(sh->to, "  %-10s %8" PRIu64 "  %5.1f %%\n", "error",
		    sh->errors,
		    100 * share_of_requests(sh->errors, sh->events));
	if (sh->again > 0)
		fprintf(sh->to,
		    "  %" PRIu64 " of them had been decided before "
		    "(--id-prefix makes new events)\n",
		    sh->again);
	fprintf(sh->to, "score    mean %.1f\n",
	    sh->scored == 0 ? 0 : sh->scores / (double)sh->scored);
	if (sh->n_us > 0)
		fprintf(sh->to,
		    "latency  p50 %.1f ms, p95 %.1f ms, p99 %.1f ms\n",
		    latency_percentile(sh, 0.50), latency_percentile(sh, 0.95),
		    latency_percentile(sh, 0.99));
	if (sh->truth)
		fprintf(sh->to,
		    "fraud    %" PRIu64 " of %" PRIu64
		    " flagged (%.1f %%); of %" PRIu64 " legitimate %" PRIu64
		    " flagged (%.1f %%)\n",
		    c[1][1], c[1][0] + c[1][1],
		    100 * share_of_requests(c[1][1], c[1][0] + c[1][1]),
		    c[0][0] + c[0][1], c[0][1],
		    100 * share_of_requests(c[0][1], c[0][0] + c[0][1]));
}

static void
json_totals(const struct show *sh, double seconds)
{
	const uint64_t(*c)[2] = sh->confusion;
	int v;

	printf("{\"totals\":{\"events\":%" PRIu64 ",\"seconds\":%.3f",
	    sh->events, seconds);
	for (v = VERDICT_ALLOW; v < VERDICT__MAX; v++)
		printf(",\"%s\":%" PRIu64, verdict_name((enum verdict)v),
		    sh->verdicts[v]);
	printf(",\"errors\":%" PRIu64 ",\"again\":%" PRIu64
	       ",\"scoreMean\":%.2f",
	    sh->errors, sh->again,
	    sh->scored == 0 ? 0 : sh->scores / (double)sh->scored);
	if (sh->n_us > 0)
		printf(",\"ms\":{\"p50\":%.1f,\"p95\":%.1f,\"p99\":%.1f}",
		    latency_percentile(sh, 0.50), latency_percentile(sh, 0.95),
		    latency_percentile(sh, 0.99));
	if (sh->truth)
		printf(",\"fraud\":{\"flagged\":%" PRIu64 ",\"missed\":%" PRIu64
		       "},\"legit\":{\"flagged\":%" PRIu64
		       ",\"passed\":%" PRIu64 "}",
		    c[1][1], c[1][0], c[0][1], c[0][0]);
	printf("}}\n");
}

/* Print text in width columns: padded, or cut at its beginning. */
static void
put_cell(const char *text, int width, bool right)
{
	const char *p;
	int len = 0;

	/* Count characters: bytes that are not continuation bytes. */
	for (p = text; *p != '\0'; p++)
		len += (*p & 0xc0) != 0x80;
	if (len > width) {
		for (len++; len > width; text++)
			len -= (text[1] & 0xc0) != 0x80;
		while ((*text & 0xc0) == 0x80)
			text++;
		fputs("\xe2\x80\xa6", stdout);
	}
	if (right)
		printf("%*s", width - len, "");
	term_text_put(text);
	if (!right)
		printf("%*s", width - len, "");
}

/* Return a percentile of the sorted latencies in ms; part is 0 to 1. */
static double
latency_percentile(const struct show *sh, double part)
{
	size_t i;

	if (sh->n_us == 0)
		return 0;
	i = (size_t)(part * (double)(sh->n_us - 1) + 0.5);
	return sh->us[i] / 1000.0;
}

static double
share_of_requests(uint64_t part, uint64_t whole)
{
	return whole == 0 ? 0 : (double)part / (double)whole;
}

static int
by_size(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}
