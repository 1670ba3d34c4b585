// SPDX-License-Identifier: ISC
// The acts that the console asks about before it sends them: those that change who may
// do what, and those that cannot be undone.  t/console/lint.mjs lists the other changes
// and why they are harmless; no change is in neither list.
//
//	operation	of docs/openapi.json
//	act		of a request { path, body, about }: { id, values, facts,
//			reads }, or null if this request is harmless
//
// about	what the screen knows of the object, as the row of a table
// id		"act.ID" is the title and the button; "act.ID.text" says what will be
//		true afterwards
// facts	what the act touches, as [label, value] pairs
// reads	{ operation, options, show }: a request that tells more of it;
//		show(answer) gives { facts, note }, whose note is a sentence
import "./acts-text.js";
import { askedFirst } from "./api.js";
import { number } from "./format.js";
import { t } from "./text.js";

// The member of a change of an operator, and its value where that makes an act.
function operatorAct({ path: { email }, body, about }) {
	const [[member, value]] = Object.entries(body);
	return { id: member === "password" ? "operator.password" :
	    `operator.${member}.${value}`, values: { email },
	    facts: [[t("act.admins"), number(adminsAfter(about, email, body))]] };
}

// How many admins can sign in after a change of one operator.
function adminsAfter({ users }, email, { role, disabled }) {
	return users.map((user) => user.email === email ? { ...user,
	    role: role ?? user.role, disabled: disabled ?? user.disabled } : user)
	    .filter((user) => user.role === "admin" && !user.disabled).length;
}

function newKey({ body: { name, scopes, expiresInDays } }) {
	return { id: "key.create", values: { name }, facts: [
	    [t("act.scopes"), scopes.join(", ")],
	    [t("act.days"), expiresInDays ? number(expiresInDays) :
		t("act.days.none")]] };
}

function endedKey({ about: { name, prefix, scopes, createdBy } }) {
	return { id: "key.revoke", values: { name }, facts: [
	    [t("act.prefix"), `${prefix}…`], [t("act.scopes"), scopes.join(", ")],
	    [t("act.by"), createdBy]] };
}

// The service shows at most so many deliveries of a state.
const MOST_SHOWN = 200;
function counted(n) {
	return n < MOST_SHOWN ? number(n) : t("act.least", { n });
}

// owner: the member of a delivery that has the id of its receiver.
const endedReceiver = (deliveries, owner) => ({ path: { id }, about }) => ({
	id: "receiver.revoke", values: { url: about.url ?? about.urlHint },
	reads: { operation: deliveries, show: ({ pending }) => ({
	    facts: [[t("act.pending"), pending.length < MOST_SHOWN ?
		number(pending.filter((one) => one[owner] === id).length) :
		t("act.unknown")]] }) } });

const redriven = (deliveries) => () => ({ id: "receiver.redrive",
	reads: { operation: deliveries, show: ({ dead }) => ({
	    facts: [[t("act.dead"), counted(dead.length)]] }) } });

// Whether less is kept: a window of 0 days keeps for ever.  null stands for a number
// that the console does not know, and so does a window that it has not read.
function isShorter(days, before) {
	return days === null || before === undefined ||
	    days > 0 && (before === 0 || days < before);
}

// What the next sweep removes, by the kind of rows.
function swept({ removes }) {
	const facts = Object.entries(removes).filter(([, { rows }]) => rows > 0)
	    .map(([name, { days, rows, exact, before }]) => [t(`act.rows.${name}`),
		t(exact ? "act.rows" : "act.rows.about", { n: rows,
		    kept: t("act.kept", { n: days }), day: before.slice(0, 10) })]);
	return { facts, note: facts.length === 0 ? t("act.rows.none") : null };
}
const sweep = (body) => ({ operation: "POST /v1/config/retention/preview",
	options: { body }, show: swept });

function windows({ body, about: { days = {} } }) {
	const shorter = Object.keys(body).some((name) => isShorter(body[name],
	    days[name]));
	return shorter ? { id: "retention.shorten", reads: sweep(body) } : null;
}

// The kinds of what is stored of a user and removed with the user, and the most that
// the service counts.
const STORED = ["decisions", "cases", "links", "events", "views", "exceptions"];
const MOST_STORED = 10000;

// isKnown STORED: whether anything is stored of a user.
export function isKnown(stored) {
	return stored.graph || stored.baseline ||
	    STORED.some((name) => stored[name] > 0);
}

// storedFacts(STORED, NAMES): what is stored of a user, as facts.
export function storedFacts(stored, names = STORED) {
	return [...names.filter((name) => stored[name] > 0).map((name) =>
	    [t(`act.stored.${name}`), stored[name] < MOST_STORED ?
		number(stored[name]) : t("act.least", { n: MOST_STORED })]),
	    ...stored.baseline ? [[t("act.stored.baseline"), t("act.yes")]] : []];
}

function erasure({ body }) {
	return { id: "erase", values: body, reads: {
	    operation: "POST /v1/privacy/erase",
	    options: { body: { ...body, rehearse: true } },
	    show: ({ stored }) => ({
		facts: storedFacts(stored, [...STORED, "listEntries"]),
		note: isKnown(stored) ? null : t("act.stored.none") }) } };
}

const ACTS = {
	"POST /v1/auth/users": ({ body: { email, role } }) => ({
	    id: `operator.new.${role}`, values: { email } }),
	"PATCH /v1/auth/users/{email}": operatorAct,
	"POST /v1/apikeys": newKey,
	"POST /v1/apikeys/{id}/revoke": endedKey,
	"POST /v1/webhooks/{id}/revoke":
	    endedReceiver("GET /v1/webhooks/deliveries", "endpointId"),
	"POST /v1/notifications/{id}/revoke":
	    endedReceiver("GET /v1/notifications/deliveries", "channelId"),
	"POST /v1/webhooks/deliveries/redrive":
	    redriven("GET /v1/webhooks/deliveries"),
	"POST /v1/notifications/deliveries/redrive":
	    redriven("GET /v1/notifications/deliveries"),
	"PUT /v1/config/retention": windows,
	"POST /v1/config/retention/run": () => ({ id: "retention.run",
	    reads: sweep({}) }),
	"POST /v1/privacy/erase": erasure,
	"DELETE /v1/lists/{id}": ({ about }) => ({ id: about.value === undefined ?
	    "entry.drop" : "entry.remove", values: about }),
	"DELETE /v1/views/{id}": ({ about }) => ({ id: about.shared ?
	    "view.delete.shared" : "view.delete", values: about }),
};

Object.keys(ACTS).forEach((operation) => askedFirst.add(operation));

// operationOf ACTION: the operation of an act whose path has its values, as a proposal
// has it; the action itself if it is no act.
export function operationOf(action) {
	return Object.keys(ACTS).find((one) => new RegExp(`^${
	    one.replace(/\{\w+\}/g, "[^/]+")}$`).test(action)) ?? action;
}

// actOf(OPERATION, REQUEST): what the act is, or null if it is harmless.
export function actOf(operation, { path = {}, body = {}, about = {} }) {
	return ACTS[operation]?.({ path, body, about }) ?? null;
}
