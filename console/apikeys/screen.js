// SPDX-License-Identifier: ISC
// The keys with which services call.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Badge } from "../ui/badge.js";
import { useChange } from "../ui/change.js";
import { Cli, Id } from "../ui/copy.js";
import { Dialog } from "../ui/dialog.js";
import { Empty, Loaded } from "../ui/empty.js";
import { Button, Check, Form, Select, TextField } from "../ui/form.js";
import { Page, Section } from "../ui/page.js";
import { Secret } from "../ui/secret.js";
import { Table } from "../ui/table.js";
import { Age, Time } from "../ui/time.js";
import "./text.js";

const SCOPES = ["decisions", "labels"];
const KEY_DAYS = ["", "30", "90", "365"];

function State({ row }) {
	const state = row.revoked ? "revoked" : row.expired ? "expired" : "active";
	return html`<${Badge} tone=${state === "active" ? "good" : "plain"}>${
	    t(`apikeys.${state}`)}</${Badge}>`;
}

function CreateDialog({ onClose }) {
	const [name, setName] = useState("");
	const [scopes, setScopes] = useState(SCOPES);
	const [days, setDays] = useState("");
	const [made, setMade] = useState(null);
	const [busy, change] = useChange();
	async function save() {
		const answer = await change({ operation: "POST /v1/apikeys", body: {
		    name: name.trim(), scopes,
		    ...days === "" ? {} : { expiresInDays: Number(days) } } });
		if (answer)
			setMade(answer);
	}
	if (made !== null)
		return html`<${Secret} title=${t("apikeys.key", made.key)}
			text=${t("apikeys.key.text")} secret=${made.plaintext}
			onClose=${onClose} />`;
	return html`<${Dialog} title=${t("apikeys.add")} onClose=${onClose}>
		<${Form} onSubmit=${save}>
			<${TextField} label=${t("apikeys.name")} value=${name}
				onInput=${setName} hint=${t("apikeys.name.hint")} />
			<fieldset><legend>${t("apikeys.scopes")}</legend>
				${SCOPES.map((scope) => html`<${Check} key=${scope}
					label=${t(`apikeys.scope.${scope}`)}
					checked=${scopes.includes(scope)} onInput=${(on) =>
					setScopes(SCOPES.filter((one) => one === scope ? on :
					scopes.includes(one)))} />`)}</fieldset>
			<${Select} label=${t("apikeys.expires")} value=${days}
				options=${KEY_DAYS.map((n) => [n, n === "" ? t("apikeys.never") :
				    t("apikeys.days", { n: Number(n) })])} onInput=${setDays} />
			<div class="buttons">
				<${Cli} words="keys create" operands=${[name || "NAME"]}
					options=${{ "expires-in-days": days || null,
					    scope: scopes.length === 1 ? scopes[0] : null }} />
				<${Button} onClick=${onClose}>${t("dialog.cancel")}</${Button}>
				<${Button} type="submit" kind="primary" busy=${busy}
					disabled=${name.trim() === "" || scopes.length === 0}>
					${t("apikeys.create")}</${Button}></div>
		</${Form}></${Dialog}>`;
}

function columns(revoke) {
	return [
		{ id: "name", label: t("apikeys.name"), cell: ({ name }) => name },
		{ id: "prefix", label: t("apikeys.prefix"),
		    cell: ({ prefix }) => html`<code>${prefix}…</code>` },
		{ id: "scopes", label: t("apikeys.scopes"),
		    cell: ({ scopes }) => scopes.join(", ") },
		{ id: "state", label: t("apikeys.state"),
		    cell: (row) => html`<${State} row=${row} />` },
		{ id: "expires", zoned: true, label: t("apikeys.expires"),
		    cell: ({ expiresAt }) =>
		    expiresAt ? html`<${Time} at=${expiresAt} />` :
			t("apikeys.never") },
		{ id: "by", label: t("apikeys.by"), cell: ({ createdBy }) => createdBy },
		{ id: "age", label: t("apikeys.age"), align: "end",
		    cell: ({ createdAt }) => html`<${Age} at=${createdAt} />` },
		{ id: "id", label: t("apikeys.id"),
		    cell: ({ id }) => html`<${Id} id=${id} short />` },
		{ id: "actions", label: t("apikeys.actions"), align: "end",
		    cell: (row) => !row.revoked && html`<div class="buttons">
			<${Cli} words="keys revoke" operands=${[row.id]} />
			<${Button} onClick=${() => revoke(row)}>${t("apikeys.revoke")}
			</${Button}></div>` },
	];
}

export default function ApiKeys() {
	const load = useLoad((signal) => call("GET /v1/apikeys", { signal }), []);
	const [creating, setCreating] = useState(false);
	const [, change] = useChange();
	async function revoke(row) {
		if (await change({ operation: "POST /v1/apikeys/{id}/revoke", about: row,
		    path: { id: row.id }, done: t("apikeys.revoked.done", row) }) !== null)
			load.reload();
	}
	return html`<${Page} title=${t("nav.apikeys")} lead=${t("apikeys.lead")}
		actions=${html`<${Cli} words="keys list" />
		<${Button} kind="primary" icon="plus" onClick=${() => setCreating(true)}>
			${t("apikeys.add")}</${Button}>`}>
		<${Section} class="flush"><${Loaded} load=${load}>${(rows) => html`<${Table}
			label=${t("nav.apikeys")} rows=${rows} keyOf=${({ id }) => id}
			columns=${columns(revoke)} empty=${html`<${Empty} icon="lock"
				title=${t("apikeys.none")} />`} />`}</${Loaded}></${Section}>
		${creating && html`<${CreateDialog} onClose=${() => {
		    setCreating(false);
		    load.reload();
		}} />`}
	</${Page}>`;
}
