/* SPDX-License-Identifier: ISC */
/* Print answers as tables, fields and sentences. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "core/base/arena.h"
#include "core/base/str.h"
#include "ctl/ctl.h"
#include "ctl/request/request_spec.h"
#include "ctl/request/text_diff.h"
#include "ctl/term_text.h"
#include "lib/sys/clock.h"

#define COLUMNS_MAX 32
#define COLUMN_MIN 8 /* least width of a text that is cut */
#define NOTHING "-" /* an empty cell, so that each line has all columns */
#define DROPPED_HEAD "columns left out to fit the terminal:"
#define ELLIPSIS "\xe2\x80\xa6"

/* How a value is printed. */
enum answer_form {
	FORM_TEXT = 1,
	FORM_ID, /* text that is never cut */
	FORM_STATE, /* text in the colour of its word */
	FORM_NUMBER, /* aligned to the right */
	FORM_RATE, /* 0 to 1, as a percentage */
	FORM_BYTES, /* in KiB, MiB ... */
	FORM_TIME, /* UTC, to the second */
	FORM_END, /* a time; "never" for null, "ended" if it has passed */
	FORM_YES, /* a boolean */
	FORM_LIST, /* an array of texts */
	FORM_COUNT, /* the number of elements of an array */
	FORM_REASONS, /* reasons: tags with their points */
	FORM_BECAUSE, /* the comparisons of a rule, with their values */
	FORM_USES, /* rulesets that use a velocity, under its names there */
	FORM_CHANGE, /* the counterfactual change of a signal */
	FORM_AMOUNT, /* an object with amount and currency */
	FORM_JSON,
	FORM__MAX
};

/* One row of a table before it is formatted. */
struct view_row {
	const char *key; /* the name of the member of an object */
	size_t index; /* the position in the array or object */
	struct json_object *json;
};

/* A column of a table, or one field. */
struct view_column {
	const char *head;
	const char *path; /* from the row */
	enum answer_form form;
	bool spare; /* leave it out if the terminal is too narrow */
};

/* A table before it is printed. */
struct view_table {
	struct view_column column[COLUMNS_MAX];
	size_t n; /* columns */
	size_t rows;
	const char **cell; /* clean texts, row by row */
	size_t width[COLUMNS_MAX];
	bool dropped[COLUMNS_MAX]; /* left out to fit the terminal */
	struct arena *arena;
	bool colour;
};

static void shape_show(struct json_object *json, struct arena *a, size_t *rows);
static void shape_tables(
    struct json_object *json, const char *path, struct arena *a, size_t *rows);
static void fields_show(
    const char *columns, struct json_object *json, struct arena *a);
static void rows_show(const struct request_part *p, struct json_object *json,
    struct arena *a, size_t *rows);
static void columns_read(
    struct view_table *tb, const char *columns, bool is_table);
static struct view_column column_parse(
    struct arena *a, char *text, bool is_table);
static enum answer_form form_named(const char *word);
static const char *column_head(
    struct arena *a, const char *path, bool is_table);
static void columns_by_shape(struct view_table *tb, struct json_object *json,
    const char *prefix, bool is_table);
static void add_column(
    struct view_table *tb, const char *head, const char *path);
static bool is_table_of(struct json_object *json);
static void columns_form(
    struct view_table *tb, const struct view_row *row, size_t n);
static enum answer_form form_of(const char *path, struct json_object *json);
static bool ends_in(const char *name, const char *word);
static const char *last_name(const char *path);
static const char *join_path(
    struct arena *a, const char *prefix, const char *name);
static struct json_object *value_at(
    const char *path, const struct view_row *row);
static bool has_table(
    const struct request_part *p, struct json_object *json, struct arena *a);
static size_t collect_rows(struct arena *a, const struct request_part *p,
    struct json_object *json, struct view_row *row, size_t max);
static size_t members_of(struct arena *a, const char *words,
    struct json_object *json, struct view_row *row, size_t max);
static void table_show(struct view_table *tb);
static bool table_fit(struct view_table *tb);
static void table_cut(struct view_table *tb, size_t room);
static bool is_cuttable(const struct view_table *tb, size_t column);
static size_t line_width(const struct view_table *tb, const size_t *width);
static void report_dropped(const struct view_table *tb);
static void block_show(struct view_table *tb, size_t row);
static void print_table_line(
    const struct view_table *tb, const char *const *text, bool head);
