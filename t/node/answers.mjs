// SPDX-License-Identifier: ISC
// Compare answers of the running service with docs/openapi.json:
//
//	node answers.mjs MODULES openapi.json FILE ...
//
// A file has the requests of one scenario, as http() of t/http/lib.sh records
// them.  The script prints each fault as a line.  It closes schemas that allow
// unknown fields, so that an answered field without a description is a fault.
// A body that the service accepted must match its schema too.
// With --released before MODULES the description is that of an earlier release,
// which later answers may extend.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const released = process.argv[2] === "--released";
const [modules, description, ...files] = process.argv.slice(released ? 3 : 2);
const require = createRequire(modules + "/");
const Ajv = require("ajv/dist/2020").default;
const formats = require("ajv-formats").default;

const RECORD = "\x1e";
const UNIT = "\x1f";
// Headers that must be described if an answer has them.
const TELLING = /^(x-ratelimit-|x-engine-|retry-after|www-authenticate|set-cookie|allow$)/;
// Files, which are not described.
const FILES = /^\/(console|docs|openapi\.json)/;
// The lists of words that never grow, by one of their words: verdicts, outcomes and
// kinds of lists.
const FIXED = ["allow", "fraud", "block"];
// The statuses with which any request may be refused.
const ANYWHERE = new Set([404, 405, 408, 414, 431, 501, 505]);

const api = JSON.parse(readFileSync(description, "utf8"));
const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true,
    strictTypes: false, strictRequired: false });
formats(ajv);
ajv.addVocabulary([...Object.keys(api), "example", "discriminator"]);
ajv.addSchema(released ? grown(api) : api, "open:");
ajv.addSchema(closed(api), "closed:");

const faults = new Map();
const succeeded = new Set();
let answers = 0;

// A copy of the description in which objects have only the named fields.
function closed(value) {
	if (Array.isArray(value))
		return value.map(closed);
	if (value === null || typeof value !== "object")
		return value;
	const copy = {};
	for (const [name, part] of Object.entries(value))
		copy[name] = closed(part);
	if (copy.type === "object" && copy.properties &&
	    copy.additionalProperties === undefined)
		copy.additionalProperties = false;
	return copy;
}

// The description of an earlier release, in which later ones may have added words to
// a list of words: "Versions of the interface" in assay-api(7).
function grown({ components, ...rest }) {
	const schemas = Object.entries(components.schemas).map(([name, schema]) => {
		const { enum: words = [], ...open } = schema;
		const grows = words.length > 1 &&
		    !FIXED.some((word) => words.includes(word));
		return [name, grows ? open : schema];
	});
	return { ...rest, components: { ...components,
	    schemas: Object.fromEntries(schemas) } };
}

