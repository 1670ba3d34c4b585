// SPDX-License-Identifier: ISC
// Policies: the active bands of each event type.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { drafts } from "../versions/drafts.js";
import { DraftStanding, loadPolicyPlaces } from "../versions/places.js";
import { href } from "../router.js";
import { useLoad, useSignal } from "../store.js";
import { t } from "../text.js";
import { Cli } from "../ui/copy.js";
import { Loaded } from "../ui/empty.js";
import { Page, Section } from "../ui/page.js";
import { Table } from "../ui/table.js";
import { textOf } from "./bands.js";
import { BandBar } from "./scale.js";
import "./text.js";

const columns = (unfinished) => [
	{ id: "type", label: t("policies.type"), main: true,
	    cell: (row) => row.eventType },
	{ id: "version", label: t("policies.active"),
	    cell: (row) => html`<code>${row.policy.version}</code>` },
	{ id: "bands", label: t("policies.bands"), cell: (row) =>
	    html`<span class="band-bar"><${BandBar} bands=${row.policy.bands} />
		</span>` },
	{ id: "queues", label: t("bands.queue"), cell: (row) => [...new Set(
	    row.policy.bands.map(({ reviewQueue }) => reviewQueue)
	    .filter(Boolean))].join(", ") },
	{ id: "error", label: t("policies.onError"),
	    cell: (row) => t(`policies.${row.policy.onError}`) },
	{ id: "draft", label: t("policies.state"), cell: ({ policy: { id } }) =>
	    unfinished.has(`policies/${id}`) && html`<${DraftStanding}
		text=${textOf(unfinished.get(`policies/${id}`).value)}
		load=${(signal) => loadPolicyPlaces(id, signal)} />` },
];

export default function Policies() {
	const load = useLoad((signal) => call("GET /v1/policies", { signal }), []);
	const unfinished = useSignal(drafts);
	return html`<${Page} title=${t("nav.policies")} lead=${t("policies.lead")}
		actions=${html`<${Cli} words="policies list" />`}>
		<${Section} class="flush"><${Loaded} load=${load} lines=${7}>${(rows) =>
		    html`<${Table} label=${t("nav.policies")} rows=${rows}
			columns=${columns(unfinished)} keyOf=${(row) => row.policy.id}
			href=${(row) => href("/policies/:id", { id: row.policy.id })}
		    />`}</${Loaded}></${Section}></${Page}>`;
}
