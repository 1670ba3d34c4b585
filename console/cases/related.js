// SPDX-License-Identifier: ISC
// What surrounds a case: the last events of its user, other cases, and what the
// user shares with others.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { Name } from "../entity/masked.js";
import { amount } from "../format.js";
import { href } from "../router.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import "./case-text.js";
import { Badge, Score, Tag, Verdict, verdictTone } from "../ui/badge.js";
import { Empty, Loaded } from "../ui/empty.js";
import { Spark } from "../ui/spark.js";
import { Timeline } from "../ui/timeline.js";
import { Age } from "../ui/time.js";
import { eventName, State } from "./badges.js";

const EVENTS = 20;
const CASES = 20;
const SHOWN = 6;
const LINKED_KINDS = [["user", "users"], ["device", "devices"], ["ip", "ips"],
    ["phone", "phones"]];

function momentOf(entry, event) {
	const { eventId, eventType, request, verdict, score, reasons } = entry;
	const money = amount(request.amount, request.currency);
	return { id: entry.id, at: entry.decidedAt, tone: verdictTone(verdict),
	    title: `${eventType}${money === "" ? "" : ` ${money}`}`,
	    href: eventId === event ? null : href("/decisions/:id", { id: eventId }),
	    children: html`<p class="marks"><${Verdict} verdict=${verdict} />
		<${Score} ...${{ score, verdict }} />${reasons.map(({ tag }) =>
		    html`<${Tag} key=${tag} tag=${tag} />`)}
		${eventId === event && html`<${Badge} tone="info">${
		    t("cases.this")}</${Badge}>`}</p>` };
}

// Fewer scores make no line.
const LEAST_POINTS = 3;

// The scores of these events, which are the newest first.
function Scores({ entries }) {
	const scored = entries.filter(({ score }) => score >= 0).reverse();
	return scored.length >= LEAST_POINTS && html`<${Spark}
		label=${t("cases.scores", { n: scored.length })} points=${scored.map(
		({ score, verdict, eventType }) => ({ score, tone: verdictTone(verdict),
		    title: `${eventType}: ${score}` }))} />`;
}

// Activity user: the last events; event is the one of this case.
export function Activity({ user, event }) {
	const load = useLoad((signal) => call("GET /v1/activity",
	    { query: { userId: user, limit: EVENTS }, signal }), [user]);
	return html`<${Loaded} load=${load} lines=${6}>${(entries) => {
		const live = entries.filter(({ mode }) => mode === "live");
		return live.length === 0 ? html`<${Empty}
			title=${t("cases.noActivity")} />` : html`
			<${Scores} entries=${live} /><${Timeline}
			label=${t("cases.activity")} items=${live.map((entry) =>
			    momentOf(entry, event))} />
			<p><a href=${href("/decisions", {}, { userId: user })}>
				${t("cases.allActivity")}</a></p>`;
	}}</${Loaded}>`;
}

// Earlier: other cases of the user, with their outcomes.
export function Earlier({ user, id }) {
	const load = useLoad((signal) => call("GET /v1/cases",
	    { query: { userId: user, limit: CASES }, signal }), [user]);
	return html`<${Loaded} load=${load}>${(rows) => {
		const others = rows.filter((row) => row.id !== id);
		return others.length === 0 ? html`<p class="muted">
			${t("cases.noEarlier")}</p>` : html`<ul class="plain-list">
			${others.map((row) => html`<li key=${row.id}>
			<a href=${href("/cases/:id", { id: row.id })}>${eventName(row)}</a>
			<${State} row=${row} /><span class="muted">
			<${Age} at=${row.openedAt} /></span></li>`)}</ul>`;
	}}</${Loaded}>`;
}

function Linked({ kind, ids, user }) {
	return ids.length > 0 && html`<div><dt>${t(`cases.linked.${kind}`)}
		${" "}<span class="muted">${ids.length}</span></dt>
		<dd>${ids.slice(0, SHOWN).map((id) => html`<${Name} key=${id} class="chip"
			...${{ kind, id, user }} href=${href("/entity/:kind/:id",
			    { kind, id })} />`)}
		${ids.length > SHOWN && html`<span class="muted">${t("cases.moreLinks",
		    { n: ids.length - SHOWN })}</span>`}</dd></div>`;
}

// Links: what the user is linked to, and the people behind the same things.
export function Links({ user }) {
	const load = useLoad((signal) => call("GET /v1/graph/{kind}/{id}",
	    { path: { kind: "user", id: user }, signal }), [user]);
	return html`<${Loaded} load=${load}>${(graph) => html`<p>${t("cases.ring",
	    { n: graph.ringSize })}</p>
		<dl class="linked">${LINKED_KINDS.map(([kind, member]) =>
		    html`<${Linked} key=${kind} ...${{ kind, user }} ids=${graph[member]}
			/>`)}
		</dl>`}</${Loaded}>`;
}
