// SPDX-License-Identifier: ISC
// What the operator has changed and not published: it stays while the page is open,
// whatever screen it shows.
import { html } from "../../third_party/preact/preact.js";
import { signal, useSignal } from "../store.js";
import { t } from "../text.js";
import { Badge } from "../ui/badge.js";
import { ask } from "../ui/dialog.js";
import { Button } from "../ui/form.js";
import { Note } from "../ui/page.js";
import "./drafts-text.js";
import { remaining } from "./standing.js";

// The id of what is changed, as "rules/card.authorize" -> { value, base }: base is
// the version that the change began with.
export const drafts = signal(new Map());

function set(id, draft) {
	const all = new Map(drafts.value);
	all.delete(id);
	drafts.value = draft === null ? all : all.set(id, draft);
}

// The browser asks before it closes a page with drafts.
addEventListener("beforeunload", (event) => {
	if (drafts.value.size > 0)
		event.preventDefault();
});

// useDraft(id, version, published, same): { value, base, changed, write, settle,
// discard }: value is the draft or what is published; write(value) keeps a draft
// unless same(value, published); settle(value, version) says that a version with this
// value is published, and returns whether no other draft remains; discard asks first.
export function useDraft(id, version, published, same) {
	const draft = useSignal(drafts).get(id);
	const base = draft?.base ?? version;
	function settle(value, label) {
		const rest = remaining(drafts.value.get(id), value, label, same);
		set(id, rest);
		return rest === null;
	}
	async function discard() {
		if (await ask({ title: t("drafts.discard"), danger: true,
		    text: t("drafts.discard.text"),
		    confirm: t("drafts.discard") }) !== null)
			set(id, null);
	}
	return { value: draft?.value ?? published, base, settle, discard,
	    changed: draft !== undefined,
	    write: (value) => set(id, base === version && same(value, published) ?
		null : { value, base }) };
}

export function DraftBadge() {
	return html`<${Badge} tone="warn">${t("drafts.draft")}</${Badge}>`;
}

export function Discard({ draft }) {
	return draft.changed && html`<${Button} kind="quiet" icon="undo-2"
		onClick=${draft.discard}>${t("drafts.discard")}</${Button}>`;
}

// DraftNote draft version: says that the draft began with another version.
export function DraftNote({ draft, version }) {
	return draft.base !== version && html`<${Note} tone="warn">${
	    t("drafts.moved", { base: draft.base, version })}</${Note}>`;
}
