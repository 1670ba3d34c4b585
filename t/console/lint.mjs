// SPDX-License-Identifier: ISC
// What t/console.sh checks in the files of console/:
//
//	node lint.mjs SRCDIR CHECK
//	node lint.mjs SRCDIR closure [SCREEN]
//
// CHECK names one of the checks below.  Each fault is one line of output.  closure
// prints the files that the page loads before it shows SCREEN.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const [root, check, screen] = process.argv.slice(2);
const MOST_LINES = 300;
const MOST_IN_FUNCTION = 50;

function filesOf(folder) {
	return readdirSync(join(root, folder)).flatMap((name) => {
		const path = `${folder}/${name}`;
		return statSync(join(root, path)).isDirectory() ? filesOf(path) :
		    [path];
	}).sort();
}
const read = (path) => readFileSync(join(root, path), "utf8");
const files = filesOf("console");
const scripts = files.filter((path) => path.endsWith(".js"));
const sources = new Map(scripts.map((path) => [path, read(path)]));
const tables = scripts.filter((path) => path.startsWith("console/text/"));

// A pattern, why it is refused, and the files that may have it.
const REFUSED = [
	[/\bstyle=/, "the policy blocks style attributes; use a class"],
	[/\b(inner|outer)HTML|insertAdjacentHTML|document\.write/,
	    "the policy blocks HTML from text"],
	[/dangerouslySetInnerHTML|\beval\(|new Function\b/,
	    "the policy blocks HTML and code from text"],
	[/\son[a-z]+="/, "the policy blocks handlers in attributes"],
	[/\bfrom\s+"[^."]|import\("[^."]/, "a browser needs a relative path"],
	[/\b(local|session)Storage\b|document\.cookie|indexedDB/,
	    "only prefs.js stores something", "console/prefs.js"],
	[/\bfetch\(/, "only api.js sends requests", "console/api.js"],
	[/\bconsole\.[a-z]+\(/, "only app.js writes to the log of the browser",
	    "console/app.js"],
];

function* refused() {
	for (const [path, source] of sources)
		for (const [i, line] of source.split("\n").entries())
			for (const [pattern, why, allowed] of REFUSED)
				if (!/^\s*\/\//.test(line) && pattern.test(line) &&
				    path !== allowed)
					yield `${path}:${i + 1}: ${why}`;
	for (const path of files.filter((name) => name.endsWith(".css")))
		for (const [i, line] of read(path).split("\n").entries())
			if (/(margin|padding|border)-(left|right)|[\s;{](left|right):/
			    .test(line))
				yield `${path}:${i + 1}: write inline-start or inline-end`;
}

// The lines of each function: from the line that opens its block to the closing
// brace with the same indentation.
function* lengths() {
	for (const [path, source] of sources) {
		const lines = source.split("\n");
		if (lines.length - 1 > MOST_LINES)
			yield `${path} has ${lines.length - 1} lines`;
		for (const [i, line] of lines.entries()) {
			const [, indent] = /^(\t*)(?:[^/\s].*=> \{$|(?:export )?(?:default )?(?:async )?function\b)/
			    .exec(line) ?? [];
			if (indent === undefined)
				continue;
			const size = lines.slice(i).findIndex((other) =>
			    other.startsWith(`${indent}}`)) + 1;
			if (size > MOST_IN_FUNCTION)
				yield `${path}:${i + 1}: a function of ${size} lines`;
		}
	}
}

// Yield the text of each html`...` with a blank for each ${...}, also of those
// inside ${...}.
function templates(source) {
	const found = [];
	let at = 0;
	function quoted(mark) {
		for (at++; source[at] !== mark; at++)
			if (source[at] === "\\")
				at++;
		at++;
	}
	function template(isHtml) {
		const start = at;
		let text = "";
		for (at++; source[at] !== "`";) {
			if (source.startsWith("${", at)) {
				at += 2;
				code("}");
				text += "\u0001";
			} else {
				text += source[at++];
			}
		}
		at++;
		if (isHtml)
			found.push({ text, line: source.slice(0, start).split("\n")
			    .length });
	}
	function code(end) {
		let depth = 0;
		while (at < source.length) {
			const c = source[at];
			if (source.startsWith("//", at))
				at = source.indexOf("\n", at);
			else if (c === '"' || c === "'")
				quoted(c);
			else if (c === "/" && /[(,=:?&|]\s*$/.test(source.slice(
			    Math.max(0, at - 8), at)))
				quoted("/");
			else if (c === "`")
				template(source.slice(at - 4, at) === "html");
			else if (depth === 0 && c === end)
				return void at++;
			else {
				depth += c === "{" ? 1 : c === "}" ? -1 : 0;
				at++;
			}
		}
	}
	code(null);
	return found;
}

const SPOKEN = /\b(?:aria-label|title|placeholder|alt|label|hint|lead)="[^"]*[A-Za-z]/;

// Words outside the tables of texts.  The name of the product is the same in every
// language.
function* words() {
	for (const [path, source] of sources)
		for (const { text, line } of templates(source)) {
			const plain = text.replace(/<!--.*?-->/gs, "")
			    .replace(/<[^>]*>/gs, " ").replace(/\bAssay\b/g, "")
			    .replace(/&[a-z]+;/g, "");
			const [word] = /[A-Za-z]{2,}[^\u0001<]*/.exec(plain) ?? [];
			if (word !== undefined)
				yield `${path}:${line}: "${word.trim()}" belongs into a table of texts`;
			const [spoken] = SPOKEN.exec(text) ?? [];
			if (spoken !== undefined)
				yield `${path}:${line}: ${spoken}..." belongs into a table of texts`;
		}
}

// Every t("key") has a text, and every text is used.
async function* texts() {
	const keys = new Set();
	for (const path of tables)
		for (const [, key] of sources.get(path)
		    .matchAll(/^\t"([^"]+)":/gm)) {
			if (keys.has(key))
				yield `${path}: ${key} has two texts`;
			keys.add(key);
		}
	const { default: commands } = await import(join(root,
	    "console/commands.js"));
	const { default: screens } = await import(join(root,
	    "console/screens.js"));
	const used = new Map([
		...commands.filter(([, scope]) => scope !== "go")
		    .map(([id]) => [`key.${id}`, "console/commands.js"]),
		...commands.map(([, scope]) => [`scope.${scope}`,
		    "console/commands.js"]),
		...screens.filter(({ letter }) => letter !== null)
		    .map(({ id }) => [`nav.${id}`, "console/screens.js"]),
		...screens.flatMap(({ find = [] }) => find.map(({ name }) =>
		    [name, "console/screens.js"]))]);
	// A key in a variable: it begins like this.
	const begins = new Set(["error."]);
	for (const [path, source] of sources) {
		for (const [, key] of source.replace(/^\s*\/\/.*$/gm, "")
		    .matchAll(/\bt\(\s*"([^"]+)"/g))
			used.set(key, path);
		for (const [, start] of source.matchAll(/\bt\(\s*`([^`$]+)\$/g))
			begins.add(start);
		// Both arms of t(test ? "a" : "b"), and tables of keys.
		for (const [, key] of source.matchAll(/"([a-z]+(?:\.[\w-]+)+)"/gi))
			if (!tables.includes(path) && keys.has(key))
				used.set(key, path);
	}
	for (const [key, path] of used)
		if (!keys.has(key))
			yield `${path}: ${key} has no text`;
	for (const start of begins)
		if (![...keys].some((key) => key.startsWith(start)))
			yield `no text begins with ${start}`;
	for (const key of keys)
		if (!used.has(key) && ![...begins].some((start) =>
		    key.startsWith(start)) && !/^(menu|search|time|title)$/.test(key))
			yield `the text ${key} is not used`;
}

// Each operation in a string is one of the description.
function* operations() {
	const api = JSON.parse(read("docs/openapi.json"));
	for (const [path, source] of sources)
		for (const [, method, target] of source.matchAll(
		    /"(GET|POST|PUT|PATCH|DELETE) (\/[^"]*)"/g))
			if (!api.paths[target]?.[method.toLowerCase()])
				yield `${path}: ${method} ${target} is not in docs/openapi.json`;
}

// Each assayctl command that an action shows exists.
function* assayctl() {
	const known = new Set([...read("ctl/request/commands.tbl")
	    .matchAll(/^(?:CALL|COMMAND)\("([^"]+)"/gm)].map(([, name]) => name));
	for (const [path, source] of sources)
		for (const [, name] of source.matchAll(/\bwords(?:=|: )"([^"]+)"/g))
			if (!known.has(name))
				yield `${path}: assayctl has no command ${name}`;
}

// What these modules import before they run, and they themselves.
function closure(...starts) {
	const seen = new Set();
	const visit = (path) => {
		if (seen.has(path))
			return;
		seen.add(path);
		for (const [, target] of read(path).matchAll(
		    /^(?:import|export|\} from|import .*from|\s+)[^"(]*"(\.[^"]+\.js)";$/gm))
			visit(normalize(join(dirname(path), target)));
	};
	starts.forEach(visit);
	return [...seen].sort();
}

// Names that a module imports, declares, assigns or takes as parameters.
function declaredIn(source) {
	const places = [/\bimport\s+(\{[^}]*\}|\w+)/g, /\b(?:function\*?|class) (\w+)/g,
	    /\b(?:const|let) ([[{][^=;]*)/g, /\b(\w+) = /g, /\bfunction\*? \w*(\([^)]*)/g,
	    /^\s+(\w+)\(.*\) \{$/gm];
	return new Set(places.flatMap((place) => [...source.matchAll(place)])
	    .flatMap(([, names]) => names.match(/\w+/g)));
}

// Each component and constant, and each function that another module exports, is
// declared or imported where it is used.
function* declared() {
	const exported = new Set([...sources.values()].flatMap((source) =>
	    [...source.matchAll(/^export (?:async )?(?:function|const) (\w+)/gm)]
	    .map(([, name]) => name)));
	for (const [path, whole] of sources) {
		const source = whole.replace(/^\s*\/\/.*$/gm, "")
		    .replace(/"(?:[^"\\\n]|\\.)*"/g, '""');
		const known = declaredIn(source);
		const used = [...source.matchAll(/<\$\{([A-Z]\w*)\}/g),
		    ...source.matchAll(/(?<![\w.])([A-Z][A-Z_]+[A-Z])(?![\w:])/g),
		    ...[...source.matchAll(/(?<![\w.$]|function )(\w+)\(/g)]
			.filter(([, name]) => exported.has(name))];
		for (const name of new Set(used.map(([, one]) => one)))
			if (!known.has(name) && !(name in globalThis))
				yield `${path} uses ${name}, which it does not import`;
	}
}

// index.html fetches the modules of the first screen in parallel.
function* preloads() {
	const page = read("console/index.html.in");
	const named = [...page.matchAll(/modulepreload" href="@VERSION@\/([^"]+)"/g)]
	    .map(([, path]) => path);
	const wanted = closure("console/app.js").filter((path) =>
	    path !== "console/app.js");
	for (const path of wanted.filter((one) => !named.includes(one)))
		yield `index.html.in does not preload ${path}`;
	for (const path of named.filter((one) => !wanted.includes(one)))
		yield `index.html.in preloads ${path}, which app.js does not import`;
}

// Makefile.am installs each file.
function* installed() {
	const made = read("Makefile.am");
	for (const path of files)
		if (!made.includes(`\t${path}`) && !path.endsWith(".in"))
			yield `Makefile.am does not name ${path}`;
}

const CHECKS = { refused, lengths, words, texts, operations, assayctl, declared,
    preloads, installed };
if (check === "closure")
	console.log(closure("console/app.js", ...screen ? [screen] : [])
	    .join("\n"));
else
	for await (const fault of CHECKS[check]())
		console.log(fault);
