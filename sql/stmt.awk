# SPDX-License-Identifier: ISC
# Make lib/db/stmt.gen.h from sql/stmt.sql: an enum and a table of the named
# statements, enums of their columns, and the numbers of the migrations, whose
# paths -v migrations gives.  Each statement begins with a line
#	-- name: IDENT [one|many] [read|write] [late]
# "write" and "late" become flags; the other words are documentation.  If the
# parameters of a statement are arrays, one per column, lines before it name the
# columns in the order of the parameters:
#	-- columns: NAME ...
# The type of a column is that of the cast of its parameter, such as $1::text[].
BEGIN {
	print "/* Made by sql/stmt.awk from sql/stmt.sql; do not edit. */"
	print "#ifndef LIB_DB_STMT_GEN_H"
	print "#define LIB_DB_STMT_GEN_H"
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
	letters["text"] = "s"
	letters["bigint"] = "i"
	letters["timestamptz"] = "t"
	letters["bytea"] = "b"
}
function flush_stmt() {
	if (name == "")
		return
	names[++n] = name
	sub(/[[:space:]]*;?[[:space:]]*$/, "", text)
	texts[n] = text
	columns[n] = cols
	types[n] = cols == "" ? "" : column_types()
	writes[n] = write
	lates[n] = late
}
# The letters of the types of all parameters, as many as there are columns.
function column_types(    k, type, found, words) {
	for (k = 1; match(text, "[$]" k "::[a-z]+\\[\\]"); k++) {
		type = substr(text, RSTART, RLENGTH)
		gsub(/.*::|\[\]/, "", type)
		found = found letters[type]
	}
	if (split(cols, words, " ") != length(found) || text ~ "[$]" k "[^0-9]") {
		print name ": types " found ", columns: " cols | "cat >&2"
		failed = 1
	}
	return found
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
		printf "\tSTMT(%s, \"%s\", %d, %d, \"%s\", \\\n\t    \"%s\") \\\n",
		    toupper(names[i]), names[i], writes[i], lates[i], types[i],
		    texts[i]
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
