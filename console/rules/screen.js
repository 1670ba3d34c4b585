// SPDX-License-Identifier: ISC
// Rules: the active ruleset of each event type.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { drafts } from "../versions/drafts.js";
import { DraftStanding, loadPlaces } from "../versions/places.js";
import { href } from "../router.js";
import { useLoad, useSignal } from "../store.js";
import { t } from "../text.js";
import { Badge, Tag } from "../ui/badge.js";
import { Cli } from "../ui/copy.js";
import { Loaded } from "../ui/empty.js";
import { Page, Section } from "../ui/page.js";
import { Table } from "../ui/table.js";
import "./text.js";

async function loadRules(signal) {
	const [rulesets, shadows] = await Promise.all([
	    call("GET /v1/rules", { signal }),
	    call("GET /v1/model/shadow", { signal })]);
	return rulesets.map((ruleset) => ({ ...ruleset,
	    tags: [...new Set(ruleset.rules.map(({ tag }) => tag))],
	    shadow: shadows.find(({ eventType, kind, state }) => kind ===
		"ruleset" && state === "active" && eventType ===
		ruleset.eventType) }));
}

const columns = (unfinished) => [
	{ id: "type", label: t("rules.type"), main: true,
	    cell: (row) => row.eventType },
	{ id: "version", label: t("rules.active"),
	    cell: (row) => html`<code>${row.version}</code>` },
	{ id: "rules", label: t("rules.count"), align: "end",
	    cell: (row) => row.rules.length },
	{ id: "tags", label: t("rules.tags"), cell: (row) =>
	    html`<span class="tags">${row.tags.map((tag) =>
		html`<${Tag} key=${tag} tag=${tag} />`)}</span>` },
	{ id: "state", label: t("rules.state"), cell: (row) => html`
		<span class="tags">${row.shadow && html`<a href=${href("/backtests", {},
		    { tab: "shadows" })}><${Badge} tone="info">${
		    t("rules.shadow", { version: row.shadow.version })}</${Badge}></a>`}
		${unfinished.has(`rules/${row.eventType}`) && html`<${DraftStanding}
			text=${unfinished.get(`rules/${row.eventType}`).value}
			load=${(signal) => loadPlaces(row.eventType, signal)} />`}
		</span>` },
];

export default function Rules() {
	const load = useLoad(loadRules, []);
	const unfinished = useSignal(drafts);
	return html`<${Page} title=${t("nav.rules")} lead=${t("rules.lead")}
		actions=${html`<${Cli} words="rules list" />`}>
		<${Section} class="flush"><${Loaded} load=${load} lines=${7}>${(rows) =>
		    html`<${Table} label=${t("nav.rules")} rows=${rows}
			columns=${columns(unfinished)} keyOf=${(row) => row.eventType}
			href=${(row) => href("/rules/:type", { type: row.eventType })}
		    />`}</${Loaded}></${Section}></${Page}>`;
}
