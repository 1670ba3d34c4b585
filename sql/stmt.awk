# SPDX-License-Identifier: ISC
# Make lib/db/stmt.gen.h from sql/stmt.sql: an enum and a table of the named
# statements, and the numbers of the migrations, by their paths (-v).  Each begins with a line "-- name: IDENT [one] [read|write] [late]";
# the words are documentation, but for "write" and "late", which become flags.
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
	writes[n] = write
	lates[n] = late
}
/^-- name:/ {
	flush_stmt()
	name = $3
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
	print "#endif"
}
