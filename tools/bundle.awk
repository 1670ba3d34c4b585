# SPDX-License-Identifier: ISC
# Make bundles of the console, files that have many modules or styles each:
#
#	awk -v file=NAME -f tools/bundle.awk console/bundles.tbl
#	awk -v into=DIRECTORY -f tools/bundle.awk console/bundles.tbl
#
# in the directory of the sources.  The first prints one, the second writes all into a
# directory.  Each line of the table has the name of a bundle and a file for it.  The
# bundle has these files and all modules that they import, without those of the
# bundles above it.
#
# A module becomes a function that returns its exports, so that names stay apart:
#
#					modules["console/home/screen.js"] = (() => {
#	import { t } from "../text.js";	const { t } = modules["console/text.js"];
#	export const LIMIT = 3;		const LIMIT = 3;
#	export default function Home()	function Home()
#	...				...
#					return { LIMIT, default: Home };
#					})();
#
# The first bundle has its modules at once.  The default export of another one makes
# them: import("./home.js") becomes a call of console/bring.js, which loads the bundle
# that has the module, and those that it needs, and makes their modules.  So does
# import(`./${name}`), of a module that a line of the table names.  Comments that are
# whole lines, and indentation, are left out.  The script refuses an import or export
# that it does not understand, with FILE:LINE.
BEGIN { bring = "console/bring.js" }
/^(#|$)/ { next }
$1 != bundle { bundle = bundles[++count] = $1 }
$2 ~ /\.css$/ { add_style($2, FILENAME, FNR) }
$2 ~ /\.js$/ { first[++firsts] = $2; add_module($2, FILENAME, FNR) }
END {
	if (!failed && !into && !(file in text))
		refuse(FILENAME, FNR, "no bundle has the name " file)
	for (i = 1; i <= dynamic && !failed; i++)
		if (wanted[i] ~ /\.js$/ && !(wanted[i] in holder))
			refuse(wanter[i], place[i], "no bundle has " wanted[i])
	if (failed)
		exit 1
	if (into)
		for (i = 1; i <= count; i++)
			printf "%s", finished_text(bundles[i]) >(into "/" bundles[i])
	else
		printf "%s", finished_text(file)
}

# finished_text(name): the whole text of a bundle.
function finished_text(name,    i, all) {
	all = text[name]
	for (i = 1; i <= dynamic; i++)
		gsub("\001" i "\001", "modules[\"" bring "\"].bring(" \
		    (wanted[i] ~ /\.js$/ ? names(holder[wanted[i]]) : \
		    named(wanter[i], wanted[i])) ").then(() => modules[" \
		    (wanted[i] ~ /\.js$/ ? "\"" wanted[i] "\"" : \
		    "`" folder(wanter[i]) "${" wanted[i] "}`") "])", all)
	if (name == bundles[1])
		all = "export const modules = {};\n" all
	else if (name ~ /\.js$/)
		all = "import { modules } from \"./" bundles[1] "\";\n" \
		    "export default () => {\n" all "};\n"
	return "/* SPDX-License-Identifier: ISC; libraries: see third_party */\n" all
}

# needs(name, other): whether a bundle needs another one, itself or through a third.
function needs(name, other,    i) {
	if ((name, other) in needed)
		return 1
	for (i = 2; i <= count; i++)
		if ((name, bundles[i]) in needed && needs(bundles[i], other))
			return 1
	return 0
}

# names(name): the bundles that a bundle needs, but the first, and itself, in quotes.
function names(name,    i, all) {
	for (i = 2; i <= count; i++)
		if (needs(name, bundles[i]))
			all = all "\"" bundles[i] "\", "
	return all "\"" name "\""
}

# folder(path): the folder of a file, with the slash.
function folder(path) {
	sub(/[^\/]*$/, "", path)
	return path
}

# named(path, name): the bundles that the module needs which this name of a module has.
function named(path, name,    i, all) {
	path = folder(path)
	for (i = 1; i <= firsts; i++)
		if (holder[first[i]] != bundles[1] && index(first[i], path) == 1)
			all = all "\"" substr(first[i], length(path) + 1) "\": [" \
			    names(holder[first[i]]) "],\n"
	return "...{" all "}[" name "]"
}

function refuse(path, line, why) {
	print path ":" line ": " why | "cat >&2"
	failed = 1
	exit 1
}

# bare(row): the line without its indentation; "" for a comment.
function bare(row) {
	sub(/^[ \t]+/, "", row)
	return row ~ /^\/\// ? "" : row
}

# add_style(path, from, line): add a style sheet that the file from names in this line.
function add_style(path, from, line,    row, all, got) {
	while ((got = (getline row <path)) > 0)
		all = all bare(row) "\n"
	if (got < 0)
		refuse(from, line, "there is no file " path)
	close(path)
	while (match(all, /\/\*[^*]*\*+([^\/*][^*]*\*+)*\//))
		all = substr(all, 1, RSTART - 1) substr(all, RSTART + RLENGTH)
	gsub(/\n\n+/, "\n", all)
	text[bundle] = text[bundle] all
}

# add_module(path, from, line): add a module that the file from names in this line,
# after the modules that it imports.
function add_module(path, from, line,    row, more, all, n, got) {
	if (path in holder) {
		if (!(path in finished))
			refuse(from, line, path " imports this file in turn")
		if (holder[path] != bundle)
			needed[bundle, holder[path]] = 1
		return
	}
	holder[path] = bundle
	while ((got = (getline row <path)) > 0) {
		n++
		row = bare(row)
		if (row ~ /^import[ {]/) {
			while (row !~ /;$/ && (getline more <path) > 0) {
				n++
				row = row " " bare(more)
			}
			row = linked(row, path, n)
		} else
			row = loaded(exported(row, path, n), path, n)
		if (row != "")
			all = all row "\n"
	}
	if (got < 0)
		refuse(from, line, "there is no file " path)
	close(path)
	finished[path] = 1
	text[bundle] = text[bundle] "modules[\"" path "\"] = (() => {\n" all \
	    "return {" members[path] " };\n})();\n"
}

# resolve(path, relative): the path of the file that a module names so.
function resolve(path, relative) {
	path = folder(path) relative
	gsub(/\/\.\//, "/", path)
	while (sub(/[^\/]+\/\.\.\//, "", path))
		continue
	return path
}

# linked(row, path, line): an import becomes constants of this module.
function linked(row, path, line,    from, i, n, part, word) {
	if (!match(row, /"\.[^"]*\.js";$/))
		refuse(path, line, "not understood: " row)
	from = resolve(path, substr(row, RSTART + 1, RLENGTH - 3))
	row = substr(row, 1, RSTART - 1)
	add_module(from, path, line)
	if (row == "import ")
		return ""
	if (row ~ /^import [A-Za-z0-9_$]+ from $/) {
		sub(/^import /, "import { default as ", row)
		sub(/ from $/, " } from ", row)
	}
	if (!sub(/^import *[{]/, "", row) || !sub(/[}] *from *$/, "", row))
		refuse(path, line, "not understood: " row)
	n = split(row, part, ",")
	for (i = 1; i <= n; i++) {
		split(part[i], word, " ")
		if (!((from, word[1]) in exports))
			refuse(path, line, from " does not export " word[1])
	}
	gsub(/ as /, ": ", row)
	return "const {" row "} = modules[\"" from "\"];"
}

# export_as(path, inner, outer): note an export of a module.
function export_as(path, inner, outer) {
	exports[path, outer] = 1
	members[path] = members[path] (members[path] == "" ? " " : ", ") \
	    (inner == outer ? inner : outer ": " inner)
}

# exported(row, path, line): the line without "export".
function exported(row, path, line,    i, n, last, part, word, outer) {
	if (match(row, /export *[{][^{}]*[}];$/)) {
		n = split(substr(row, RSTART, RLENGTH - 2), part, /[{,]/)
		for (i = 2; i <= n; i++) {
			last = split(part[i], word, " ")
			export_as(path, word[1], word[last])
		}
		return substr(row, 1, RSTART - 1)
	}
	if (!sub(/^export /, "", row))
		return row
	if (sub(/^default /, "", row)) {
		outer = "default"
		if (row ~ /^[[{]/)
			row = "const exported = " row
	}
	if (!match(row, /^(async function|function[*]?|class|const) [A-Za-z0-9_$]+/))
		refuse(path, line, "not understood: export " row)
	n = split(substr(row, 1, RLENGTH), word, " ")
	export_as(path, word[n], outer == "" ? word[n] : outer)
	return row
}

# loaded(row, path, line): the line with a mark for each import("...").
function loaded(row, path, line) {
	while (match(row, /import\(("\.[^"]*\.js"|`\.\/[$][{][a-z]+[}]`)\)/)) {
		wanted[++dynamic] = substr(row, RSTART + 7, 1) == "`" ? \
		    substr(row, RSTART + 12, RLENGTH - 15) : \
		    resolve(path, substr(row, RSTART + 8, RLENGTH - 10))
		wanter[dynamic] = path
		place[dynamic] = line
		row = substr(row, 1, RSTART - 1) "\001" dynamic "\001" \
		    substr(row, RSTART + RLENGTH)
	}
	if (path != bring &&
	    row ~ /^(import|export)|[^A-Za-z]import *[(]|import[.]meta/)
		refuse(path, line, "not understood: " row)
	return row
}
