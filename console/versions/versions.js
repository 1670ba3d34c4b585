// SPDX-License-Identifier: ISC
// The versions of a ruleset or of a policy, and one of them compared with another.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { useKeys } from "../keys.js";
import { setQuery } from "../router.js";
import { t } from "../text.js";
import "./text.js";
import { Badge } from "../ui/badge.js";
import { Empty, Loaded } from "../ui/empty.js";
import { Button, Choice, LinkButton, Select } from "../ui/form.js";
import { Facts, Section } from "../ui/page.js";
import { Table } from "../ui/table.js";
import { Time, ZonedTime } from "../ui/time.js";
import { openLabel, Release, choicesOf } from "./release.js";
import { Difference } from "./difference.js";

function State({ row }) {
	return html`${row.active && html`<${Badge} tone="good">${
	    t("versions.active")}</${Badge}>`} ${row.shadow && html`<${Badge}
	    tone="info">${t("versions.shadow")}</${Badge}>`}`;
}

const columns = (more) => [
	{ id: "version", label: t("versions.version"), main: true,
	    cell: (row) => html`<code>${row.version}</code>` },
	{ id: "state", label: t("versions.state"),
	    cell: (row) => html`<${State} row=${row} />` },
	{ id: "at", zoned: true, label: t("versions.at"),
	    cell: (row) => html`<${Time} at=${row.publishedAt} />` },
	{ id: "author", label: t("versions.author"), cell: (row) => row.author ??
	    html`<span class="muted">${t("versions.unknown")}</span>` },
	...more,
];

// VersionList rows address columns: address(version) opens one.
export function VersionList({ load, address, more = [] }) {
	return html`<${Section} class="flush"><${Loaded} load=${load}>${(rows) =>
	    html`<${Table} label=${t("versions.all")} rows=${rows}
		columns=${columns(more)} keyOf=${(row) => row.version}
		href=${(row) => address(row.version)}
		empty=${html`<${Empty} title=${t("versions.none")} />`} />`}
	</${Loaded}></${Section}>`;
}

// What both versions say, in the form that the operator chose.
const TEXT_FORMS = { canonical: (one, canonical) => canonical(one),
    written: (one) => one.text };

// loadPair({ list, one, path, version }, against, signal): the version that is
// shown, the other one that it is compared with, the active one, and the list.
// Without against the other one is the active version, or the previous one.
export async function loadPair({ list, one, path, version }, against, signal) {
	const versions = await call(list, { path, signal });
	const read = (label) => call(one, { path: { ...path, version: label },
	    signal });
	const active = versions.find((row) => row.active).version;
	const at = versions.findIndex((row) => row.version === version);
	const other = against ?? (active !== version ? active :
	    versions[at + 1]?.version ?? version);
	const [shown, before, live] = await Promise.all([version, other, active]
	    .map(read));
	return { versions, shown, other: before, live };
}

// VersionPage: load is useLoad() of loadPair(); canonical(version) is its text to
// compare; rollback is a kind of release.js; edit is the address of the editor.
export function VersionPage({ load, query, canonical, rollback, edit }) {
	const form = query.form === "written" ? "written" : "canonical";
	return html`<${Loaded} load=${load}>${({ versions, shown, other, live }) =>
	    html`<${One} ...${{ versions, shown, other, live, form, canonical,
		rollback, edit }} reload=${load.reload} />`}</${Loaded}>`;
}

function One({ versions, shown, other, live, form, canonical, rollback, edit,
    reload }) {
	const [open, setOpen] = useState(false);
	const choices = shown.active ? [] : choicesOf([rollback]);
	const text = (one) => TEXT_FORMS[form](one, canonical);
	useKeys({ "rules.rollback": choices.length > 0 && (() => setOpen(true)) });
	return html`<${Section} title=${html`<span class="tags">
		<code>${shown.version}</code><${State} row=${shown} /></span>`} actions=${html`
		<${LinkButton} icon="pencil" href=${edit}>${t("versions.edit")}
		</${LinkButton}>
		${choices.length > 0 && html`<${Button} kind="primary" icon="undo-2"
			command="rules.rollback" onClick=${() => setOpen(true)}>
			${openLabel(choices)}</${Button}>`}`}>
		<${Facts} items=${[[t("versions.at"), html`<${ZonedTime}
			at=${shown.publishedAt} />`], [t("versions.author"),
			shown.author ?? t("versions.unknown")],
			[t("versions.rules"), shown.rules?.length]]} />
	</${Section}>
	<${Section} title=${t("versions.compare")}>
		<div class="filters">
			<${Select} label=${t("versions.against")} value=${other.version}
				options=${versions.map((row) => [row.version, row.active ?
				    t("versions.is.active", row) : row.version])}
				onInput=${(against) => setQuery({ against })} />
			${shown.text !== undefined && html`<${Choice}
				label=${t("versions.form")} value=${form}
				options=${Object.keys(TEXT_FORMS).map((id) =>
				    [id, t(`versions.form.${id}`)])}
				onInput=${(value) => setQuery({ form: value })} />`}
		</div>
		<${Difference} label=${t("versions.compare")} before=${text(other)}
			after=${text(shown)} /></${Section}>
	${open && html`<${Release} title=${t("versions.rollback", shown)} choices=${choices}
		before=${canonical(live)}
		after=${canonical(shown)} onClose=${() => setOpen(false)}
		onDone=${() => { setOpen(false); reload(); }} />`}`;
}