static void cell_show(const struct view_table *tb, size_t column,
    const char *text, bool head, bool last);
static const char *cell_text(struct arena *a, const struct view_column *column,
    const struct view_row *row);
static void print_title(const char *text, bool colour);
static void diff_show(
    const struct request_part *p, struct json_object *json, struct arena *a);
static void lines_show(const struct request_part *p, struct json_object *array,
    char *const *operands, struct arena *a);
static void notes_say(struct json_object *array);

static const char *json_value_text(struct json_object *json);
static size_t array_length(struct json_object *json);
static void form_text(struct str *s, struct json_object *json);
static void form_rate(struct str *s, struct json_object *json);
static void form_bytes(struct str *s, struct json_object *json);
static void form_time(struct str *s, struct json_object *json);
static void form_end(struct str *s, struct json_object *json);
static void form_yes(struct str *s, struct json_object *json);
static void form_list(struct str *s, struct json_object *json);
static void form_count(struct str *s, struct json_object *json);
static void form_reasons(struct str *s, struct json_object *json);
static void form_because(struct str *s, struct json_object *json);
static void form_uses(struct str *s, struct json_object *json);
static void form_change(struct str *s, struct json_object *json);
static void form_known(struct str *s, struct json_object *json);
static void form_amount(struct str *s, struct json_object *json);
static void form_json(struct str *s, struct json_object *json);

/* How each form is printed, and its word in commands.tbl. */
static const struct {
	const char *word;
	void (*put)(struct str *, struct json_object *);
	bool right;
	bool cuttable; /* may be cut to fit the terminal */
} forms[FORM__MAX] = {
	[FORM_TEXT] = { "text", form_text, false, true },
	[FORM_ID] = { "id", form_text, false, false },
	[FORM_STATE] = { "state", form_text, false, false },
	[FORM_NUMBER] = { "number", form_text, true, false },
	[FORM_RATE] = { "rate", form_rate, true, false },
	[FORM_BYTES] = { "bytes", form_bytes, true, false },
	[FORM_TIME] = { "time", form_time, false, false },
	[FORM_END] = { "end", form_end, false, false },
	[FORM_YES] = { "yes", form_yes, false, false },
	[FORM_LIST] = { "list", form_list, false, true },
	[FORM_COUNT] = { "count", form_count, true, false },
	[FORM_REASONS] = { "reasons", form_reasons, false, true },
	[FORM_BECAUSE] = { "because", form_because, false, true },
	[FORM_USES] = { "uses", form_uses, false, true },
	[FORM_CHANGE] = { "change", form_change, false, true },
	[FORM_AMOUNT] = { "amount", form_amount, true, false },
	[FORM_JSON] = { "json", form_json, false, true },
};

/* Forms by name.  A word with a capital is the end of a name. */
static const struct {
	const char *word;
	enum answer_form form;
	bool text; /* the form of texts with the name, else of numbers */
} form_names[] = {
	{ "Bytes", FORM_BYTES, false },
	{ "Rate", FORM_RATE, false },
	{ "agreement", FORM_RATE, false },
	{ "bytes", FORM_BYTES, false },
	{ "precision", FORM_RATE, false },
	{ "rate", FORM_RATE, false },
	{ "recall", FORM_RATE, false },
	{ "share", FORM_RATE, false },
	{ "At", FORM_TIME, true },
	{ "Id", FORM_ID, true },
	{ "Until", FORM_TIME, true },
	{ "at", FORM_TIME, true },
	{ "database", FORM_STATE, true },
	{ "email", FORM_ID, true },
	{ "eventType", FORM_ID, true },
	{ "id", FORM_ID, true },
	{ "outcome", FORM_STATE, true },
	{ "state", FORM_STATE, true },
	{ "status", FORM_STATE, true },
	{ "verdict", FORM_STATE, true },
	{ "version", FORM_ID, true },
};

