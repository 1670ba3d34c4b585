// SPDX-License-Identifier: ISC
// Changes that FOUR_EYES may give to a second person: one call makes the change, or
// asks for a reason and proposes it.
import { call, urlOf } from "../api.js";
import { go, href } from "../router.js";
import { needsApproval } from "../session.js";
import { t } from "../text.js";
import "../text/change.js";
import { ask } from "./dialog.js";
import { toast, useAct } from "./toast.js";

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

// Ask for a reason; resolves to the proposal, or to null without one.
async function askAndPropose(request) {
	const reason = await ask({ title: t("change.propose"),
	    text: t("change.propose.text"), confirm: t("change.propose"),
	    note: { label: t("change.reason"), hint: t("change.reason.hint"),
		required: true } });
	return reason === null ? null : propose(request, reason);
}

// changeLabel(subject, text): what a button says: text, or that it proposes.
export function changeLabel(subject, text) {
	return needsApproval(subject) ? t("change.label", { what: text }) : text;
}

// useChange(): [busy, change].  await change({ subject, operation, path, query,
// body, csv, done, failed }) resolves to the answer of the change, to { proposal },
// to null if the operator gives no reason, and to undefined after an error, which
// a toast has shown.  subject is a word of FOUR_EYES, or null.
export function useChange() {
	const [busy, act] = useAct();
	async function change({ subject = null, operation, done = null,
	    failed = undefined, ...request }) {
		if (!needsApproval(subject))
			return act(() => call(operation, request), { done, failed });
		const proposal = await act(() =>
		    askAndPropose({ operation, ...request }),
		    { failed });
		if (!proposal)
			return proposal;
		announceProposal(proposal);
		return { proposal };
	}
	return [busy, change];
}
