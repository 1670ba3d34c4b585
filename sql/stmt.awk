# SPDX-License-Identifier: ISC
# Make lib/db/stmt.gen.h from sql/stmt.sql: an enum and a table of the named
# statements, enums of their columns, and the numbers of the migrations, by their
# paths (-v).  Each statement begins with a line
#	-- name: IDENT [one] [read|write] [late]
# whose words are documentation, except "write" and "late", which become flags.
# Lines before it name the columns of its parameters, in their order:
#	-- columns: NAME ...
BEGIN {
	print "/* Made by sql/stmt.awk from sql/stmt.sql; do not edit. */"
	print "#ifndef LIB_STMT_GEN_H"
	print "#define LIB_STMT_GEN_H"
	files = split(migrations, paths, " ")
	for (i = 1; i <= files; i++) {
		sub(/.*\//, "", paths[i])
		number = substr(paths[i], 1, 4) + 0
		known = known (i == 1 ? "" : ",") number
		if (number > last)
			last = number
	}
	printf "#define SCHEMA_KNOWN %d /* the last migration */\n", last
	printf "#define SCHEMA_MIGRATIONS \"{%s}\" /* all */\n", known
}
function flush_stmt() {
	if (name == "")
		return
	names[++n] = name
	sub(/[[:space:]]*;?[[:space:]]*$/, "", text)
	texts[n] = text
	columns[n] = cols
	check_columns()
	writes[n] = write
	lates[n] = late
}
# Each column is one parameter.
function check_columns(    i, n_words, most) {
	n_words = split(text, words, /[$]/)
	for (i = 2; i <= n_words; i++) {
		if (words[i] + 0 > most)
			most = words[i] + 0
	}
	if (cols != "" && split(cols, words, " ") != most) {
		print name ": " most " parameters, columns: " cols | "cat >&2"
		failed = 1
	}
}
/^-- columns:/ {
	sub(/^-- columns: */, "")
	next_cols = next_cols (next_cols == "" ? "" : " ") $0
	next
}
/^-- name:/ {
	flush_stmt()
	name = $3
	cols = next_cols
	next_cols = ""
	write = late = 0
	for (i = 4; i <= NF; i++) {
		if ($i == "write")
			write = 1
		if ($i == "late")
			late = 1
	}
	text = ""
	next
}
/^[[:space:]]*--/ || /^[[:space:]]*$/ { next }
name != "" {
	line = $0
	sub(/^[[:space:]]+/, "", line)
	gsub(/\\/, "\\\\", line)
	gsub(/"/, "\\\"", line)
	text = text (text == "" ? "" : " ") line
}
END {
	flush_stmt()
	print "enum stmt {"
	for (i = 1; i <= n; i++)
		printf "\tSTMT_%s%s,\n", toupper(names[i]), i == 1 ? " = 1" : ""
	print "\tSTMT__MAX\n};"
	print "#define STMT_TABLE \\"
	for (i = 1; i <= n; i++)
		printf "\tSTMT(%s, \"%s\", %d, %d, \\\n\t    \"%s\") \\\n",
		    toupper(names[i]), names[i], writes[i], lates[i], texts[i]
	print "\t/* end */"
	for (i = 1; i <= n; i++) {
		if (columns[i] == "")
			continue
		printf "enum { /* columns of STMT_%s */\n", toupper(names[i])
		m = split(columns[i], words, " ")
		for (k = 1; k <= m; k++)
			printf "\t%s_%s,\n", toupper(names[i]), toupper(words[k])
		printf "\t%s__MAX\n};\n", toupper(names[i])
	}
	print "#endif"
	exit failed
}
