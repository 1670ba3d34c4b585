/* SPDX-License-Identifier: ISC */
/* Unified diffs, by the longest common subsequence of lines. */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/str.h"
#include "ctl/request/text_diff.h"
#include "ctl/term_text.h"

#define CONTEXT 3 /* lines around a change */

/* A line of both texts (' '), of the first ('-') or of the second ('+'). */
struct edit {
	char sign;
	const char *line;
	size_t i, j; /* lines of each text before it */
};

/* The edits so far, and how many lines of each text they cover. */
struct edits {
	struct edit *at;
	size_t n, i, j;
};

static size_t split_lines(struct arena *a, const char *text, const char ***ret);
static int compare_texts(
    struct arena *a, const char *before, const char *after, struct edits *ret);
static void compare_lines(struct arena *a, const char **b, size_t nb,
    const char **c, size_t nc, struct edits *ret);
static void add_edit(struct edits *edits, char sign, const char *line);

int
text_diff(struct str *s, const char *before, const char *after, struct arena *a)
{
	struct edits edits = { 0 };
	const struct edit *e;
	size_t k, last, from, to = 0;

	if (compare_texts(a, before, after, &edits) == -1)
		return -1;
	e = edits.at;
	for (k = 0; k < edits.n; k++) {
		if (e[k].sign == ' ')
			continue;
		/* A hunk: the changes whose contexts touch. */
		from = k - to < CONTEXT ? to : k - CONTEXT;
		for (last = k; k < edits.n && k <= last + 1 + 2 * CONTEXT; k++)
			if (e[k].sign != ' ')
				last = k;
		to = edits.n - last <= CONTEXT ? edits.n : last + 1 + CONTEXT;
		str_addf(s, "@@ -%zu,%zu +%zu,%zu @@\n",
		    e[from].i + (e[to].i > e[from].i), e[to].i - e[from].i,
		    e[from].j + (e[to].j > e[from].j), e[to].j - e[from].j);
		for (k = from; k < to; k++)
			str_addf(s, "%c%s\n", e[k].sign, e[k].line);
		k = to - 1;
	}
	return str_text(s) == NULL ? -1 : 0;
}

int
text_diff_print(
    const char *title, const char *before, const char *after, struct arena *a)
{
	char *rest = NULL;
	struct str s;

	str_init(&s, a);
	if (text_diff(&s, before, after, a) == 0)
		rest = arena_strdup(a, str_text(&s));
	if (rest == NULL)
		return -1;
	if (*rest != '\0' && title != NULL)
		printf("\n%s\n", title);
	while (*rest != '\0') {
		term_text_put(strsep(&rest, "\n"));
		putchar('\n');
	}
	return 0;
}

/* Store the edits that make one text of the other, and their end. */
static int
compare_texts(
    struct arena *a, const char *before, const char *after, struct edits *ret)
{
	const char **b, **c;
	const size_t nb = split_lines(a, before, &b),
		     nc = split_lines(a, after, &c);
	const size_t least = nb < nc ? nb : nc;
	size_t head = 0, tail = 0, i;

	ret->at = arena_array(a, nb + nc + 1, sizeof(*ret->at));
	if (b == NULL || c == NULL || ret->at == NULL)
		return -1;
	/* Most changes are small: compare only what is between equal ends. */
	while (head < least && strcmp(b[head], c[head]) == 0)
		add_edit(ret, ' ', b[head++]);
	while (tail < least - head &&
	    strcmp(b[nb - 1 - tail], c[nc - 1 - tail]) == 0)
		tail++;
	compare_lines(
	    a, b + head, nb - head - tail, c + head, nc - head - tail, ret);
	for (i = nb - tail; i < nb; i++)
		add_edit(ret, ' ', b[i]);
	ret->at[ret->n] = (struct edit) { .i = nb, .j = nc };
	return 0;
}

/* Append the edits that make the lines c of the lines b. */
static void
compare_lines(struct arena *a, const char **b, size_t nb, const char **c,
    size_t nc, struct edits *ret)
{
	const struct arena_mark mark = arena_mark(a);
	/* How many lines b from i on and c from j on share, by row and j. */
	const size_t row = nc + 1;
	uint32_t *shared = arena_array(a, (nb + 1) * row, sizeof(*shared)), *at;
	size_t i, j;

	for (i = nb; shared != NULL && i-- > 0;)
		for (j = nc; j-- > 0;) {
			at = &shared[i * row + j];
			if (strcmp(b[i], c[j]) == 0)
				*at = at[row + 1] + 1;
			else
				*at = at[row] > at[1] ? at[row] : at[1];
		}
	for (i = j = 0; i < nb || j < nc;) {
		at = shared == NULL ? NULL : &shared[i * row + j];
		if (at != NULL && i < nb && j < nc && strcmp(b[i], c[j]) == 0) {
			add_edit(ret, ' ', b[i++]);
			j++;
		} else if (i < nb &&
		    (j == nc || at == NULL || at[row] >= at[1]))
			add_edit(ret, '-', b[i++]);
		else
			add_edit(ret, '+', c[j++]);
	}
	arena_rewind(a, mark);
}

static void
add_edit(struct edits *edits, char sign, const char *line)
{
	edits->at[edits->n++] =
	    (struct edit) { sign, line, edits->i, edits->j };
	edits->i += sign != '+';
	edits->j += sign != '-';
}

/* Store the lines of a text; return their number, 0 for NULL. */
static size_t
split_lines(struct arena *a, const char *text, const char ***ret)
{
	char *rest = arena_strdup(a, text);
	size_t n = 1;

	for (; text != NULL && *text != '\0'; text++)
		n += *text == '\n';
	*ret = arena_array(a, n, sizeof(**ret));
	for (n = 0; *ret != NULL && rest != NULL && *rest != '\0'; n++)
		(*ret)[n] = strsep(&rest, "\n");
	return n;
}
