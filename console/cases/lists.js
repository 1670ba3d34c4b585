// SPDX-License-Identifier: ISC
// The entries of lists about the values of a case, and new ones: b blocks, w
// watches.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { useKeys } from "../keys.js";
import { EntryDialog } from "../lists/entry.js";
import { KIND_TONES } from "../lists/words.js";
import { can } from "../session.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Badge } from "../ui/badge.js";
import { changeLabel } from "../ui/change.js";
import { Loaded } from "../ui/empty.js";
import { Button } from "../ui/form.js";
import { Section } from "../ui/page.js";
import { Time } from "../ui/time.js";
import { graphValues, listValues } from "./values.js";

const MOST_LINKED = 5;

async function entriesOf(values, signal) {
	const found = await Promise.all(values.map((body) =>
	    call("POST /v1/lists/search", { body, signal })));
	return found.flat();
}

// The values that a new entry can have: those of the event, and addresses and
// numbers that its user has used.
async function choices(values) {
	const user = values.find(({ subject }) => subject === "user");
	if (user === undefined)
		return values;
	const graph = await call("GET /v1/graph/{kind}/{id}",
	    { path: { kind: "user", id: user.value } });
	return [...values, ...graphValues(graph, MOST_LINKED)];
}

function Entries({ entries }) {
	return entries.length === 0 ? html`<p class="muted">${t("cases.noEntries")}</p>` :
	    html`<ul class="plain-list">${entries.map((entry) => html`<li
		key=${entry.id}><${Badge} tone=${KIND_TONES[entry.kind]}>${
		t(`kind.${entry.kind}`)}</${Badge}>
		<span>${t(`subject.${entry.subject}`)} <code>${entry.value}</code>
		${entry.expiresAt && html`<span class="muted"> ${t("lists.until")}
			${" "}<${Time} at=${entry.expiresAt} /></span>`}
		${entry.reason && html`<span class="typed muted">
			${entry.reason}</span>`}</span></li>`)}</ul>`;
}

export function Lists({ explanation }) {
	const values = explanation === undefined ? [] : listValues(explanation);
	const load = useLoad((signal) => entriesOf(values, signal),
	    [JSON.stringify(values)], { keep: true });
	const [open, setOpen] = useState(null);
	const write = can("lists.write") && values.length > 0;
	async function add(kind) {
		setOpen({ kind, values });
		const more = await choices(values).catch(() => values);
		setOpen((now) => now && { ...now, values: more });
	}
	useKeys({ "case.block": write && (() => add("block")),
	    "case.watch": write && (() => add("watch")) });
	function done() {
		setOpen(null);
		load.reload();
	}
	return html`<${Section} title=${t("cases.lists")} actions=${write && html`
		<${Button} command="case.block" onClick=${() => add("block")}>
			${changeLabel("lists", t("cases.block"))}</${Button}>
		<${Button} command="case.watch" onClick=${() => add("watch")}>
			${changeLabel("lists", t("cases.watch"))}</${Button}>`}>
		<${Loaded} load=${load} lines=${2}>${(entries) => html`<${Entries}
			entries=${entries} />`}</${Loaded}>
		${open && html`<${EntryDialog} ...${open} onDone=${done}
			onClose=${() => setOpen(null)} />`}</${Section}>`;
}
