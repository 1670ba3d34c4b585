// SPDX-License-Identifier: ISC
// What an analyst does with a case.  attempt is that of useAttempt(); each function
// returns what attempt() returns: undefined after an error, which the analyst has read,
// and null if nothing was done: the analyst says no, or other work is under way.
import { call } from "../api.js";
import { go, href, route } from "../router.js";
import { t } from "../text.js";
import { ask } from "../ui/dialog.js";
import { toast } from "../ui/toast.js";
import { othersClaim } from "./badges.js";
import { caseLines, untilIn } from "./commands.js";
import { nextBody } from "./query.js";
import "./text.js";
import { keepCase } from "./worklist.js";

// For how many hours a case can be snoozed.
export const delays = [1, 4, 24, 72, 168, 720];

// openNext ATTEMPT QUERY: get the next case of a list and open it; true if there is one.
// The service gives each analyst another case.  It stays closed if the analyst has
// opened another page meanwhile.
export async function openNext(attempt, query) {
	const { path } = route.value;
	const answer = await attempt(() => call("POST /v1/cases/next",
	    { body: nextBody(query) }));
	if (answer?.case) {
		keepCase(answer.case);
		const open = () => go(href("/cases/:id", { id: answer.case.id }));
		if (route.value.path === path)
			open();
		else
			toast({ text: t("cases.given"), action: { run: open,
			    label: t("cases.given.open") } });
	} else if (answer?.held) {
		toast({ text: t("cases.held", { n: answer.held }),
		    action: { label: t("cases.held.open"),
			run: () => go(href("/cases", {}, { state: "mine" })) } });
	} else if (answer) {
		toast({ text: t("cases.none"), tone: "good" });
	}
	return Boolean(answer?.case);
}

// mayChange ROW: true, or what the analyst answers if another one has the case.
export async function mayChange(row, doing) {
	return !othersClaim(row) || await ask({ title: t("cases.theirs.title"),
	    text: t("cases.theirs", { who: row.assignedTo }), confirm: doing }) !== null;
}

// take ATTEMPT ROW THEN: assign it to the analyst.  It is read again first: another
// analyst may have taken it since the list was loaded.  The page takes no keys before
// then() has loaded what it shows.
export async function take(attempt, { id }, then = () => {}) {
	const row = await attempt(() => call("GET /v1/cases/{id}", { path: { id } }));
	if (!row || !await mayChange(row, t("cases.take")))
		return null;
	return attempt(async () => {
		const answer = await call("POST /v1/cases/{id}/assign", { path: { id } });
		await then();
		return answer;
	}, { done: t("cases.taken") });
}

export function release(attempt, { id }) {
	return attempt(() => call("POST /v1/cases/{id}/release", { path: { id } }),
	    { done: t("cases.released") });
}

export function handOver(attempt, { id }, to) {
	return attempt(() => call("POST /v1/cases/{id}/hand-over",
	    { path: { id }, body: { to } }), { done: t("cases.handed", { to }) });
}

// snooze ATTEMPT ROW HOURS: null wakes it.
export function snooze(attempt, { id }, hours) {
	const until = hours === null ? null : untilIn(hours);
	return attempt(() => call("POST /v1/cases/{id}/snooze",
	    { path: { id }, body: { until } }),
	    { done: t(until === null ? "cases.woken" : "cases.snoozed") });
}

export async function reopen(attempt, { id }) {
	const note = await ask({ title: t("cases.reopen.title"),
	    text: t("cases.reopen.text"), confirm: t("cases.reopen"),
	    cli: (text) => caseLines.reopen(id, text),
	    note: { label: t("cases.note"), required: false } });
	return note === null ? null : attempt(() => call("POST /v1/cases/{id}/reopen",
	    { path: { id }, body: note === "" ? {} : { note } }),
	    { done: t("cases.reopened") });
}

export function addNote(attempt, { id }, text) {
	return attempt(() => call("POST /v1/cases/{id}/notes",
	    { path: { id }, body: { text } }), { done: t("cases.noted") });
}
