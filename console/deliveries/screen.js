// SPDX-License-Identifier: ISC
// Webhooks and alert channels: who gets what, what waits, and dead letters.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { RECEIVER_KINDS } from "./receivers.js";
import { CreateDialog } from "./create.js";
import { number } from "../format.js";
import { href } from "../router.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import "./text.js";
import { Badge } from "../ui/badge.js";
import { useChange } from "../ui/change.js";
import { Clis } from "../ui/clis.js";
import { Cli, Ends, Id } from "../ui/copy.js";
import { Empty, known, Loaded } from "../ui/empty.js";
import { Button } from "../ui/form.js";
import { Page, Section, Stat, Tabs } from "../ui/page.js";
import { Table } from "../ui/table.js";
import { Age, Time } from "../ui/time.js";
import { toast } from "../ui/toast.js";

const EVERY_MS = 10000;
const MOST_IN_URL = 60;

function State({ row }) {
	if (!row.active)
		return html`<${Badge}>${t("deliveries.revoked")}</${Badge}>`;
	return row.failures > 0 ? html`<${Badge} tone="bad">${
	    t("deliveries.failing", { n: row.failures })}</${Badge}>` :
	    html`<${Badge} tone="good">${t("deliveries.active")}</${Badge}>`;
}

function Events({ events }) {
	return html`<ul class="plain-list">${events.map((event) =>
	    html`<li key=${event}><code>${event}</code></li>`)}</ul>`;
}

function Receivers({ kind, rows, reload, busy, change, again }) {
	const { group, revoke, test } = RECEIVER_KINDS[kind];
	async function end(row) {
		if (await change({ operation: revoke, path: { id: row.id }, about: row,
		    done: t("deliveries.revoke.done") }) !== null)
			reload();
	}
	const actions = (row) => !row.active ? html`<${Button} kind="quiet" icon="plus"
		onClick=${() => again(row)}>${t("deliveries.again")}</${Button}>` :
	    html`<div class="buttons">
		${test && html`<${Button} kind="quiet" icon="send" disabled=${busy}
			label=${t("deliveries.test")} onClick=${() => change({
			operation: test, path: { id: row.id },
			done: t("deliveries.test.done") })} />`}
		<${Button} kind="quiet" icon="x" disabled=${busy}
			label=${t("deliveries.revoke")} onClick=${() => end(row)} />
		<${Clis} lines=${(test ? ["test", "revoke"] : ["revoke"]).map((word) => ({
		    name: t(`deliveries.${word}`), words: `${group} ${word}`,
		    operands: [row.id] }))} /></div>`;
	return html`<${Table} label=${t("deliveries.receivers")} rows=${rows}
		keyOf=${({ id }) => id} columns=${[
		    { id: "url", label: t("deliveries.url"), main: true, long: true,
			cell: (row) => html`<${Ends} most=${MOST_IN_URL}
			    text=${row.url ?? `${row.type} ${row.urlHint}`} />` },
		    { id: "events", label: t("deliveries.events"),
			cell: (row) => html`<${Events} events=${row.events} />` },
		    { id: "limits", label: t("deliveries.limits"), cell: (row) =>
			[row.minVerdict && t("deliveries.from", row),
			    row.throttlePerMin && t("deliveries.throttle",
			    { n: row.throttlePerMin })].filter(Boolean).join(", ") },
		    { id: "state", label: t("deliveries.state"), decides: true,
			cell: (row) => html`<${State} row=${row} />` },
		    { id: "id", label: t("deliveries.id"),
			cell: (row) => html`<${Id} id=${row.id} short />` },
		    { id: "actions", label: t("deliveries.actions"), align: "end",
			cell: actions },
		]} empty=${html`<${Empty} icon="send" title=${t(
			`deliveries.none.${kind}`)}>${t(`deliveries.what.${kind}`)}
		</${Empty}>`} />`;
}

