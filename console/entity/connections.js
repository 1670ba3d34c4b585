// SPDX-License-Identifier: ISC
// What an entity is linked to: a drawing, and the table behind it.
import { html, useState } from "../../third_party/preact/preact.js";
import { number, shortId } from "../format.js";
import { handleOf } from "../handles.js";
import { href } from "../router.js";
import { t } from "../text.js";
import "../text/entity.js";
import { Badge } from "../ui/badge.js";
import { Empty } from "../ui/empty.js";
import { Choice } from "../ui/form.js";
import { Graph } from "../ui/graph.js";
import { Section } from "../ui/page.js";
import { Table } from "../ui/table.js";
import { Age } from "../ui/time.js";
import { KINDS } from "./kinds.js";

// More users than this behind one device or address are unusual.
const MANY_USERS = 2;

const address = ({ kind, id }) => href("/entity/:kind/:id",
    { kind, id: handleOf(kind, id) });

function Drawing({ graph }) {
	return html`<${Graph} label=${t("entity.links")} edges=${graph.edges}
		centre=${{ kind: graph.kind, text: shortId(graph.id, 10),
		    title: graph.id }} nodes=${graph.links.map((link) => ({
		    kind: link.kind, text: link.id, href: address(link),
		    tone: link.users > MANY_USERS ? "bad" : "",
		    title: `${t(`subject.${link.kind}`)} ${link.id}`,
		    weight: Math.max(1, link.users) }))} />
	<p class="legend kinds">${KINDS.map((kind) => html`<span key=${kind}>
		<svg width="12" height="12" aria-hidden="true"><circle cx="6" cy="6" r="5"
			class=${`node kind-${kind}`} /></svg>${t(`subject.${kind}`)}
	</span>`)}</p>`;
}

const columns = () => [
	{ id: "kind", label: t("entity.kind"),
	    cell: ({ kind }) => t(`subject.${kind}`) },
	{ id: "id", label: t("entity.id"), main: true,
	    cell: ({ id }) => html`<code>${id}</code>` },
	{ id: "users", label: t("entity.users"), align: "end", cell: ({ users }) =>
	    users === 0 ? "" : users > MANY_USERS ? html`<${Badge} tone="warn">${
		number(users)}</${Badge}>` : number(users) },
	{ id: "seen", label: t("entity.seen"), align: "end",
	    cell: ({ firstSeen }) => html`<${Age} at=${firstSeen} />` },
];

// Connections graph: the answer of GET /v1/graph.
export function Connections({ graph }) {
	const [view, setView] = useState("drawing");
	const none = graph.links.length === 0;
	return html`<${Section} title=${t("entity.links")} actions=${!none &&
	    html`<${Choice} label=${t("entity.view")} value=${view}
		onInput=${setView} options=${["drawing", "table"].map((one) =>
		[one, t(`entity.view.${one}`)])} />`}>
		${none ? html`<${Empty} icon="fingerprint" title=${t("entity.alone")} />` :
		    view === "drawing" ? html`<${Drawing} graph=${graph} />` :
		    html`<${Table} label=${t("entity.links")} rows=${graph.links}
			keyOf=${({ kind, id }) => `${kind} ${id}`} href=${address}
			columns=${columns()} />`}</${Section}>`;
}
