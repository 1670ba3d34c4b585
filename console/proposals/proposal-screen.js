// SPDX-License-Identifier: ISC
// One proposal: what would change, why, and the decision of a second person.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { Effect, hasEffect, resultOf, targetOf } from "./effect.js";
import { ProposalState, subjectOf } from "./state.js";
import { href } from "../router.js";
import { Difference } from "../versions/difference.js";
import { seeShadow } from "../versions/release.js";
import { can, session } from "../session.js";
import { useKeys } from "../keys.js";
import { useLoad, useSignal } from "../store.js";
import { t } from "../text.js";
import "./text.js";
import { touchesOf } from "../ui/change.js";
import { Cli, Id } from "../ui/copy.js";
import { ask } from "../ui/dialog.js";
import { Loaded } from "../ui/empty.js";
import { Button } from "../ui/form.js";
import { Facts, Note, Page, Section } from "../ui/page.js";
import { ZonedTime } from "../ui/time.js";
import { toast, useAttempt } from "../ui/toast.js";

const PERSONAL_SUBJECTS = ["lists", "erasure"];
const ACTS = {
	approve: { operation: "POST /v1/proposals/{id}/approve", kind: "primary" },
	reject: { operation: "POST /v1/proposals/{id}/reject", kind: "danger" },
	withdraw: { operation: "POST /v1/proposals/{id}/withdraw", kind: "plain" },
};

// What the operator may do with the proposal.
function actsOf(proposal, me) {
	if (proposal.status !== "pending")
		return [];
	const own = proposal.author === me.email;
	const decide = can("proposals.decide");
	return [...own ? ["withdraw"] : [], ...decide ? ["reject"] : [],
	    ...decide && !own && !proposal.stale ? ["approve"] : []];
}

// The title of the window, which the history of the browser keeps, and the heading:
// the target of a list entry or of an erasure may be a value of a person.
function namesOf(proposal) {
	if (proposal === undefined)
		return { title: t("nav.proposal") };
	const { subject, target, version } = proposal;
	const title = subjectOf(proposal);
	const heading = [title, target, version].filter(Boolean).join(" ");
	return { title: PERSONAL_SUBJECTS.includes(subject) ? title : heading, heading };
}

function Why({ proposal, me }) {
	if (proposal.status !== "pending")
		return null;
	const why = proposal.stale ? "stale" : proposal.author === me.email ? "own" :
	    can("proposals.decide") ? null : "role";
	return why && html`<${Note} tone=${why === "stale" ? "warn" : "info"}>${
	    t(`proposals.why.${why}`)}</${Note}>`;
}

function Summary({ proposal }) {
	return html`<${Section}><${Facts} items=${[
	    [t("proposals.state"), html`<${ProposalState} proposal=${proposal} />`],
	    [t("proposals.result"), resultOf(proposal)],
	    [t("proposals.target"), targetOf(proposal)],
	    [t("proposals.action"), html`<code>${proposal.action}</code>`],
	    [t("release.version"), proposal.version &&
		html`<code>${proposal.version}</code>`],
	    [t("proposals.reason"), proposal.reason],
	    [t("proposals.author"), proposal.author],
	    [t("proposals.created"),
		html`<${ZonedTime} at=${proposal.createdAt} />`],
	    [t("proposals.by"), proposal.decidedBy],
	    [t("proposals.decided"),
		proposal.decidedAt && html`<${ZonedTime} at=${proposal.decidedAt} />`],
	    [t("proposals.answer"), proposal.decisionReason],
	    [t("proposals.id"), html`<${Id} id=${proposal.id} />`],
	]} /></${Section}>`;
}

// What the texts are compared with.
function diffTitle({ status, stale }) {
	return t(stale ? "proposals.diff.stale" : status === "pending" ?
	    "proposals.diff.active" : "proposals.diff");
}

function Content({ proposal }) {
	const { before, after, body } = proposal;
	const title = diffTitle(proposal);
	if (after !== null)
		return html`<${Section} title=${title}><${Difference} label=${title}
			before=${before ?? ""} after=${after} /></${Section}>`;
	return html`<${Section} title=${t("proposals.body")}>${
	    body === null ? html`<p class="muted">${t("proposals.body.gone")}</p>` :
	    html`<pre class="preview" tabindex="0" aria-label=${t("proposals.body")}>${
		typeof body === "string" ? body : JSON.stringify(body, null, 2)}</pre>`}
	</${Section}>`;
}

export default function Proposal({ params: { id } }) {
	const { me } = useSignal(session);
	const load = useLoad((signal) => call("GET /v1/proposals/{id}",
	    { path: { id }, signal }), [id]);
	const [busy, attempt] = useAttempt();
	const offered = load.data ? actsOf(load.data, me) : [];
	async function run(name) {
		const { action, body, target, shadow } = load.data;
		const starts = name === "approve" && shadow;
		const children = name === "approve" ? await attempt(() => touchesOf(action,
		    { body: body ?? undefined })) : "";
		if (children === null || children === undefined)
			return;
		const kind = starts ? "approve.shadow" : name;
		const reason = await ask({ title: t(`proposals.${name}.do`),
		    text: t(`proposals.${kind}.text`), danger: name === "reject", children,
		    confirm: t(`proposals.${name}.do`), note: name === "withdraw" ?
			null : { label: t("proposals.answer"),
			    required: name === "reject" } });
		if (reason === null)
			return;
		const text = reason.replace(/\s+/g, " ");
		const answer = await attempt(() => call(ACTS[name].operation, { path: { id },
		    body: name === "withdraw" ? undefined :
			text === "" ? {} : { reason: text } }));
		if (answer)
			toast({ text: t(`proposals.${kind}.done`), tone: "good",
			    action: starts ? seeShadow(target, answer.result.id) :
				null });
		load.reload();
	}
	useKeys(Object.fromEntries(Object.keys(ACTS).map((name) =>
	    [`proposal.${name}`, offered.includes(name) && (() => run(name))])));
	return html`<${Page} ...${namesOf(load.data)}
		crumbs=${[[t("nav.proposals"), href("/proposals")]]}
		actions=${html`${offered.map((name) => html`<span class="with-cli">
			<${Button} key=${name} kind=${ACTS[name].kind} busy=${busy}
				command=${`proposal.${name}`} onClick=${() => run(name)}>
				${t(`proposals.${name}.do`)}</${Button}>
			<${Cli} words=${`proposals ${name}`} operands=${[id]} /></span>`)}`}>
		<${Loaded} load=${load}>${(proposal) => html`
			<${Why} proposal=${proposal} me=${me} />
			<${Summary} proposal=${proposal} />
			<${Content} proposal=${proposal} />
			${hasEffect(proposal) && html`<${Effect} key=${proposal.id}
				proposal=${proposal} />`}`}</${Loaded}></${Page}>`;
}
