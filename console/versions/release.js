// SPDX-License-Identifier: ISC
// One dialog for everything that changes what decides: publish, roll back, promote,
// start as a shadow, or propose one of these to another operator.
import { html, useEffect, useRef, useState } from
    "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { errorText } from "../errors.js";
import { go, href } from "../router.js";
import { can, needsApproval } from "../session.js";
import { t } from "../text.js";
import { announceProposal, propose } from "../ui/change.js";
import { Cli } from "../ui/copy.js";
import { Dialog } from "../ui/dialog.js";
import { Button, Choice, Form, TextArea, TextField } from "../ui/form.js";
import { Note } from "../ui/page.js";
import { toast, useAttempt } from "../ui/toast.js";
import { Difference } from "./difference.js";
import "./release-text.js";

const VERSION = /^[A-Za-z0-9._@+-]{1,64}$/;

// choicesOf KINDS: what this operator may do of them: each itself, or as a proposal.
// A kind is { id, needs, subjects, free, operation, path, body(version), cli(version) }:
// needs is a capability, subjects are words of FOUR_EYES; without one it cannot be
// proposed.  free: it never needs a second person.
export function choicesOf(kinds) {
	return kinds.flatMap((kind) => {
		const direct = can(kind.needs) &&
		    (kind.free || !kind.subjects.some(needsApproval));
		const mayPropose = kind.subjects.length > 0 && can("rules.propose");
		return [...direct ? [{ ...kind, proposes: false }] : [],
		    ...mayPropose ? [{ ...kind, id: `propose.${kind.id}`,
			proposes: true }] : []];
	});
}

// openLabel WAYS: what a button says that opens the dialog.
export function openLabel([{ id }, ...others]) {
	const shadow = others.some((choice) => choice.id.endsWith("shadow"));
	return t(others.length === 0 ? `release.${id}` :
	    `release.several.${id}${shadow ? ".shadow" : ""}`);
}

// A label that is not taken: the day and a number.
function nextVersion(taken, day) {
	for (let n = 1; ; n++)
		if (!taken.includes(`${day}.${n}`))
			return `${day}.${n}`;
}

function send({ operation, path, body, proposes }, version, reason) {
	const request = { operation, path, body: body(version) };
	return proposes ? propose(request, reason) : call(operation, request);
}

// An action of a message that opens the shadow of an event type.
export function seeShadow(type, id) {
	return { label: t("release.done.shadow.see"),
	    run: () => go(href("/shadows/:type/:id", { type, id })) };
}

function announceDone(choice, version, answer) {
	if (choice.proposes)
		announceProposal(answer);
	else
		toast({ text: t(`release.done.${choice.id}`, { version }), tone: "good",
		    action: choice.id !== "shadow" ? null :
			seeShadow(choice.body(version).eventType, answer.id) });
}

function useRelease(choices, taken, onDone) {
	const [state, setState] = useState({ id: choices[0]?.id, reason: "",
	    version: taken === null ? "" : nextVersion(taken,
		new Date().toISOString().slice(0, 10)), error: null });
	const [busy, attempt] = useAttempt();
	const closed = useRef(false);
	useEffect(() => () => { closed.current = true; }, []);
	const set = (change) => setState((old) => ({ ...old, ...change }));
	const choice = choices.find(({ id }) => id === state.id);
	const fault = taken === null || VERSION.test(state.version) ? null :
	    t("release.version.bad");
	const ready = choice !== undefined && fault === null &&
	    (!choice.proposes || state.reason.trim() !== "");

	async function submit() {
		if (!ready)
			return;
		set({ error: null });
		// Escape closes the dialog also during the change: then a message tells.
		const answer = await attempt(() => send(choice, state.version,
		    state.reason.trim()), { failed(error) {
			set({ error });
			return !closed.current;
		} });
		if (!answer)
			return;
		announceDone(choice, state.version, answer);
		onDone(choice, state.version);
	}
	return { ...state, busy, set, choice, fault, ready, submit };
}

// Release title choices before after: the texts are compared.  taken: the versions that
// exist; null: the change needs no version.  onDone(choice, version) is called after
// success.
export function Release({ title, choices, taken = null, before, after, children,
    onClose, onDone }) {
	const form = useRelease(choices, taken, onDone);
	if (choices.length === 0)
		return html`<${Dialog} title=${title} onClose=${onClose}>
			<p>${t("release.forbidden")}</p></${Dialog}>`;
	return html`<${Dialog} title=${title} onClose=${onClose} size="wide">
		<${Form} onSubmit=${form.submit}>
			${choices.length > 1 && html`<${Choice} label=${t("release.choice")}
				hideLabel=${false} value=${form.id}
				options=${choices.map(({ id }) => [id, t(`release.${id}`)])}
				onInput=${(id) => form.set({ id })} />`}
			<p class="muted">${t(form.choice.proposes ? "change.propose.text" :
			    `release.about.${form.id}`)}</p>
			${taken !== null && html`<${TextField} label=${t("release.version")}
				class="mono" value=${form.version} error=${form.fault}
				hint=${t("release.version.hint")} maxlength="64" autofocus
				onInput=${(version) => form.set({ version })} />`}
			${form.choice.proposes && html`<${TextArea} maxlength="2000"
				label=${t("change.reason")} value=${form.reason} required
				hint=${t("change.reason.hint")} autofocus=${taken === null}
				onInput=${(reason) => form.set({ reason })} />`}
			${children}
			${before !== undefined && html`<${Difference} before=${before}
				after=${after} label=${t("release.difference")} />`}
			${form.error && html`<${Note} tone="bad">
				${errorText(form.error)}</${Note}>`}
			<div class="buttons">
				${form.choice.cli && !form.choice.proposes &&
				    html`<${Cli} ...${form.choice.cli(form.version)} />`}
				<${Button} onClick=${onClose}>${t("dialog.cancel")}
				</${Button}>
				<${Button} type="submit" kind="primary" busy=${form.busy}
					autofocus=${taken === null && !form.choice.proposes}
					disabled=${!form.ready}>${t(`release.${form.id}`)}
				</${Button}>
			</div>
		</${Form}></${Dialog}>`;
}