function pointer(...path) {
	return "#/" + path.map((part) => encodeURIComponent(
	    String(part).replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
}

// The value at a path of the description, and its path, after all references.
function at(...path) {
	let value = api;
	for (const part of path)
		value = value?.[part];
	if (value?.$ref)
		return at(...value.$ref.slice(2).split("/").map((part) =>
		    part.replaceAll("~1", "/").replaceAll("~0", "~")));
	return { value, path };
}

// Why a value does not match the schema at this path; "" if it does.
function wrong(base, path, value) {
	const check = ajv.getSchema(base + pointer(...path));
	if (check(value))
		return "";
	return check.errors.slice(0, 3).map((error) =>
	    `${error.instancePath} ${error.message} ` +
	    JSON.stringify(error.params)).join("; ");
}

// The described path of a target: a literal segment precedes a parameter.
const templates = Object.keys(api.paths).map((path) => ({ path,
    parameters: path.split("{").length,
    pattern: new RegExp("^" + path.replaceAll(".", "\\.")
	.replace(/\{\w+\}/g, "[^/]+") + "$") }))
    .sort((a, b) => a.parameters - b.parameters);

function template(target) {
	const path = target.split("?")[0];
	return templates.find(({ pattern }) => pattern.test(path))?.path;
}

function parsed(text) {
	try {
		return { json: JSON.parse(text) };
	} catch (error) {
		return { why: error.message };
	}
}

function headersOf(text) {
	const headers = new Map();
	for (const line of text.split("\n").slice(1)) {
		const [, name, value] = /^([^:]+): *(.*)$/.exec(line) ?? [];
		if (name)
			headers.set(name.toLowerCase(), value);
	}
	return headers;
}

// Yield each fault of a request and its answer.
function* judge(method, target, sent, status, headers, body) {
	const path = template(target);
	const operation = path && at("paths", path, method.toLowerCase());
	if (!operation?.value) {
		if (!ANYWHERE.has(status) && status !== 503 && status !== 429)
			yield "is not described";
		return;
	}
	const responses = [...operation.path, "responses"];
	const exact = operation.value.responses[status] !== undefined;
	if (!exact && !ANYWHERE.has(status)) {
		yield `does not describe ${status}`;
		return;
	}
	if (!exact && status === 404 && path.includes("{")) {
		yield "does not describe 404";
		return;
	}
	const response = at(...responses, exact ? status : "default");
	yield* judgeHeaders(response.value.headers ?? {}, headers);
	yield* judgeBody(response, status, headers, body);
	if (status < 300) {
		succeeded.add(`${method} ${path}`);
		yield* judgeSent(operation, sent, body);
	}
}

function* judgeHeaders(described, headers) {
	const known = new Set();
	for (const name of Object.keys(described)) {
		known.add(name.toLowerCase());
		const header = described[name].$ref ?
		    at("components", "headers", name).value : described[name];
		if (header.required && !headers.has(name.toLowerCase()))
			yield `lacks the header ${name}`;
	}
	for (const name of released ? [] : headers.keys())
		if (TELLING.test(name) && !known.has(name))
			yield `does not describe the header ${name}`;
}

function* judgeBody(response, status, headers, body) {
	const type = (headers.get("content-type") ?? "").split(";")[0];
	const content = response.value.content?.[type];
	if (!content) {
		yield `does not describe ${type || "no type"}`;
		return;
	}
	const { json, why } = type === "application/json" ? parsed(body) :
	    { json: body };
	if (why) {
		yield `is no JSON: ${why}`;
		return;
	}
	const fault = wrong(released ? "open:" : "closed:", [...response.path, "content", type,
	    "schema"], json);
	if (fault)
		yield fault;
	if (status >= 400 && json.error && response.value.content[type].examples &&
	    !(json.code in content.examples) && status !== 404)
		yield `has no example of ${json.code}`;
}

// The accepted parts of a request: of a batch the events whose entries are ok.
function taken(json, body) {
	const { json: answer } = parsed(body);
	if (!Array.isArray(json?.events) || !Array.isArray(answer?.results))
		return json;
	const events = json.events.filter((_, i) => answer.results[i]?.ok);
	return events.length > 0 ? { ...json, events } : undefined;
}

function* judgeSent(operation, sent, body) {
	const content = operation.value.requestBody?.content["application/json"];
	const { json, why } = parsed(sent);
	if (!content || why || taken(json, body) === undefined)
		return;
	const fault = wrong("open:", [...operation.path, "requestBody", "content",
	    "application/json", "schema"], taken(json, body));
	if (fault)
		yield `took what it does not describe: ${fault}`;
}

for (const file of files) {
	const scenario = basename(file, ".answers");
	for (const record of readFileSync(file, "utf8").split(RECORD).slice(1)) {
		const [method, target, sent, status, head, body] =
		    record.split(UNIT);
		answers++;
		if (method === "HEAD" || FILES.test(target))
			continue;
		for (const why of judge(method, target, sent, Number(status),
		    headersOf(head), body.replace(/\n$/, ""))) {
			const what = `${method} ${template(target) ?? "?"} ` +
			    `${status}: ${why}`;
			if (!faults.has(what))
				faults.set(what, scenario);
		}
	}
}
for (const [what, scenario] of faults)
	console.log(`${what} (${scenario})`);
for (const [path, operations] of Object.entries(released ? {} : api.paths))
	for (const method of Object.keys(operations))
		if (!succeeded.has(`${method.toUpperCase()} ${path}`))
			console.log(`${method.toUpperCase()} ${path}: ` +
			    "no scenario saw it succeed");
console.error(`${answers} answers`);
