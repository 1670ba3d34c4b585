# SPDX-License-Identifier: ISC
# Read the next line of a file into $0.  A row of a table is one line, and strings
# beside each other are one string.  Return whether there was a line.
function read_row(file,    row) {
	if ((getline < file) <= 0)
		return 0
	if ($0 !~ /^[A-Z]+\(/)
		return 1
	while ($0 !~ /\)$/) {
		row = $0
		if ((getline < file) <= 0)
			return 0
		sub(/^ +/, " ")
		$0 = row $0
	}
	gsub(/" "/, "")
	return 1
}

# The default of the setting in the row $0, whose fields end at quotes; "" if it has
# none.
function setting_default() {
	return $(NF - 2) ~ /^, [A-Z_0 |]+, $/ ? $(NF - 3) : ""
}
