# SPDX-License-Identifier: ISC
# Make the first settings file of an installation from a table like conf.tbl: each
# setting as a comment with its meaning and its default.  Those of chosen are set.
# Needs lib/table_rows.awk.
BEGIN {
	FS = "\""
	chosen["ENGINE_ENV"] = "production"
	chosen["IDEMPOTENCY_MISMATCH"] = "refuse"
	print "# Settings of Assay; see assay(5).  A line that begins with # has no effect"
	print "# and shows the default.  The pool reads this file again after"
	print "# \"systemctl reload assay-fcgi\", the companion when it starts the next run."
	while (read_row(ARGV[1]))
		if (/^CONF\(/)
			print_setting(substr($1, 6, index($1, ",") - 6))
}
function print_setting(name) {
	print ""
	print_comment($(NF - 1))
	print name in chosen ? name "=" chosen[name] : "#" name "=" setting_default()
}
# Print text in lines of up to 80 columns.
function print_comment(text,    i, n, line, words) {
	n = split(text, words, " ")
	line = "#"
	for (i = 1; i <= n; i++) {
		if (length(line " " words[i]) > 80) {
			print line
			line = "#"
		}
		line = line " " words[i]
	}
	print line
}
