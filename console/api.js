// SPDX-License-Identifier: ISC
// Requests to the API.  call("GET /v1/cases/{id}", { path: { id } }) names the
// operation as docs/openapi.json does; t/console.sh compares them.
import { signal } from "../third_party/preact/preact.js";

// The pool has few workers for operators: no more calls than this at once.
const MOST_CALLS = 4;
const READ_TRIES = 4;
const LONGEST_WAIT = 30;

// Seconds until a refused request is sent again; null: none waits.
export const waiting = signal(null);
// The clock of the service minus the clock of this machine, in milliseconds.
export const skew = signal(0);

// status 0: no answer.  code is one of core/base/codes.tbl, or OFFLINE.
export class ApiError extends Error {
	constructor(status, code, message, retryAfter = null) {
		super(message);
		Object.assign(this, { status, code, retryAfter });
	}
}

// What to do about an error code before the caller gets it: a function that
// resolves to true if the request is to be sent again.  session.js knows the
// codes of sessions.
const remedies = new Map();
export function remedy(code, work) {
	remedies.set(code, work);
}

// The operations about which ui/change.js asks first; acts.js adds them with the first
// change.
export const askedFirst = new Set();

let underWay = 0;
const queue = [];

async function enter(abort) {
	if (underWay >= MOST_CALLS)
		await new Promise((free) => queue.push(free));
	underWay++;
	if (abort?.aborted) {
		leave();
		throw abort.reason;
	}
}

function leave() {
	underWay--;
	queue.shift()?.();
}

// urlOf(path, parameters, query): ids are one segment, percent-encoded.
export function urlOf(template, path = {}, query = {}) {
	const url = template.replace(/\{(\w+)\}/g, (_, name) =>
	    encodeURIComponent(path[name]));
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(query))
		if (value !== null && value !== undefined && value !== "")
			search.set(name, value);
	const text = search.toString();
	return text === "" ? url : `${url}?${text}`;
}

function requestOf(method, { body, csv, signal: abort }) {
	const headers = { "Assay-Session": "cookie" };
	if (csv !== undefined)
		headers["Content-Type"] = "text/csv";
	else if (body !== undefined)
		headers["Content-Type"] = "application/json";
	return { method, headers, signal: abort, credentials: "same-origin",
	    cache: "no-store", redirect: "error",
	    body: csv ?? (body === undefined ? undefined : JSON.stringify(body)) };
}

async function once(url, request) {
	await enter(request.signal);
	try {
		const answer = await fetch(url, request);
		const text = await answer.text();
		noteClock(answer.headers.get("date"));
		return { answer, text };
	} catch (error) {
		if (request.signal?.aborted)
			throw error;
		throw new ApiError(0, "OFFLINE", "");
	} finally {
		leave();
	}
}

function noteClock(date) {
	const at = Date.parse(date ?? "");
	// The header has whole seconds.
	if (!Number.isNaN(at) && Math.abs(at - Date.now() - skew.value) > 2000)
		skew.value = at - Date.now();
}

function errorOf(answer, text) {
	let body = null;
	try {
		body = JSON.parse(text);
	} catch {
		// Something between nginx and here has answered.
	}
	return new ApiError(answer.status, body?.code ?? "INTERNAL",
	    body?.message ?? "", Number(answer.headers.get("retry-after")) || null);
}

// Wait as the service asks; waiting counts the seconds down.
async function pause(seconds, abort) {
	for (let left = seconds; left > 0 && !abort?.aborted; left--) {
		waiting.value = left;
		await new Promise((done) => setTimeout(done, 1000));
	}
	waiting.value = null;
	abort?.throwIfAborted();
}

// Whether to wait and send again.  The service has not acted on a request that
// it refused with 429, so a change may be repeated too.
function again(error, reads, tries) {
	const mayRepeat = reads && [429, 503].includes(error.status) ||
	    error.status === 429 && error.retryAfter <= 5;
	return mayRepeat && tries < READ_TRIES &&
	    (error.retryAfter ?? 1) <= LONGEST_WAIT;
}

// send(operation, options): { data, headers } of a successful answer; otherwise it
// throws an ApiError, or the reason of options.signal.
//
//	path, query	values of {names} and of the query
//	body, csv	the body, as JSON or as text/csv
//	signal		aborts it
//	reads		true: the request changes nothing, as a GET, so 503 repeats it
//	plain		true: errors go to the caller without a remedy
//	asked		true: the operator was asked, as acts.js wants; only
//			ui/change.js says so
export async function send(operation, options = {}) {
	if (askedFirst.has(operation) && !options.asked && !options.reads)
		throw new Error(`${operation} was not asked about`);
	const [method, template] = operation.split(" ");
	const url = urlOf(template, options.path, options.query);
	for (let tries = 1; ; tries++) {
		const { answer, text } = await once(url,
		    requestOf(method, options));
		if (answer.ok)
			return { data: text === "" ? null : JSON.parse(text),
			    headers: answer.headers };
		const error = errorOf(answer, text);
		if (again(error, options.reads ?? method === "GET", tries)) {
			await pause(error.retryAfter ?? 1, options.signal);
			continue;
		}
		const work = options.plain ? undefined : remedies.get(error.code);
		if (work === undefined || tries > READ_TRIES ||
		    !await work(error))
			throw error;
	}
}

// call(operation, options): the body of the answer.
export async function call(operation, options) {
	return (await send(operation, options)).data;
}
