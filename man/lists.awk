# SPDX-License-Identifier: ISC
# Make a manual page from its template.  A line "@list FILE@" becomes a list of the
# settings, signals or words of the glossary in FILE, below folder.  Needs
# lib/table_rows.awk.
BEGIN { FS = "\"" }
/^@list .*@$/ {
	file = substr($0, 7, length($0) - 7)
	print ".Bl -tag -width Ds"
	while (read_row(folder "/" file))
		list_row()
	print_word()
	next
}
{ print }

function list_row(    flags) {
	if (/^CONF\(/) {
		print ".It Ev " substr($1, 6, index($1, ",") - 6)
		print_text($(NF - 1))
		flags = $(NF - 2)
		if (setting_default() != "")
			print ".Pq default: Ql " setting_default()
		else if (flags ~ /(REQUIRED|POOL), $/)
			print ".Pq required in production"
	} else if (/^SIGNAL\(/) {
		print ".It Va " $2 " Pq " tolower(type_name($3))
		print_text($4)
	} else if (/^- \*\*/) {
		print_word()
		word = substr($0, 5)
	} else if (word != "" && /^  /) {
		word = word substr($0, 2)
	}
}

function type_name(text) {
	gsub(/[, ]/, "", text)
	return text == "BOOL" ? "boolean" : text
}

# Print an entry of the glossary: "term**: text" or "term** (other term): text".
function print_word(    end, head, text) {
	if (word == "")
		return
	end = index(word, ": ")
	head = substr(word, 1, end - 1)
	text = substr(word, end + 2)
	sub(/\*\*/, "", head)
	sub(/ \(/, " Pq ", head)
	sub(/\)$/, "", head)
	print ".It " head
	print_marked(toupper(substr(text, 1, 1)) substr(text, 2))
	word = ""
}

# Print text with code in backticks.  What the code is follows from its shape.
function print_marked(text,    i, n, part, macro, after) {
	n = split(text, part, "`")
	for (i = 1; i <= n; i += 2) {
		print_text(part[i])
		if (i == n)
			break
		macro = part[i + 1] ~ /^[A-Z_]+$/ ? ".Ev " : \
		    part[i + 1] ~ /^assay-[a-z]+$/ ? ".Xr " : ".Li "
		match(part[i + 2], /^[.,;:]?/)
		after = substr(part[i + 2], 1, RLENGTH)
		part[i + 2] = substr(part[i + 2], RLENGTH + 1)
		print macro part[i + 1] (macro == ".Xr " ? " 8" : "") \
		    (after == "" ? "" : " " after)
	}
}

# Print text in lines of up to 80 columns; a sentence begins a line.
function print_text(text,    i, n, words, line) {
	n = split(text, words, " ")
	for (i = 1; i <= n; i++) {
		sub(/^-/, "\\-", words[i])
		if (line != "" && (length(line " " words[i]) > 80 ||
		    line ~ /\.$/ && words[i] ~ /^[A-Z]/)) {
			print line
			line = ""
		}
		line = line (line == "" ? "" : " ") words[i]
		if (line ~ /^[.']/)
			line = "\\&" line
	}
	if (line != "")
		print line
}
