// SPDX-License-Identifier: ISC
// What an operator should know first: whether decisions are made as usual, what is
// stuck, and which proposals wait for a second person.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { duration, number } from "../format.js";
import { href } from "../router.js";
import screens from "../screens.js";
import { allowed, can } from "../session.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { LoadNote } from "../ui/empty.js";
import { Note } from "../ui/page.js";

const LATE_SECONDS = 120;
const MOST_PENDING = 20;
// From here on a population stability index means a shift that matters.
const DRIFTED = 0.25;

// A row for each condition of GET /v1/status: tone, whether it holds, its text, and
// the screen that shows more.
const CONDITIONS = [
	["bad", ({ database }) => database === "down",
	    () => t("home.down")],
	["bad", ({ degraded, database }) => degraded && database !== "down",
	    ({ spoolRecords }) => t("home.degraded", { n: spoolRecords })],
	["warn", ({ model }) => model.refused, () => t("home.refused"), "model"],
	["warn", ({ deadLetters }) => deadLetters.webhooks + deadLetters.alerts > 0,
	    ({ deadLetters }) => t("home.dead",
	    { n: deadLetters.webhooks + deadLetters.alerts }), "deliveries"],
	["warn", ({ outboxOldestSeconds }) => outboxOldestSeconds > LATE_SECONDS,
	    ({ outboxOldestSeconds: late, outboxEvents }) => t("home.outbox",
	    { age: duration(late), n: outboxEvents }), "deliveries"],
	["warn", ({ analyticsLagSeconds }) => analyticsLagSeconds > LATE_SECONDS,
	    ({ analyticsLagSeconds: late }) => t("home.lag",
	    { age: duration(late) })],
	["warn", ({ drift }) => drifted(drift).length > 0,
	    ({ drift }) => t("home.drift", { types: drifted(drift).map(
	    ({ eventType, psi }) => `${eventType} ${number(psi)}`).join(", ") }),
	    "model"],
];

function drifted(drift) {
	return drift.filter(({ psi }) => psi !== null && psi >= DRIFTED);
}

// conditions STATUS: those that hold, as { tone, text, to }.
function conditions(status) {
	return CONDITIONS.filter(([, holds]) => holds(status)).map(
	    ([tone, , text, to]) => ({ tone, text: text(status), to }));
}

// The address of a screen, if there is one that the operator may open.
function addressOf(id) {
	const screen = screens.find((one) => one.id === id);
	return screen !== undefined && allowed(screen) ? href(screen.paths[0]) :
	    null;
}

function Line({ tone, text, to }) {
	const address = addressOf(to);
	return html`<${Note} tone=${tone}>${address === null ? text :
	    html`<a href=${address}>${text}</a>`}</${Note}>`;
}

// pending PROPOSALS: the line about those that wait.
function pending(proposals) {
	const n = proposals.length;
	return n === 0 ? [] : [{ tone: "info", to: "proposals", text: t(
	    n < MOST_PENDING ? "home.proposals" : "home.proposals.most", { n }) }];
}

// What the operator should know of each part: its name, its load, and the lines that
// linesOf(data) makes.
function useParts(every) {
	const status = useLoad((signal) => call("GET /v1/status", { signal }), [],
	    { every });
	const decides = can("rules.propose");
	const proposals = useLoad((signal) => decides ?
	    call("GET /v1/proposals", { query: { status: "pending",
		limit: MOST_PENDING },
		signal }) : Promise.resolve([]), [decides], { every });
	return [{ part: t("home.part.status"), load: status, linesOf: conditions },
	    { part: t("nav.proposals"), load: proposals, linesOf: pending }];
}

// every: milliseconds between two looks.  A part that could not be looked at is a
// line, too; only when all parts are known there can be nothing.
export function Attention({ every }) {
	const parts = useParts(every);
	const lines = parts.flatMap(({ load, linesOf }) =>
	    load.data === undefined ? [] : linesOf(load.data));
	const looks = parts.some(({ load: { data, error } }) =>
	    data === undefined && error === null);
	const quiet = lines.length === 0 && parts.every(({ load }) =>
	    load.error === null);
	return html`<div class="stack">${parts.map(({ part, load }) =>
	    html`<${LoadNote} key=${part} part=${part} load=${load} />`)}
		${lines.map((line) => html`<${Line} key=${line.text} ...${line} />`)}
		${(looks || quiet) && html`<p class="muted" role="status">${
		    t(looks ? "home.looks" : "home.quiet")}</p>`}</div>`;
}
