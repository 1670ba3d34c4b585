// SPDX-License-Identifier: ISC
// Changes: one call asks about those of acts.js, and makes the change or, if FOUR_EYES
// gives it to a second person, proposes it with a reason.
import { html } from "../../third_party/preact/preact.js";
import { call, urlOf } from "../api.js";
import { errorText } from "../errors.js";
import { go, href } from "../router.js";
import { needsApproval } from "../session.js";
import { t } from "../text.js";
import "./change-text.js";
import { ask } from "./dialog.js";
import { Facts } from "./page.js";
import { toast, useAttempt } from "./toast.js";

// propose({ operation, path, query, body, csv }, reason): the new proposal.  The
// service wants a reason on one line.
export function propose({ operation, path, query, body, csv }, reason) {
	const [method, template] = operation.split(" ");
	return call("POST /v1/proposals", { body: { body: csv ?? body,
	    reason: reason.replace(/\s+/g, " "),
	    action: `${method} ${urlOf(template, path, query)}` } });
}

// Say that a change is proposed.
export function announceProposal({ id }) {
	toast({ text: t("change.proposed"), tone: "good",
	    action: { label: t("change.open"),
		run: () => go(href("/proposals/:id", { id })) } });
}

// What the act touches, and what a proposal does.
function Touched({ facts = [], note = null, proposes = false }) {
	return html`${facts.length > 0 && html`<${Facts} items=${facts} />`}
		${note && html`<p>${note}</p>`}
		${proposes && html`<p>${t("change.propose.text")}</p>`}`;
}

// The question before an act, or before a proposal: the members of ask().
function questionOf(act, { subject, body, cli }) {
	const proposes = needsApproval(subject);
	const title = act ? t(`act.${act.id}`, act.values) : t("change.propose");
	return { title, text: act && t(`act.${act.id}.text`, act.values),
	    children: html`<${Touched} ...${act} proposes=${proposes} />`,
	    confirm: proposes ? t("change.propose") : title, danger: act !== null,
	    cli: cli && (() => cli),
	    note: proposes ? { label: t("change.reason"), required: true,
		hint: t("change.reason.hint"), value: body?.reason } : null };
}

// The act of a request, with what another request answers of it; null if it is
// harmless.  The table of acts is no part of the first screen.
async function readAct(operation, request) {
	const { actOf, operationOf } = await import("../acts.js");
	const act = actOf(operationOf(operation), request);
	if (!act?.reads)
		return act;
	const { operation: read, options, show } = act.reads;
	try {
		const { facts, note } = show(await call(read, { ...options,
		    reads: true }));
		return { ...act, facts: [...act.facts ?? [], ...facts], note };
	} catch (error) {
		return { ...act, note: t("act.untold", { why: errorText(error) }) };
	}
}

// touchesOf(OPERATION, REQUEST): what an act does that someone else proposes, as a
// part of a question; "" if it is harmless.
export async function touchesOf(operation, request) {
	const act = await readAct(operation, request);
	return act === null ? "" : html`<p>${t(`act.${act.id}.text`, act.values)}</p>
		<${Touched} ...${act} />`;
}

// changeLabel(subject, text): what a button says: text, or that it proposes.
export function changeLabel(subject, text) {
	return needsApproval(subject) ? t("change.label", { what: text }) : text;
}

// useChange(): [busy, change].  await change({ subject, operation, path, query,
// body, csv, about, cli, done, failed }) resolves to the answer of the change, to
// { proposal }, to null if the operator says no, and to undefined after an error,
// which a toast has shown.  subject is a word of FOUR_EYES, or null; about is what
// acts.js says of the object; cli gives the members of Cli.
export function useChange() {
	const [busy, run] = useAttempt();
	// "" without a question; null: no; undefined: what it touches is unknown.
	async function sure(operation, asked) {
		const found = await run(async () =>
		    ({ act: await readAct(operation, asked) }));
		if (!found || found.act === null && !needsApproval(asked.subject))
			return found && "";
		return ask(questionOf(found.act, asked));
	}
	async function change({ operation, done = null, failed = undefined,
	    ...asked }) {
		const reason = await sure(operation, asked);
		if (reason === null || reason === undefined)
			return reason;
		const { path, query, body, csv } = asked;
		const request = { path, query, body, csv };
		if (!needsApproval(asked.subject))
			return run(() => call(operation, { ...request, asked: true }),
			    { done, failed });
		const proposal = await run(() => propose({ operation, ...request },
		    reason), { failed });
		if (!proposal)
			return proposal;
		announceProposal(proposal);
		return { proposal };
	}
	return [busy, change];
}
