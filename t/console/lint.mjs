// SPDX-License-Identifier: ISC
// What t/console.sh checks in the files of console/:
//
//	node lint.mjs SRCDIR CHECK
//
// CHECK names one of the checks below.  Each fault is one line of output.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

const [root, check] = process.argv.slice(2);
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
const tables = scripts.filter((path) => /^console\/.*[/-]text\.js$/.test(path));

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
	[/\basked: true\b/, "only change.js asks about an act", "console/ui/change.js"],
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

// The text of each template with a blank for each ${...}, also of those inside
// ${...}; isHtml: it is html`...`.
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
		found.push({ text, isHtml, line: source.slice(0, start).split("\n")
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
		for (const { text, line } of templates(source)
		    .filter(({ isHtml }) => isHtml)) {
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

// The bundles have no indentation and no lines that are comments, also inside
// templates (tools/bundle.awk): htm drops this white space, but nothing else does.
function* stripped() {
	for (const [path, source] of sources)
		for (const { text, isHtml, line } of templates(source))
			if (isHtml ? /^\s*\/\//m.test(text) : text.includes("\n"))
				yield `${path}:${line}: a bundle changes this text`;
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

// The rest of a text up to the brace that closes its block.
function block(rest) {
	let depth = 1, at = 0;
	for (; depth > 0; at++)
		depth += { "{": 1, "}": -1 }[rest[at]] ?? 0;
	return rest.slice(0, at);
}

// What a module may give as a class: the values of class, of align, which becomes one
// in a table, and strings of one word, as in tone: "bad".
function classStrings(code) {
	const given = [...code.matchAll(
	    /\b(?:class|align)(?:: |=)("[^"]*"|`[^`]*`|\$\{)/g)].map((found) =>
	    found[1] === "${" ? block(code.slice(found.index + found[0].length)) :
		found[1]);
	return [...given, ...code.match(/"[a-z][\w-]*"/g)].join(" ");
}

// Every class of a style sheet is used, and every class of a module has a style or
// is a handle of another module or of a test.
function* classes() {
	const styles = files.filter((path) => path.endsWith(".css")).map(read)
	    .join("").replace(/\/\*.*?\*\//gs, "").replace(/\{[^{}]*\}/g, "{}");
	const styled = new Set([...styles.matchAll(/\.([a-z][\w-]*)/g)]
	    .map(([, name]) => name));
	const code = [...sources.values()].join("").replace(/^\s*\/\/.*$/gm, "");
	const words = new Set(classStrings(code).match(/[a-z][\w-]*/g));
	// `kind-${kind}` and `s${number}`
	const begins = [...code.matchAll(/[` ]([a-z]+-?)\$\{/g)].map(([, start]) =>
	    new RegExp(`^${start}${start.endsWith("-") ? "" : "\\d+$"}`));
	for (const name of styled)
		if (!words.has(name) && !begins.some((start) => start.test(name)))
			yield `no module uses the class ${name}`;
	const selectors = code + filesOf("t/node").map(read).join("");
	for (const [path, source] of sources)
		for (const [, names] of source.matchAll(/\bclass="([\w -]+)"/g))
			for (const name of names.split(" "))
				if (!styled.has(name) && !selectors.includes(`.${name}`))
					yield `${path}: the class ${name} has no style`;
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

// Where assay-console(7) has the keys of a scope of commands.js.
const KEYS_AT = { all: "Keys", list: "Keys", case: "Cases", decisions: "Decisions",
    rules: "Rules and policies", shadow: "Rules and policies",
    proposal: "Proposals" };

// assay-console(7) has each screen of the menu with its key, and in the section of a
// command its key, as often as commands of that section have it.
async function* manual() {
	const { default: commands } = await import(join(root,
	    "console/commands.js"));
	const { default: screens } = await import(join(root,
	    "console/screens.js"));
	const { keyLabel } = await import(join(root, "console/keys.js"));
	const { t } = await import(join(root, "console/text.js"));
	await import(join(root, "console/ui/text.js"));
	const text = read("man/assay-console.7").replaceAll("\\&", "");
	for (const { id, letter } of screens.filter((one) => one.letter !== null))
		if (!text.includes(`\n.It ${t(`nav.${id}`)} Pq Ic g ${letter}\n`))
			yield `assay-console(7) lacks the screen ${id}, g ${letter}`;
	const wordsIn = (title) => [...(text.split(/^\.S[hs] /m).find((part) =>
	    part.startsWith(`${title}\n`)) ?? "").matchAll(/^\..*?\bIc (?!g )(.*)/gm)]
	    .flatMap(([, rest]) => rest.split(" "));
	const times = (list, key) => list.filter((one) => one === key).length;
	for (const title of new Set(Object.values(KEYS_AT))) {
		const words = wordsIn(title);
		const keys = commands.filter(([, scope]) => KEYS_AT[scope] === title)
		    .map(([, , [key]]) => keyLabel(key));
		for (const key of new Set(keys))
			if (times(words, key) < times(keys, key))
				yield `assay-console(7), ${title}, lacks a command of ${key}`;
	}
	for (const [id, scope] of commands)
		if (scope !== "go" && KEYS_AT[scope] === undefined)
			yield `assay-console(7) has no section for the key of ${id}`;
}

// The commands of assayctl: name -> { method, path, options }; those with a C function
// have only a name.
function commandsOfAssayctl() {
	const known = new Map();
	const table = read("ctl/request/commands.tbl");
	// The options that several commands have.
	const shared = new Map([...table.matchAll(
	    /^#define ([A-Z]+) \\\n((?:.*\\\n)*.*)/gm)].map(([, ...row]) => row));
	for (const row of table.slice(table.indexOf("\nCALL(")).replace(
	    /^\t([A-Z]+)$/gm, (same, name) => shared.get(name) ?? same).split("\n")) {
		const [, name, method, path] =
		    /^C(?:ALL|OMMAND)\("([^"]+)"(?:, (\w+), "([^"]+)")?/.exec(row) ?? [];
		if (name !== undefined)
			known.set(name, { method, path, options: [] });
		for (const [, option] of row.replace("PROPOSE()", 'OPT("propose")')
		    .matchAll(/\bOPT\w*\("([^"]+)"/g))
			[...known.values()].at(-1).options.push(option);
	}
	return known;
}

// The words and the names of the options of each command that a module shows.
function* shownCommands(source) {
	for (const { index, 1: name } of source.matchAll(/\bwords(?:=|: )"([^"]+)"/g)) {
		const [, options = ""] = /^[^<>]*?\boptions(?:=\$\{|: )\{([^}]*)/
		    .exec(source.slice(index, index + 400)) ?? [];
		yield { name, options: [...options.matchAll(
		    /(?:^|,)\s*"?([\w-]+)"?\s*(?=:|,|$)/g)].map(([, one]) => one) };
	}
}

// Each assayctl command that an action shows exists and has the options.
function* assayctl() {
	const known = commandsOfAssayctl();
	for (const [path, source] of sources)
		for (const { name, options } of shownCommands(source)) {
			const command = known.get(name);
			if (command === undefined)
				yield `${path}: assayctl has no command ${name}`;
			else if (command.method !== undefined)
				for (const option of options)
					if (!command.options.includes(option))
						yield `${path}: ${name} has no option ${option}`;
		}
}

// The operations in the strings of the modules, each with one of its modules.
function operationsOfConsole() {
	return new Map([...sources].flatMap(([path, source]) => [...source.matchAll(
	    /"((?:GET|POST|PUT|PATCH|DELETE) \/[^"]*)"/g)].map(([, one]) => [one, path])));
}

// The operator routes: "METHOD path" -> whether the audit trail records them.
function operatorRoutes() {
	return new Map([...read("fcgi/http/routes.tbl").matchAll(
	    /^ROUTE\((\w+),\s*"([^"]+)",\s*OPERATOR,\s*(?:\w+,\s*){3}(\w+)/gm)]
	    .map(([, method, path, trail]) => [`${method} ${path}`, trail === "AUDIT"]));
}

// Commands with a C function that send these.
const FUNCTIONS = {
	"POST /v1/auth/logout": "logout",
	"POST /v1/auth/logout-all": "logout",
	"POST /v1/auth/password": "password",
	"POST /v1/auth/second-factor": "factor enable",
	"POST /v1/auth/second-factor/enable": "factor enable",
	"POST /v1/auth/second-factor/disable": "factor disable",
	"POST /v1/config/retention/run": "retention run",
	"PUT /v1/config/rate-limits": "settings set",
	"PUT /v1/config/alerts": "settings set",
	"PUT /v1/config/retention": "settings set",
	"POST /v1/lists/import": "lists import",
	"DELETE /v1/lists/{id}": "lists remove",
};

// Changes of the console without a command, and why.
const WITHOUT_COMMAND = {
	"POST /v1/auth/refresh": "the session of a browser",
	"POST /v1/auth/confirm": "the session of a browser",
	"POST /v1/views": "only the console has views",
	"DELETE /v1/views/{id}": "only the console has views",
	"POST /v1/graph/reveal": "assayctl masks nothing",
	"POST /v1/proposals": "the option --propose of the other commands",
};

// Each change that the console makes shows its assayctl command.
function* commanded() {
	const code = [...sources.values()].join("");
	const shows = (name) => {
		const [first, last] = name.split(" ");
		return last === undefined ? code.includes(`words="${name}"`) :
		    code.includes(`"${name}"`) ||
		    (code.includes(`\`${first} \${`) || code.includes(`} ${last}\``) ||
		    code.includes(`group: "${first}"`) &&
		    code.includes("`${group} ${word}`"));
	};
	const commands = [...commandsOfAssayctl()];
	const routes = operatorRoutes();
	for (const [operation, path] of operationsOfConsole()) {
		if (!routes.get(operation) || operation in WITHOUT_COMMAND)
			continue;
		const sends = commands.filter(([, { method, path: target }]) =>
		    `${method} ${target}`.replace(/\{\w+\}/g, "{}") ===
		    operation.replace(/\{\w+\}/g, "{}")).map(([name]) => name);
		const names = FUNCTIONS[operation] ? [FUNCTIONS[operation]] : sends;
		if (names.length === 0)
			yield `${path}: ${operation} has no command of assayctl`;
		for (const name of names)
			if (!shows(name))
				yield `${path}: ${operation} does not show ${name}`;
	}
}

// Changes about which the console does not ask by its table of acts, and why.
const UNDONE_BY = "a rollback undoes it, and its dialog shows the difference";
const CASE = "it concerns one analyst's work, and reopening undoes an outcome";
const OWN = "it concerns the operator's own session or account";
const READS = "it changes nothing";
const HARMLESS = {
	"POST /v1/auth/register": OWN,
	"POST /v1/auth/login": OWN,
	"POST /v1/auth/confirm": OWN,
	"POST /v1/auth/password": OWN,
	"POST /v1/auth/refresh": OWN,
	"POST /v1/auth/logout": OWN,
	"POST /v1/auth/logout-all": OWN,
	"POST /v1/auth/second-factor": OWN,
	"POST /v1/auth/second-factor/enable": OWN,
	"POST /v1/auth/second-factor/disable": OWN,
	"POST /v1/cases/next": CASE,
	"POST /v1/cases/resolve": CASE,
	"POST /v1/cases/{id}/assign": CASE,
	"POST /v1/cases/{id}/release": CASE,
	"POST /v1/cases/{id}/hand-over": CASE,
	"POST /v1/cases/{id}/snooze": CASE,
	"POST /v1/cases/{id}/notes": CASE,
	"POST /v1/cases/{id}/resolve": CASE,
	"POST /v1/cases/{id}/reopen": CASE,
	"POST /v1/graph/reveal": "it reads one value, and the audit trail says so",
	"POST /v1/decisions/{id}/try": READS,
	"POST /v1/rules/check": READS,
	"POST /v1/policies/{id}/simulate": READS,
	"POST /v1/lists/search": READS,
	"POST /v1/lists/import/check": READS,
	"POST /v1/config/retention/preview": READS,
	"POST /v1/backtest": READS,
	"POST /v1/backtest/{id}/cancel": "the backtest can be started again",
	"POST /v1/rules": UNDONE_BY,
	"POST /v1/rules/{eventType}/rollback": UNDONE_BY,
	"POST /v1/policies": UNDONE_BY,
	"POST /v1/policies/{id}/rollback": UNDONE_BY,
	"POST /v1/model/shadow/rollout": "another percentage undoes it",
	"POST /v1/model/shadow/promote": UNDONE_BY,
	"POST /v1/model/shadow/end": "it decides nothing, and can begin again",
	"POST /v1/exceptions": "ending the exception undoes it",
	"POST /v1/exceptions/{id}/end": "it can be made again",
	"POST /v1/lists": "removing the entry undoes it",
	"POST /v1/lists/import": "its dialog shows what it adds and replaces",
	"POST /v1/views": "deleting the view undoes it",
	"POST /v1/webhooks": "revoking it undoes it",
	"POST /v1/notifications": "revoking it undoes it",
	"POST /v1/notifications/{id}/test": "it sends one message",
	"POST /v1/webhooks/deliveries/{id}/redrive": "it sends one message",
	"POST /v1/notifications/deliveries/{id}/redrive": "it sends one message",
	"PUT /v1/queues/{name}": "the same form undoes it",
	"PUT /v1/config/rate-limits": "the same form undoes it",
	"PUT /v1/config/alerts": "the same form undoes it",
	"POST /v1/proposals": "useChange() has asked about what it proposes",
	"POST /v1/proposals/{id}/approve": "its question shows what the act touches",
	"POST /v1/proposals/{id}/reject": "its question takes a reason",
	"POST /v1/proposals/{id}/withdraw": "the change can be proposed again",
};

// Each change of the console is one that acts.js asks about, or harmless.
async function* acts() {
	await import(join(root, "console/acts.js"));
	const { askedFirst } = await import(join(root, "console/api.js"));
	const isAsked = (operation) => askedFirst.has(operation);
	const changes = [...operationsOfConsole().keys()].filter((operation) =>
	    !operation.startsWith("GET "));
	for (const operation of changes)
		if (isAsked(operation) === operation in HARMLESS)
			yield isAsked(operation) ?
			    `acts.js asks about ${operation}, which is harmless` :
			    `acts.js does not ask about ${operation}`;
	for (const operation of Object.keys(HARMLESS))
		if (!changes.includes(operation))
			yield `the console does not send ${operation}`;
}

// Operator routes that no screen uses, and why.
const REDECISIONS = "past events are decided again by assayctl";
const UNUSED = {
	"GET /v1/verdicts": "GET /v1/activity has the same decisions and more members",
	"GET /v1/rules/{eventType}/history": "GET .../versions has more members",
	"GET /v1/policies/{id}/history": "GET .../versions has more members",
	"POST /v1/model/shadow": "its model is a file, which assayctl sends",
	"GET /v1/velocities": "what is counted, and how far it is filled, is for assayctl",
	"GET /v1/redecisions": REDECISIONS,
	"POST /v1/redecisions": REDECISIONS,
	"GET /v1/redecisions/{id}": REDECISIONS,
	"GET /v1/redecisions/{id}/changes": REDECISIONS,
	"POST /v1/redecisions/{id}/cancel": REDECISIONS,
	"GET /v1/config": "the configuration as files, for assayctl",
	"POST /v1/config": "the configuration as files, for assayctl",
};

// The console uses each operator route.
function* routes() {
	const used = operationsOfConsole();
	for (const operation of operatorRoutes().keys())
		if (used.has(operation) === operation in UNUSED)
			yield used.has(operation) ? `the console uses ${operation}` :
			    `no screen uses ${operation}`;
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

// Each name that a module exports is imported by another module or by a test.
function* exported() {
	const tests = filesOf("t/console").map((path) => [path, read(path)]);
	const wanted = new Set([...sources, ...tests].flatMap(([path, source]) =>
	    [...source.matchAll(/\{([^{}]*)\}\s*from\s+"(\.[^"]+)"/g)]
	    .flatMap(([, names, from]) => names.split(",").map((name) =>
		`${join(dirname(path), from)} ${name.trim().split(" ")[0]}`))));
	for (const [path, source] of sources)
		for (const [, name] of source.matchAll(
		    /^export (?:async )?(?:function|const) (\w+)/gm))
			if (!wanted.has(`${path} ${name}`))
				yield `${path} exports ${name}, which nothing imports`;
}

// No module imports itself through others, also when it loads them later, as app.js
// does with those of the screens.  Each of these begins a bundle, and the bundles have all
// modules.
async function* circles() {
	const { default: screens } = await import(join(root, "console/screens.js"));
	const loaded = screens.map(({ id, module = `${id}/screen.js` }) =>
	    `console/${module}`);
	const bundles = read("console/bundles.tbl");
	yield* loaded.filter((path) => !bundles.includes(`\t${path}\n`)).map((path) =>
	    `console/bundles.tbl lacks ${path}`);
	const imports = (path) => [...(sources.get(path) ?? "").matchAll(
	    /(?:\bfrom\s+|^import |\bimport\()"(\.[^"]+)"/gm)].map(([, from]) =>
	    join(dirname(path), from)).concat(path === "console/app.js" ? loaded : []);
	const finished = new Set();
	function* visit(path, above) {
		if (above.includes(path))
			yield [...above.slice(above.indexOf(path)), path].join(" imports ");
		else if (!finished.has(path))
			for (const next of imports(path))
				yield* visit(next, [...above, path]);
		finished.add(path);
	}
	for (const [, path] of bundles.matchAll(/\t(\S+\.js)$/gm))
		yield* visit(path, []);
	yield* scripts.filter((path) => !finished.has(path)).map((path) =>
	    `no bundle has ${path}: is it in console/screens.js?`);
}

// Makefile.am installs each bundle.
function* installed() {
	const made = read("Makefile.am");
	const bundles = [...read("console/bundles.tbl").matchAll(/^(\w\S+)\t/gm)]
	    .map(([, name]) => `console/bundle/${name}`);
	for (const path of new Set(bundles))
		if (!made.includes(`\t${path}`))
			yield `Makefile.am does not name ${path}`;
}

const CHECKS = { refused, lengths, words, stripped, texts, operations, manual,
    assayctl, commanded, acts, routes, declared, exported, circles, installed,
    classes };
for await (const fault of CHECKS[check]())
	console.log(fault);