function Waiting({ kind, rows, dead, redrive, busy }) {
	return html`<${Table} rows=${rows} keyOf=${({ id }) => id}
		label=${t(dead ? "deliveries.dead" : "deliveries.pending")}
		columns=${[
		    { id: "event", label: t("deliveries.event"), main: true,
			cell: ({ event }) => html`<code>${event}</code>` },
		    { id: "id", label: t("deliveries.id"),
			cell: ({ id }) => html`<${Id} id=${id} short />` },
		    { id: "to", label: t("deliveries.to"), cell: (row) =>
			html`<${Id} id=${row[RECEIVER_KINDS[kind].owner]} short />` },
		    { id: "error", label: t("deliveries.error"),
			long: true, cell: ({ lastError }) => lastError ?? "" },
		    { id: "attempts", label: t("deliveries.attempts"), align: "end",
			decides: true,
			cell: ({ attempts }) => number(attempts) },
		    { id: "age", label: t("deliveries.age"), align: "end", decides: true,
			cell: ({ createdAt }) => html`<${Age} at=${createdAt} />` },
		    dead ? { id: "redrive", label: t("deliveries.actions"),
			align: "end", cell: ({ id }) => html`<div class="buttons">
			    <${Cli} words=${`${RECEIVER_KINDS[kind].group} retry`}
				operands=${[id]} /><${Button} kind="quiet"
			    icon="refresh-cw" disabled=${busy} onClick=${() =>
			    redrive(id)} label=${t("deliveries.redrive.one")} /></div>` } :
			{ id: "next", align: "end", decides: true, zoned: true,
			    label: t("deliveries.next"), cell: (row) =>
			    html`<${Time} at=${row.nextAttemptAt} />` },
		]} empty=${html`<${Empty} icon="circle-check" title=${t(dead ?
		    "deliveries.dead.none" : "deliveries.pending.none")} />`} />`;
}

function Letters({ kind, load, busy, change }) {
	const { redriveAll, redriveOne, group } = RECEIVER_KINDS[kind];
	async function redrive(id) {
		const answer = await change(id === null ? { operation: redriveAll } :
		    { operation: redriveOne, path: { id } });
		if (answer)
			toast({ text: t("deliveries.requeued", { n: answer.requeued }),
			    tone: "good" });
		load.reload();
	}
	return html`<${Loaded} load=${load}>${({ pending, dead }) => html`
		<${Section} class="flush" title=${t("deliveries.dead")}
			actions=${dead.length > 0 && html`
			<${Cli} words=${`${group} redrive`} />
			<${Button} icon="refresh-cw" busy=${busy} onClick=${() =>
			    redrive(null)}>${t("deliveries.redrive")}</${Button}>`}>
			<${Waiting} ...${{ kind, rows: dead, dead: true, redrive,
			    busy }} /></${Section}>
		<${Section} class="flush" title=${t("deliveries.pending")}>
			<${Waiting} ...${{ kind, rows: pending, dead: false }} />
		</${Section}>`}</${Loaded}>`;
}

function Counts({ load, letters, member }) {
	const dead = letters.data?.dead.length > 0;
	return html`<div class="stats">
		<${Stat} label=${t("deliveries.active")} value=${known(load, (data) =>
		    number(data[member].filter(({ active }) => active).length))} />
		<${Stat} label=${t("deliveries.pending")} value=${known(letters,
		    ({ pending }) => number(pending.length))} />
		<${Stat} label=${t("deliveries.dead")} tone=${dead ? "bad" : ""}
			value=${known(letters, (data) => number(data.dead.length))} />
	</div>`;
}

export default function Deliveries({ query }) {
	const kind = query.kind === "alerts" ? "alerts" : "webhooks";
	const { list, deliveries, member, group } = RECEIVER_KINDS[kind];
	const load = useLoad((signal) => call(list, { signal }), [kind]);
	const letters = useLoad((signal) => call(deliveries, { signal }), [kind],
	    { every: EVERY_MS });
	// { again }, while a receiver is added; null otherwise.
	const [creating, setCreating] = useState(null);
	const [busy, change] = useChange();
	return html`<${Page} title=${t("nav.deliveries")} actions=${html`
		<${Cli} words=${`${group} list`} />
		<${Button} kind="primary" icon="plus" disabled=${!load.data}
			onClick=${() => setCreating({ again: null })}>
			${t(`deliveries.add.${kind}`)}</${Button}>`}>
		<${Tabs} label=${t("nav.deliveries")} value=${kind}
			items=${Object.keys(RECEIVER_KINDS).map((one) => [one,
			    t(`deliveries.${one}`), href("/deliveries", {},
			    { kind: one === "webhooks" ? null : one })])} />
		<${Counts} ...${{ load, letters, member }} />
		<${Section} class="flush"><${Loaded} load=${load}>${(data) =>
		    html`<${Receivers} ...${{ kind, rows: data[member],
		    reload: load.reload, busy, change,
		    again: (row) => setCreating({ again: row }) }} />`}</${Loaded}></${Section}>
		<${Letters} ...${{ kind, load: letters, busy, change }} />
		${creating && html`<${CreateDialog} kind=${kind} ...${creating}
			events=${load.data.events} onClose=${() => {
			    setCreating(null);
			    load.reload();
			}} />`}
	</${Page}>`;
}