size_t
request_spec_show(const struct request_part *call, struct json_object *json,
    char *const *operands, struct arena *a)
{
	const struct request_part *p = request_spec_next(call);
	const char *between = "";
	size_t rows = 0;
	bool described = false;

	for (; p != NULL; p = request_spec_next(p)) {
		described = described || p->kind >= PART_FIELDS;
		switch (p->kind) {
		case PART_FIELDS:
			fputs(between, stdout);
			fields_show(p->arg, json, a);
			between = "\n";
			break;
		case PART_ROWS:
		case PART_MEMBERS:
			if (!has_table(p, json, a))
				break;
			fputs(between, stdout);
			rows_show(p, json, a, &rows);
			between = "\n";
			break;
		case PART_DIFF:
			diff_show(p, json, a);
			break;
		case PART_LINES:
			lines_show(
			    p, request_spec_at(json, p->path), operands, a);
			break;
		case PART_SAY:
			puts(request_spec_sentence(a, p->name, json, operands));
			break;
		case PART_NOTE:
			ctl_say("%s",
			    request_spec_sentence(a, p->name, json, operands));
			break;
		case PART_NOTES:
			notes_say(request_spec_at(json, p->path));
			break;
		default:
			break;
		}
	}
	if (!described)
		shape_show(json, a, &rows);
	return rows;
}

const char *
request_spec_sentence(struct arena *a, const char *text,
    struct json_object *json, char *const *operands)
{
	char name[64];
	struct str s;
	size_t len;

	str_init(&s, a);
	for (; *text != '\0'; text++) {
		if (*text != '{') {
			str_addc(&s, *text);
			continue;
		}
		len = strcspn(++text, "}");
		snprintf(name, sizeof(name), "%.*s", (int)len, text);
		text += len;
		if (*name >= '0' && *name <= '9')
			term_text_clean(&s, operands[*name - '0']);
		else
			term_text_clean(&s,
			    json_object_get_string(
				request_spec_at(json, name)));
	}
	return str_text(&s) == NULL ? "?" : str_text(&s);
}

/* Print an answer that the table does not describe: fields, then tables. */
static void
shape_show(struct json_object *json, struct arena *a, size_t *rows)
{
	const struct request_part all = { .path = "" };

	if (!json_object_is_type(json, json_type_object)) {
		rows_show(&all, json, a, rows);
		return;
	}
	fields_show(NULL, json, a);
	shape_tables(json, "", a, rows);
}

/* Print each array of objects in json, which is at path of the answer. */
static void
shape_tables(
    struct json_object *json, const char *path, struct arena *a, size_t *rows)
{
	struct request_part p = { .path = "" };

	json_object_object_foreach(json, key, member)
	{
		const char *at = join_path(a, path, key);

		if (json_object_is_type(member, json_type_object))
			shape_tables(member, at, a, rows);
		if (!is_table_of(member))
			continue;
		putchar('\n');
		p.name = column_head(a, at, false);
		rows_show(&p, member, a, rows);
	}
}

/* Print columns of json, NULL for all, as lines of name and value. */
static void
fields_show(const char *columns, struct json_object *json, struct arena *a)
{
	const struct view_row row = { NULL, 0, json };
	const char *texts[COLUMNS_MAX];
	struct view_table tb = { .arena = a, .rows = 1, .cell = texts };
	size_t i;

	tb.colour = ctl_colour(STDOUT_FILENO);
	if (columns == NULL)
		columns_by_shape(&tb, json, "", false);
	else
		columns_read(&tb, columns, false);
	columns_form(&tb, &row, 1);
	for (i = 0; i < tb.n; i++)
		texts[i] = cell_text(a, &tb.column[i], &row);
	block_show(&tb, 0);
}

/* Print one row as lines of name and value, uncut. */
static void
block_show(struct view_table *tb, size_t row)
{
	const char *const *text = tb->cell + row * tb->n;
	size_t i, width = 0;

	for (i = 0; i < tb->n; i++)
		if (width < strlen(tb->column[i].head))
			width = strlen(tb->column[i].head);
	for (i = 0; i < tb->n; i++) {
		printf("%-*s  ", (int)width, tb->column[i].head);
		tb->width[i] = term_text_width(text[i]);
		cell_show(tb, i, text[i], false, true);
		putchar('\n');
	}
}

/*
 * Print the table of p, unless it has a title and no rows; add its rows to
 * *rows.
 */
static void
rows_show(const struct request_part *p, struct json_object *json,
    struct arena *a, size_t *rows)
{
	struct view_table tb = { .arena = a };
	struct view_row *row;
	size_t i, j, n;

