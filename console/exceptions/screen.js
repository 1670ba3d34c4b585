// SPDX-License-Identifier: ISC
// Exceptions: rules and tags that are silenced for one value.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { Name, useNames } from "../entity/masked.js";
import { number } from "../format.js";
import { href } from "../router.js";
import { can } from "../session.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Badge } from "../ui/badge.js";
import { useChange } from "../ui/change.js";
import { Cli } from "../ui/copy.js";
import { Empty, Loaded } from "../ui/empty.js";
import { Filters } from "../ui/filters.js";
import { Button } from "../ui/form.js";
import { Note, Page, Section } from "../ui/page.js";
import { Pages } from "../ui/pages.js";
import { Table } from "../ui/table.js";
import { Time } from "../ui/time.js";
import { ExceptionDialog } from "./entry.js";
import "./text.js";

const PAGE = 100;
const STATES = ["active", "expired", "ended"];
const STATE_TONES = { active: "warn", expired: "plain", ended: "plain" };

const fields = () => [
	{ name: "state", label: t("exceptions.state"), kind: "choice",
	    options: STATES.map((state) => [state, t(`exceptions.state.${state}`)]) },
];

// State state: as a badge.
export const State = ({ state }) => html`<${Badge} tone=${STATE_TONES[state]}>${
    t(`exceptions.state.${state}`)}</${Badge}>`;

// Silenced exception: the rule or the tag.
export const Silenced = ({ exception: { kind, name } }) => html`${
    t(`exceptions.kind.${kind}`)}${" "}<b class="mono">${name}</b>`;

// Whom exception: the value that it is for.
export const Whom = ({ exception: { subject, value } }) => html`${
    t(`subject.${subject}`)}${" "}<${Name} kind=${subject} id=${value} />`;

function columns(end, nameOf) {
	return [
		{ id: "name", label: t("exceptions.kind"), main: true,
		    cell: (row) => html`<a href=${href("/exceptions/:id",
			{ id: row.id })}><${Silenced} exception=${row} /></a>` },
		{ id: "type", label: t("exceptions.type"), cell: ({ eventType }) =>
		    eventType ?? t("exceptions.type.all") },
		{ id: "for", label: t("exceptions.for"), cell: (row) =>
		    html`<${Whom} exception=${row} />` },
		{ id: "state", label: t("exceptions.state"), cell: ({ state }) =>
		    html`<${State} state=${state} />` },
		{ id: "until", zoned: true, label: t("exceptions.until"),
		    cell: ({ expiresAt, endedAt }) =>
			html`<${Time} at=${endedAt ?? expiresAt} />` },
		{ id: "reason", label: t("exceptions.reason"), align: "prose",
		    cell: ({ reason }) => reason },
		{ id: "by", label: t("exceptions.by"), cell: ({ createdBy }) => createdBy },
		{ id: "decisions", label: t("exceptions.decisions"), align: "end",
		    cell: ({ decisions }) => number(decisions) },
		{ id: "changed", label: t("exceptions.changed"), align: "end",
		    cell: ({ changed }) => number(changed) },
		...end === null ? [] : [{ id: "end", label: t("exceptions.actions"),
		    align: "end", cell: (row) => row.state === "active" && html`<div
			class="buttons"><${Cli} words="exceptions end"
				operands=${[row.id]} />
			<${Button} kind="quiet" icon="x"
				label=${t("exceptions.end.one", { name: row.name,
				    value: nameOf(row.subject, row.value) })}
				onClick=${() => end(row)} /></div>` }],
	];
}

function Actions({ state, add }) {
	return html`<${Cli} words="exceptions list" options=${{ state }} />
		<${Button} kind="primary" icon="plus" onClick=${add}>
			${t("exceptions.add")}</${Button}>`;
}

export default function Exceptions({ query }) {
	const { state } = query;
	const at = Number(query.after ?? 0);
	const load = useLoad((signal) => call("GET /v1/exceptions", { signal,
	    query: { state, limit: PAGE, offset: at * PAGE } }), [state, at],
	{ keep: true });
	const [open, setOpen] = useState(false);
	const [busy, change] = useChange();
	const { nameOf } = useNames();
	const may = can("lists.write");
	async function end(row) {
		if (await change({ subject: null, path: { id: row.id }, about: row,
		    operation: "POST /v1/exceptions/{id}/end",
		    done: t("exceptions.over.done") }))
			load.reload();
	}
	function close() {
		setOpen(false);
		load.reload();
	}
	return html`<${Page} title=${t("nav.exceptions")} lead=${t("exceptions.lead")}
		actions=${html`<${Actions} state=${state} add=${() => setOpen(true)} />`}>
		${!may && html`<${Note}>${t("exceptions.readonly")}</${Note}>`}
		<${Section} class="flush">
			<div class="filters bar"><${Filters} label=${t("exceptions.filters")}
				fields=${fields()} query=${query} /></div>
			<${Loaded} load=${load}>${(rows) => html`<${Table}
				label=${t("nav.exceptions")} rows=${rows} keyOf=${({ id }) => id}
				columns=${columns(may && !busy ? end : null, nameOf)}
				empty=${html`<${Empty} icon="clock"
					title=${t("exceptions.none")} />`} />
				<${Pages} at=${at} full=${rows.length === PAGE} />`}</${Loaded}>
		</${Section}>
		${open && html`<${ExceptionDialog} onClose=${() => setOpen(false)}
			onDone=${close} />`}
	</${Page}>`;
}
