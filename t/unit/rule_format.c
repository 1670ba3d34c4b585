/* SPDX-License-Identifier: ISC */
/* core/rule/rule_format.c: the standard layout, with comments and long lines.
 */
#include "config.h"

#include <string.h>

#include "core/base/arena.h"
#include "core/base/str.h"
#include "core/rule/rule_format.h"
#include "t/unit/unit.h"

static _Alignas(16) char block[1 << 18];

static const struct {
	const char *text, *want;
} cases[] = {
	{ "", "" },
	{ "\n\n # only\n", "# only\n" },
	{ "rule a{when attr.x then score+=1,tag t}",
	    "rule a {\n\twhen attr.x\n\tthen score += 1, tag t\n}\n" },
	{ "rule a { when !attr.x && ( attr.y == 1 || attr.z in [ 1,2 ] ) then "
	  "score += 1, tag \"t\" }",
	    "rule a {\n\twhen !attr.x && (attr.y == 1 || attr.z in [1, 2])\n"
	    "\tthen score += 1, tag \"t\"\n}\n" },

	/* An empty line is between items, and stays between comments. */
	{ "# one\n# two\n\n\n# three\nrule a{when attr.x then score+=1,tag "
	  "t}\r\n"
	  "test b{expect allow}# four\n# five\ntest c{given attr.x==true "
	  "expect "
	  "because t,t not t}",
	    "# one\n# two\n\n# three\n"
	    "rule a {\n\twhen attr.x\n\tthen score += 1, tag t\n}\n\n"
	    "test b {\n\texpect allow\n} # four\n\n"
	    "# five\ntest c {\n\tgiven attr.x == true\n"
	    "\texpect because t, t not t\n}\n" },

	/* Words of the language are names, too. */
	{ "rule rule{when attr.then then score+=1,tag then}test when{expect "
	  "because expect,not not because}",
	    "rule rule {\n\twhen attr.then\n\tthen score += 1, tag then\n}\n\n"
	    "test when {\n\texpect because expect, not not because\n}\n" },

	/* Comments inside a rule stay where they are. */
	{ "rule a { # head\n// first\nwhen attr.x # x\n&& // and\n\nattr.y\n"
	  "# last\nthen score += 1, tag t # tag\n}",
	    "rule a { # head\n\t// first\n\twhen attr.x # x\n"
	    "\t    && // and\n\t    attr.y\n\t    # last\n"
	    "\tthen score += 1, tag t # tag\n}\n" },

	/* A line has 80 columns, in characters; a long piece has its own. */
	{ "rule a { when attr.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa == "
	  "\"\303\244\303\244\303\244\303\244\" && attr.bbbbb then score += 1, "
	  "tag t }",
	    "rule a {\n\twhen attr.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa == "
	    "\"\303\244\303\244\303\244\303\244\" && attr.bbbbb\n"
	    "\tthen score += 1, tag t\n}\n" },
	{ "rule a { when attr.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa == "
	  "\"\303\244\303\244\303\244\303\244\" && attr.bbbbbb then score += "
	  "1, "
	  "tag t }",
	    "rule a {\n\twhen attr.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa == "
	    "\"\303\244\303\244\303\244\303\244\" &&\n\t    attr.bbbbbb\n"
	    "\tthen score += 1, tag t\n}\n" },
};

START_TEST(text_gets_its_layout)
{
	struct arena a;
	struct str s, again;

	arena_init(&a, block, sizeof(block));
	str_init(&s, &a);
	rule_format(&a, &s, cases[_i].text, strlen(cases[_i].text));
	ck_assert_str_eq(str_text(&s), cases[_i].want);
	str_init(&again, &a);
	rule_format(&a, &again, str_text(&s), s.len);
	ck_assert_str_eq(str_text(&again), cases[_i].want);
	arena_reset(&a);
}
END_TEST

Suite *
suite_rule_format(void)
{
	Suite *s = suite_create("rule_format");
	TCase *tc = tcase_create("rule_format");

	tcase_add_loop_test(tc, text_gets_its_layout, 0, (int)nitems(cases));
	suite_add_tcase(s, tc);
	return s;
}