	n = collect_rows(a, p, json, NULL, 0);
	row = arena_array(a, n + 1, sizeof(*row));
	if (row != NULL)
		tb.rows = collect_rows(a, p, json, row, n);
	if (p->arg != NULL) {
		columns_read(&tb, p->arg, true);
	} else if (tb.rows > 0) {
		if (*row[0].key != '\0')
			add_column(&tb, "", "@key");
		columns_by_shape(&tb, row[0].json, "", true);
	}
	tb.cell = arena_array(a, (n + 1) * (tb.n + 1), sizeof(*tb.cell));
	if (row == NULL || tb.cell == NULL) {
		ctl_say("the answer is too large for a table; use --json");
		return;
	}
	columns_form(&tb, row, tb.rows);
	for (i = 0; i < tb.rows; i++)
		for (j = 0; j < tb.n; j++)
			tb.cell[i * tb.n + j] =
			    cell_text(a, &tb.column[j], &row[i]);
	tb.colour = ctl_colour(STDOUT_FILENO);
	if (tb.rows > 0 || p->name == NULL) {
		print_title(p->name, tb.colour);
		table_show(&tb);
	}
	*rows += tb.rows;
}

/* Read the columns of a row of commands.tbl. */
static void
columns_read(struct view_table *tb, const char *columns, bool is_table)
{
	char *rest = arena_strdup(tb->arena, columns), *text;

	for (; tb->n < COLUMNS_MAX && (text = strsep(&rest, ",")) != NULL;
	     tb->n++)
		tb->column[tb->n] = column_parse(
		    tb->arena, text + (tb->n > 0 && *text == ' '), is_table);
}

/* Read one column: [HEAD=]path[:form][?]. */
static struct view_column
column_parse(struct arena *a, char *text, bool is_table)
{
	const size_t n = strlen(text);
	char *path = strchr(text, '='), *word;
	struct view_column c = { .spare = n > 0 && text[n - 1] == '?' };

	if (c.spare)
		text[n - 1] = '\0';
	if (path != NULL) {
		*path++ = '\0';
		c.head = text;
	} else {
		path = text;
	}
	if ((word = strchr(path, ':')) != NULL) {
		*word++ = '\0';
		c.form = form_named(word);
	}
	c.path = path;
	if (c.head == NULL)
		c.head = column_head(a, last_name(path), is_table);
	return c;
}

static enum answer_form
form_named(const char *word)
{
	enum answer_form form;

	for (form = FORM_TEXT; form < FORM__MAX; form++)
		if (strcmp(forms[form].word, word) == 0)
			return form;
	return FORM_TEXT;
}

/*
 * Return the head of a path: its names as words, without the last "Id"; "At" at
 * the end becomes "(UTC)".
 */
static const char *
column_head(struct arena *a, const char *path, bool is_table)
{
	size_t n = strlen(path);
	const char *end = n > 2 ? path + n - 2 : "";
	const bool at = strcmp(end, "At") == 0;
	struct str s;
	size_t i;

	str_init(&s, a);
	if (at || strcmp(end, "Id") == 0)
		n -= 2;
	for (i = 0; i < n; i++) {
		const char c = path[i];
		const bool upper = c >= 'A' && c <= 'Z';
		const bool lower = c >= 'a' && c <= 'z';

		if (upper || c == '.')
			str_addc(&s, ' ');
		if (c != '.')
			str_addc(&s,
			    (is_table ? lower : upper) ? (char)(c ^ ('a' ^ 'A'))
						       : c);
	}
	str_add(&s, at ? " (UTC)" : "");
	return str_text(&s) == NULL ? "?" : str_text(&s);
}

/*
 * Make a column of each member of json, of those of objects in it too.  Arrays
 * of objects are tables of their own among fields, and counted in a table.
 */
static void
columns_by_shape(struct view_table *tb, struct json_object *json,
    const char *prefix, bool is_table)
{
	if (!json_object_is_type(json, json_type_object)) {
		add_column(tb, "VALUE", "@");
		return;
	}
	json_object_object_foreach(json, key, member)
	{
		const char *path = join_path(tb->arena, prefix, key);

		if (json_object_is_type(member, json_type_object))
			columns_by_shape(tb, member, path, is_table);
		else if (is_table || !is_table_of(member))
			add_column(
			    tb, column_head(tb->arena, path, is_table), path);
	}
}

