// SPDX-License-Identifier: ISC
// The target time of each queue: within it a case is to be resolved.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { number } from "../format.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Cli } from "../ui/copy.js";
import { Dialog } from "../ui/dialog.js";
import { Empty, Loaded } from "../ui/empty.js";
import { Button, Form, TextField } from "../ui/form.js";
import { Section } from "../ui/page.js";
import { Table } from "../ui/table.js";
import { useAttempt } from "../ui/toast.js";
import { mostMinutes, targetOf } from "./changes.js";
import "./text.js";

function TargetDialog({ row, onClose, onDone }) {
	const [name, setName] = useState(row?.queue ?? "");
	const [text, setText] = useState(String(row?.targetMinutes ?? ""));
	const [busy, attempt] = useAttempt();
	const queue = name.trim();
	const minutes = targetOf(text);
	const ready = minutes !== undefined && queue !== "";
	async function save() {
		if (ready && await attempt(() => call("PUT /v1/queues/{name}",
		    { path: { name: queue }, body: { targetMinutes: minutes } }),
		    { done: t("targets.saved", { queue }) }))
			onDone();
	}
	return html`<${Dialog} title=${row ? t("targets.of", row) : t("targets.add")}
		onClose=${onClose}><${Form} onSubmit=${save}>
		${row === null && html`<${TextField} label=${t("targets.queue")}
			value=${name} onInput=${setName} autofocus maxlength="64"
			hint=${t("targets.queue.hint")} />`}
		<${TextField} label=${t("targets.minutes")} inputmode="numeric"
			value=${text} onInput=${setText} autofocus=${row !== null}
			hint=${t("targets.minutes.hint")} error=${minutes === undefined &&
			t("targets.minutes.bad", { most: mostMinutes })} />
		<div class="buttons">${minutes === null ?
		    html`<${Cli} words="queues clear" operands=${[queue || "QUEUE"]} />` :
		    html`<${Cli} words="queues target" operands=${[queue || "QUEUE",
			minutes ?? "MINUTES"]} />`}
		<${Button} onClick=${onClose}>${t("dialog.cancel")}</${Button}>
		<${Button} type="submit" kind="primary" busy=${busy}
			disabled=${!ready}>${t("settings.save")}</${Button}></div>
	</${Form}></${Dialog}>`;
}

const columns = (edit) => [
	{ id: "queue", label: t("targets.queue"),
	    cell: ({ queue }) => html`<code>${queue}</code>` },
	{ id: "target", label: t("targets.target"), align: "end",
	    cell: ({ targetMinutes }) => targetMinutes === null ?
		html`<span class="muted">${t("targets.none")}</span>` :
		t("targets.value", { n: targetMinutes }) },
	{ id: "late", label: t("targets.late"), align: "end",
	    cell: ({ breached }) => number(breached) },
	{ id: "actions", label: html`<span class="hidden">${t("targets.actions")}
		</span>`, align: "end", cell: (row) => html`<${Button} kind="quiet"
		icon="pencil" label=${t("targets.of", row)}
		onClick=${() => edit(row)} />` },
];

// Targets: a section of the settings.
export function Targets() {
	const load = useLoad((signal) => call("GET /v1/queues", { signal }), []);
	const [open, setOpen] = useState(undefined);
	return html`<${Section} class="flush" title=${t("targets.title")}
		actions=${html`<${Cli} words="queues list" /><${Button} icon="plus"
			onClick=${() => setOpen(null)}>${t("targets.add")}</${Button}>`}>
		<${Loaded} load=${load}>${({ queues }) => html`<${Table}
			label=${t("targets.title")} rows=${queues} columns=${columns(setOpen)}
			keyOf=${({ queue }) => queue} empty=${html`<${Empty} icon="inbox"
			title=${t("targets.empty")} />`} />`}</${Loaded}>
		${open !== undefined && html`<${TargetDialog} row=${open}
			onClose=${() => setOpen(undefined)} onDone=${() => {
			    setOpen(undefined);
			    load.reload();
			}} />`}</${Section}>`;
}
