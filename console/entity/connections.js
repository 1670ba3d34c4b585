// SPDX-License-Identifier: ISC
// What an entity is linked to: a drawing, and the table behind it.
import { html, useState } from "../../third_party/preact/preact.js";
import { number, shortId } from "../format.js";
import { href } from "../router.js";
import { t } from "../text.js";
import { Badge } from "../ui/badge.js";
import { Ends } from "../ui/copy.js";
import { Empty } from "../ui/empty.js";
import { Choice } from "../ui/form.js";
import { Graph, MOST_NODES } from "../ui/graph.js";
import { Section } from "../ui/page.js";
import { Table } from "../ui/table.js";
import { Age } from "../ui/time.js";
import { ENTITY_KINDS, eventsText } from "./kinds.js";
import { Show, useNames } from "./masked.js";
import "./text.js";

// More users than this behind one device or address are unusual.
const MANY_USERS = 2;

const address = ({ kind, id }) => href("/entity/:kind/:id", { kind, id });

function Legend() {
	const kinds = ENTITY_KINDS.map((kind) => [`kind-${kind}`, t(`subject.${kind}`)]);
	return html`<p class="legend kinds">${[...kinds,
	    ["bad", t("entity.many", { n: MANY_USERS })]].map(([look, text]) =>
	    html`<span key=${look}><svg width="12" height="12" aria-hidden="true">
		<circle cx="6" cy="6" r=${look === "bad" ? 3.5 : 5}
			class=${`node ${look}`} />
		${look === "bad" && html`<circle cx="6" cy="6" r="5" class="halo" />`}
		</svg>${text}
	</span>`)}</p>`;
}

// Whether the eye should stop at a link.
const stands = ({ users, risk }) => users > MANY_USERS || (risk?.frauds ?? 0) > 0;

function titleOf({ kind, users, risk }, name) {
	return [`${t(`subject.${kind}`)} ${name}`,
	    users > 0 && t("entity.shared", { n: users }),
	    risk && t("entity.had", { n: risk.events }),
	    risk && risk.frauds > 0 && t("entity.frauds.n", { n: risk.frauds })]
	    .filter(Boolean).join(", ");
}

function Drawing({ graph }) {
	const count = graph.links.length;
	const { nameOf } = useNames();
	const nameIn = ({ kind, id }) => nameOf(kind, id);
	return html`<${Graph} label=${t("entity.links")} edges=${graph.edges}
		centre=${{ kind: graph.kind, text: shortId(nameIn(graph), 10),
		    title: nameIn(graph) }} nodes=${graph.links.map((link) => ({
		    kind: link.kind, id: link.id, text: nameIn(link), href: address(link),
		    tone: stands(link) ? "bad" : "",
		    title: titleOf(link, nameIn(link)),
		    weight: Math.max(1, link.users) }))} />
	${count > MOST_NODES && html`<p class="muted">${t("entity.drawn",
	    { drawn: MOST_NODES, n: count })}</p>`}
	<${Legend} />`;
}

const columns = (nameOf, user) => [
	{ id: "kind", label: t("entity.kind"),
	    cell: ({ kind }) => t(`subject.${kind}`) },
	{ id: "id", label: t("entity.id"), main: true,
	    cell: ({ kind, id }) => html`<code><${Ends} most=${Infinity}
		text=${nameOf(kind, id)} /></code>` },
	{ id: "users", label: t("entity.users"), align: "end", cell: ({ users }) =>
	    users === 0 ? "" : users > MANY_USERS ? html`<${Badge} tone="warn">${
		number(users)}</${Badge}>` : number(users) },
	{ id: "events", label: t("entity.events.n"), align: "end", cell: ({ kind, risk }) =>
	    risk === null ? "" : eventsText(kind, risk) },
	{ id: "frauds", label: t("entity.frauds"), align: "end", cell: ({ risk }) =>
	    risk === null || risk.labels === 0 ? "" : html`${risk.frauds === 0 ? "0" :
		html`<${Badge} tone="bad">${number(risk.frauds)}</${Badge}>`} <small
		class="muted">${t("entity.labels.n", { n: risk.labels })}</small>` },
	{ id: "seen", label: t("entity.seen"), align: "end",
	    cell: ({ firstSeen }) => html`<${Age} at=${firstSeen} />` },
	{ id: "show", label: html`<span class="hidden">${t("entity.show")}</span>`,
	    cell: ({ kind, id }) => html`<${Show} ...${{ kind, id, user }} />` },
];

// Connections graph: the answer of GET /v1/graph.
export function Connections({ graph }) {
	const [view, setView] = useState("drawing");
	const { nameOf } = useNames();
	const user = graph.kind === "user" ? graph.id : null;
	const none = graph.links.length === 0;
	return html`<${Section} title=${t("entity.links")} actions=${!none &&
	    html`<${Choice} label=${t("entity.view")} value=${view}
		onInput=${setView} options=${["drawing", "table"].map((one) =>
		[one, t(`entity.view.${one}`)])} />`}>
		${none ? html`<${Empty} icon="fingerprint" title=${t("entity.alone")} />` :
		    view === "drawing" ? html`<${Drawing} graph=${graph} />` :
		    html`<${Table} label=${t("entity.links")} rows=${graph.links}
			keyOf=${({ kind, id }) => `${kind} ${id}`} href=${address}
			columns=${columns(nameOf, user)} />`}</${Section}>`;
}