/* Add a column; a narrow terminal may leave out all but the first. */
static void
add_column(struct view_table *tb, const char *head, const char *path)
{
	if (tb->n == COLUMNS_MAX)
		return;
	tb->column[tb->n] = (struct view_column) {
		.head = head,
		.path = path,
		.spare = tb->n > 0,
	};
	tb->n++;
}

/* Whether json is an array of objects. */
static bool
is_table_of(struct json_object *json)
{
	return array_length(json) > 0 &&
	    json_object_is_type(
		json_object_array_get_idx(json, 0), json_type_object);
}

/* Give each column without a form that of its first value in row[0..n-1]. */
static void
columns_form(struct view_table *tb, const struct view_row *row, size_t n)
{
	struct view_column *c;
	size_t i;

	for (c = tb->column; c < tb->column + tb->n; c++) {
		for (i = 0; i < n && c->form == 0; i++)
			c->form = form_of(c->path, value_at(c->path, &row[i]));
		if (c->form == 0)
			c->form = FORM_ID;
	}
}

/* Return the form of a value by its type, then by its name; 0 for null. */
static enum answer_form
form_of(const char *path, struct json_object *json)
{
	const bool text = json_object_is_type(json, json_type_string);
	const char *name = last_name(path), *word;
	size_t i;

	switch (json_object_get_type(json)) {
	case json_type_null:
		return 0;
	case json_type_boolean:
		return FORM_YES;
	case json_type_object:
		return FORM_JSON;
	case json_type_array:
		return is_table_of(json) ? FORM_COUNT : FORM_LIST;
	default:
		break;
	}
	for (i = 0; i < nitems(form_names); i++) {
		word = form_names[i].word;
		if (form_names[i].text == text &&
		    (strcmp(name, word) == 0 || ends_in(name, word)))
			return form_names[i].form;
	}
	return text ? FORM_TEXT : FORM_NUMBER;
}

/* Whether name ends in word, which begins with a capital. */
static bool
ends_in(const char *name, const char *word)
{
	const size_t n = strlen(name), len = strlen(word);

	return *word < 'a' && n > len && strcmp(name + n - len, word) == 0;
}

static const char *
last_name(const char *path)
{
	const char *last = strrchr(path, '.');

	return last == NULL ? path : last + 1;
}

static const char *
join_path(struct arena *a, const char *prefix, const char *name)
{
	struct str s;

	str_init(&s, a);
	str_addf(&s, "%s%s%s", prefix, *prefix == '\0' ? "" : ".", name);
	return str_text(&s) == NULL ? "?" : str_text(&s);
}

/* Return the value of a column in a row; NULL for its key or index. */
static struct json_object *
value_at(const char *path, const struct view_row *row)
{
	return strcmp(path, "@") == 0 ? row->json
				      : request_spec_at(row->json, path);
}

/* Whether p prints a table: one without a title has at least its head. */
static bool
has_table(
    const struct request_part *p, struct json_object *json, struct arena *a)
{
	if (p->name == NULL)
		return p->kind == PART_MEMBERS ||
		    request_spec_at(json, p->path) != NULL;
	return collect_rows(a, p, json, NULL, 0) > 0;
}

/* Store the rows of p in row[0..max-1]; return the number of all rows. */
static size_t
collect_rows(struct arena *a, const struct request_part *p,
    struct json_object *json, struct view_row *row, size_t max)
{
	struct json_object *from = request_spec_at(json, p->path);
	size_t n = 0;

	if (p->kind == PART_MEMBERS)
		return members_of(a, p->path, json, row, max);
	if (json_object_is_type(from, json_type_array)) {
		for (; n < json_object_array_length(from); n++)
			if (n < max)
				row[n] = (struct view_row) { "", n,
					json_object_array_get_idx(from, n) };
	} else if (json_object_is_type(from, json_type_object)) {
		json_object_object_foreach(from, key, member)
		{
			if (n < max)
				row[n] = (struct view_row) { key, n, member };
			n++;
		}
	}
	return n;
}

/* The same for the members of json at the paths in words that it has. */
static size_t
members_of(struct arena *a, const char *words, struct json_object *json,
    struct view_row *row, size_t max)
{
	char *rest = arena_strdup(a, words), *word, *last;
	struct json_object *member;
	size_t n = 0;

