// SPDX-License-Identifier: ISC
// The list entries about some values, and new ones: b blocks, w watches, or proposes
// to.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { Name } from "../entity/masked.js";
import { useKeys } from "../keys.js";
import { needsApproval } from "../session.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Badge } from "../ui/badge.js";
import { Loaded } from "../ui/empty.js";
import { Button } from "../ui/form.js";
import { Section } from "../ui/page.js";
import { ZonedTime } from "../ui/time.js";
import { EntryDialog } from "./entry.js";
import "./text.js";
import { KIND_TONES } from "./words.js";

const OFFERED = ["block", "watch"];

async function entriesOf(values, signal) {
	const found = await Promise.all(values.map((body) =>
	    call("POST /v1/lists/search", { body, signal, reads: true })));
	return found.flat();
}

function Entries({ entries, n }) {
	if (n === 0)
		return html`<p class="muted">${t("lists.none.values")}</p>`;
	return entries.length === 0 ? html`<p class="muted">${t("lists.none.named",
	    { n })}</p>` : html`<ul class="plain-list">${entries.map((entry) => html`<li
		key=${entry.id}><${Badge} tone=${KIND_TONES[entry.kind]}>${
		t(`kind.${entry.kind}`)}</${Badge}>
		<span>${t(`subject.${entry.subject}`)}${" "}
			<${Name} kind=${entry.subject} id=${entry.value} />
		<span class="muted"> ${entry.createdBy}${entry.expiresAt && html`,
			${t("lists.until")} <${ZonedTime} at=${entry.expiresAt} />`}</span>
		${entry.reason && html`<span class="typed muted">
			${entry.reason}</span>`}</span></li>`)}</ul>`;
}

// Listed values more: values are { subject, value }; more() resolves to further ones
// that a new entry may have.
export function Listed({ values, more = () => [] }) {
	const load = useLoad((signal) => entriesOf(values, signal),
	    [JSON.stringify(values)]);
	const [open, setOpen] = useState(null);
	const may = values.length > 0;
	const does = needsApproval("lists") ? "propose" : "do";
	async function add(kind) {
		setOpen({ kind, values });
		const others = await Promise.resolve(more()).catch(() => []);
		setOpen((now) => now && { ...now, values: [...values, ...others] });
	}
	useKeys(Object.fromEntries(OFFERED.map((kind) =>
	    [`case.${kind}`, may && (() => add(kind))])));
	function done() {
		setOpen(null);
		load.reload();
	}
	return html`<${Section} title=${t("nav.lists")} actions=${may &&
	    OFFERED.map((kind) => html`<${Button} key=${kind}
		command=${`case.${kind}`} onClick=${() => add(kind)}>
		${t(`lists.${does}.${kind}`)}</${Button}>`)}>
		<${Loaded} load=${load} lines=${2}>${(entries) => html`<${Entries}
			entries=${entries} n=${values.length} />`}</${Loaded}>
		${open && html`<${EntryDialog} ...${open} onDone=${done}
			onClose=${() => setOpen(null)} />`}</${Section}>`;
}
