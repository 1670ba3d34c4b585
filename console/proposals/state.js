// SPDX-License-Identifier: ISC
// What a proposal is about, and its state as a mark.
import { html } from "../../third_party/preact/preact.js";
import { t } from "../text.js";
import { Badge } from "../ui/badge.js";
import "./text.js";

const STATE_TONES = { pending: "info", running: "info", approved: "good", failed: "bad",
    rejected: "bad" };

// isRollout(proposal): whether it changes for how many users a shadow decides.
export const isRollout = ({ action }) => action.endsWith("/rollout");

// Whether it makes an exception.
const isException = ({ action }) => action === "POST /v1/exceptions";

// subjectOf(proposal): what it is about, in words.
export function subjectOf(proposal) {
	const word = proposal.shadow ? "begin" : isRollout(proposal) ? "rollout" :
	    isException(proposal) ? "exception" : proposal.subject;
	return t(`proposals.subject.${word}`);
}

export function ProposalState({ proposal }) {
	const stale = proposal.status === "pending" && proposal.stale;
	return html`<${Badge} tone=${stale ? "warn" :
	    STATE_TONES[proposal.status] ?? "plain"}>${t(`proposals.${
	    stale ? "stale" : proposal.status}`)}</${Badge}>`;
}