	while ((word = strsep(&rest, " ")) != NULL) {
		if ((member = request_spec_at(json, word)) == NULL)
			continue;
		last = strrchr(word, '.');
		if (n < max)
			row[n] =
			    (struct view_row) { last == NULL ? word : last + 1,
				    n, member };
		n++;
	}
	return n;
}

static void
table_show(struct view_table *tb)
{
	const char *head[COLUMNS_MAX];
	size_t i, j, width;

	for (j = 0; j < tb->n; j++) {
		head[j] = tb->column[j].head;
		tb->width[j] = strlen(head[j]);
		for (i = 0; i < tb->rows; i++) {
			width = term_text_width(tb->cell[i * tb->n + j]);
			if (width > tb->width[j])
				tb->width[j] = width;
		}
	}
	if (!table_fit(tb)) {
		for (i = 0; i < tb->rows; i++) {
			if (i > 0)
				putchar('\n');
			block_show(tb, i);
		}
		return;
	}
	report_dropped(tb);
	print_table_line(tb, head, true);
	for (i = 0; i < tb->rows; i++)
		print_table_line(tb, tb->cell + i * tb->n, false);
}

/*
 * Make the columns fit the terminal.  Cut texts, but never ids.  If that is not
 * enough, leave out spare columns from the right; then restore, from the left,
 * those that fit after all.  Return false if the table still does not fit.
 */
static bool
table_fit(struct view_table *tb)
{
	const size_t room = term_text_terminal();
	size_t least[COLUMNS_MAX], j;

	if (room == 0)
		return true;
	for (j = 0; j < tb->n; j++)
		least[j] = is_cuttable(tb, j) ? COLUMN_MIN : tb->width[j];
	for (j = tb->n; j-- > 0 && line_width(tb, least) > room;)
		tb->dropped[j] = tb->column[j].spare;
	if (line_width(tb, least) > room)
		return false;
	for (j = 0; j < tb->n; j++) {
		if (!tb->dropped[j])
			continue;
		tb->dropped[j] = false;
		tb->dropped[j] = line_width(tb, least) > room;
	}
	table_cut(tb, room);
	return true;
}

/* Narrow the widest column that may be cut, until the line fits in room. */
static void
table_cut(struct view_table *tb, size_t room)
{
	size_t j, widest;

	while (line_width(tb, tb->width) > room) {
		widest = tb->n;
		for (j = 0; j < tb->n; j++)
			if (is_cuttable(tb, j) &&
			    (widest == tb->n ||
				tb->width[j] > tb->width[widest]))
				widest = j;
		if (widest == tb->n)
			return;
		tb->width[widest]--;
	}
}

/* Whether a column is shown and can be cut further. */
static bool
is_cuttable(const struct view_table *tb, size_t column)
{
	return forms[tb->column[column].form].cuttable &&
	    !tb->dropped[column] && tb->width[column] > COLUMN_MIN;
}

/* Return the width of a line with columns of these widths. */
static size_t
line_width(const struct view_table *tb, const size_t *width)
{
	size_t j, total = 0;

	for (j = 0; j < tb->n; j++)
		if (!tb->dropped[j])
			total += width[j] + (total > 0 ? 2 : 0);
	return total;
}

/* Name the columns that are left out, in lines that fit the terminal. */
static void
report_dropped(const struct view_table *tb)
{
	const size_t room = term_text_terminal();
	size_t at = strlen("assayctl: " DROPPED_HEAD), j, size;
	struct str s;

	str_init(&s, tb->arena);
	for (j = 0; j < tb->n; j++) {
		if (!tb->dropped[j])
			continue;
		size = strlen(", ") + strlen(tb->column[j].head);
		str_add(&s, s.len == 0 ? "" : ",");
		if (at + size > room) {
			str_add(&s, "\n ");
			at = 1;
		}
		str_addf(&s, " %s", tb->column[j].head);
		at += size;
	}
	if (s.len > 0 && str_text(&s) != NULL)
		ctl_say(DROPPED_HEAD "%s", str_text(&s));
}

static void
print_table_line(
    const struct view_table *tb, const char *const *text, bool head)
{
	const char *between = "";
	size_t j;

	for (j = 0; j < tb->n; j++) {
		if (tb->dropped[j])
			continue;
		fputs(between, stdout);
		between = "  ";
		cell_show(tb, j, text[j], head, j + 1 == tb->n);
	}
	putchar('\n');
}

/* Print one cell: cut, coloured, and, unless it is the last, padded. */
static void
cell_show(const struct view_table *tb, size_t column, const char *text,
    bool head, bool last)
{
	const enum answer_form form = tb->column[column].form;
	const size_t room = tb->width[column];
	const char *colour = "";
	size_t bytes, pad, width = term_text_width(text);
	bool cut = width > room;

	bytes = term_text_fit(text, cut ? room - 1 : room, &width);
	pad = room - width - (cut ? 1 : 0);
	if (tb->colour && head)
		colour = TERM_TEXT_BOLD;
	else if (tb->colour && form == FORM_STATE)
		colour = term_text_colour(text);
	if (forms[form].right)
		printf("%*s", (int)pad, "");
	printf("%s%.*s%s%s", colour, (int)bytes, text, cut ? ELLIPSIS : "",
	    *colour == '\0' ? "" : TERM_TEXT_PLAIN);
	if (!forms[form].right && !last)
		printf("%*s", (int)pad, "");
}

/* Return the text of a cell, cleaned for a terminal. */
static const char *
cell_text(struct arena *a, const struct view_column *column,
    const struct view_row *row)
{
	struct json_object *json;
	const char *text;
	struct str raw, s;

	str_init(&raw, a);
	if (strcmp(column->path, "@key") == 0) {
		str_add(&raw, row->key);
	} else if (strcmp(column->path, "@index") == 0) {
		str_int(&raw, (int64_t)row->index);
	} else if (strcmp(column->path, "@tens") == 0) {
		str_int(&raw, (int64_t)row->index * 10);
	} else {
		json = value_at(column->path, row);
		if (json != NULL || column->form == FORM_END)
			forms[column->form].put(&raw, json);
	}
	if ((text = str_text(&raw)) == NULL)
		return "?";
	if (*text == '\0')
		return NOTHING;
	str_init(&s, a);
	term_text_clean(&s, text);
	return str_text(&s) == NULL ? "?" : str_text(&s);
}

static void
print_title(const char *text, bool colour)
{
	if (text != NULL)
		printf("%s%s%s\n", colour ? TERM_TEXT_BOLD : "", text,
		    colour ? TERM_TEXT_PLAIN : "");
}

/* Print the difference of two texts under its title. */
static void
diff_show(
    const struct request_part *p, struct json_object *json, struct arena *a)
{
	const bool colour = ctl_colour(STDOUT_FILENO);
	struct str title;

	str_init(&title, a);
	str_addf(&title, "%s%s%s", colour ? TERM_TEXT_BOLD : "", p->name,
	    colour ? TERM_TEXT_PLAIN : "");
	if (text_diff_print(str_text(&title),
		json_object_get_string(request_spec_at(json, p->path)),
		json_object_get_string(request_spec_at(json, p->arg)), a) == -1)
		ctl_say("the change is too large to show; --json prints both "
			"texts");
}

/* Print the sentence of each element on one line. */
static void
lines_show(const struct request_part *p, struct json_object *array,
    char *const *operands, struct arena *a)
{
	const struct arena_mark mark = arena_mark(a);
	const size_t n = array_length(array);
	size_t i;

	for (i = 0; i < n; i++) {
		puts(request_spec_sentence(
		    a, p->name, json_object_array_get_idx(array, i), operands));
		arena_rewind(a, mark);
	}
}

/* Print each string of an array to standard error. */
static void
notes_say(struct json_object *array)
{
	size_t i, n = array_length(array);

	for (i = 0; i < n; i++)
		ctl_say("%s",
		    json_object_get_string(
			json_object_array_get_idx(array, i)));
}

/* Return the text of a value; a number has the digits of the answer. */
static const char *
json_value_text(struct json_object *json)
{
	const char *text = json_object_get_string(json);

	return text == NULL ? "" : text;
}

/* Return the number of elements of an array, 0 for any other value. */
static size_t
array_length(struct json_object *json)
{
	return json_object_is_type(json, json_type_array)
	    ? json_object_array_length(json)
	    : 0;
}

static void
form_text(struct str *s, struct json_object *json)
{
	str_add(s, json_value_text(json));
}

static void
form_rate(struct str *s, struct json_object *json)
{
	str_addf(s, "%.1f %%", 100 * json_object_get_double(json));
}

static void
form_bytes(struct str *s, struct json_object *json)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB",
		"PiB" };
	double n = json_object_get_double(json);
	size_t i = 0;

	while (n >= 1024 && i + 1 < nitems(units)) {
		n /= 1024;
		i++;
	}
	str_addf(s, i == 0 || n >= 100 ? "%.0f %s" : "%.1f %s", n, units[i]);
}

/* "2026-11-21T03:45:12.345Z" to the second; any other text unchanged. */
static void
form_time(struct str *s, struct json_object *json)
{
	const char *text = json_value_text(json);
	char read[CLOCK_TEXT_SIZE];
	int64_t at;

	if (clock_parse(text, &at) == -1) {
		str_add(s, text);
		return;
	}
	clock_text(at, read);
	read[10] = ' ';
	str_addn(s, read, 19);
}

static void
form_end(struct str *s, struct json_object *json)
{
	int64_t at;

	if (json == NULL)
		str_add(s, "never");
	else if (clock_parse(json_value_text(json), &at) == 0 &&
	    at <= clock_now())
		str_add(s, "ended");
	else
		form_time(s, json);
}

static void
form_yes(struct str *s, struct json_object *json)
{
	str_add(s, json_object_get_boolean(json) ? "yes" : "no");
}

static void
form_list(struct str *s, struct json_object *json)
{
	const size_t n = array_length(json);
	size_t i;

	for (i = 0; i < n; i++) {
		str_add(s, i == 0 ? "" : ", ");
		form_text(s, json_object_array_get_idx(json, i));
	}
}

static void
form_count(struct str *s, struct json_object *json)
{
	if (json_object_is_type(json, json_type_array))
		str_int(s, (int64_t)json_object_array_length(json));
}

static void
form_reasons(struct str *s, struct json_object *json)
{
	const size_t n = array_length(json);
	struct json_object *one;
	size_t i;

	for (i = 0; i < n; i++) {
		one = json_object_array_get_idx(json, i);
		str_addf(s, "%s%s %s", i == 0 ? "" : ", ",
		    json_value_text(request_spec_at(one, "tag")),
		    json_value_text(request_spec_at(one, "points")));
	}
}

/* Each comparison with the value that it tested. */
static void
form_because(struct str *s, struct json_object *json)
{
	const size_t n = array_length(json);
	struct json_object *one;
	size_t i;

	for (i = 0; i < n; i++) {
		one = json_object_array_get_idx(json, i);
		str_addf(s, "%s%s (", i == 0 ? "" : ", ",
		    json_value_text(request_spec_at(one, "comparison")));
		form_known(s, request_spec_at(one, "value"));
		str_addc(s, ')');
	}
}

/* Each name, with the event type of its ruleset. */
static void
form_uses(struct str *s, struct json_object *json)
{
	const size_t n = array_length(json);
	struct json_object *one;
	size_t i;

	for (i = 0; i < n; i++) {
		one = json_object_array_get_idx(json, i);
		str_addf(s, "%s%s %s%s", i == 0 ? "" : ", ",
		    json_value_text(request_spec_at(one, "eventType")),
		    json_value_text(request_spec_at(one, "name")),
		    json_object_get_boolean(request_spec_at(one, "shadow"))
			? " (shadow)"
			: "");
	}
}

static void
form_change(struct str *s, struct json_object *json)
{
	str_addf(s, "%s: ", json_value_text(request_spec_at(json, "signal")));
	form_known(s, request_spec_at(json, "from"));
	str_add(s, " -> ");
	if (json_object_get_boolean(request_spec_at(json, "other")))
		str_add(s, "any other");
	else
		form_known(s, request_spec_at(json, "to"));
}

static void
form_known(struct str *s, struct json_object *json)
{
	if (json == NULL)
		str_add(s, "unknown");
	else
		form_text(s, json);
}

static void
form_amount(struct str *s, struct json_object *json)
{
	struct json_object *amount = request_spec_at(json, "amount");

	if (amount != NULL)
		str_addf(s, "%s %s", json_value_text(amount),
		    json_value_text(request_spec_at(json, "currency")));
}

static void
form_json(struct str *s, struct json_object *json)
{
	str_add(
	    s, json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN));
}
