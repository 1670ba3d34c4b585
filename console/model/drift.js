// SPDX-License-Identifier: ISC
// How the scores and tags of a window of days differ from those of the reference.
import { html } from "../../third_party/preact/preact.js";
import { day, number, percent, wholePercent } from "../format.js";
import { t } from "../text.js";
import { Badge, Tag } from "../ui/badge.js";
import { Lines } from "../ui/chart.js";
import { Empty } from "../ui/empty.js";
import { Note, Section } from "../ui/page.js";
import { Table } from "../ui/table.js";
import { PSI_TONES, sharesOf, stateOf } from "./psi.js";
import "./text.js";

const MOST_TAGS = 40;

function Index({ psi }) {
	const state = stateOf(psi);
	return html`<${Badge} tone=${PSI_TONES[state]}>${psi === null ?
	    t("model.psi.none") : t(`model.psi.${state}`, {
		psi: psi.toFixed(3) })}</${Badge}>`;
}

// The curve of the shares of ten bins, at the middle of each.
function curve(name, tone, { bins }, dashed) {
	return { name, tone, dashed, points: sharesOf(bins).map((share, i) =>
	    [i * 10 + 5, share]) };
}

function Type({ row, names }) {
	const { eventType, psi, window, reference } = row;
	const max = Math.max(...sharesOf(window.bins), ...sharesOf(reference.bins));
	return html`<${Section} title=${eventType}
		actions=${html`<${Index} psi=${psi} />`}>
		<${Lines} label=${t("model.scores", { type: eventType })} series=${[
		    curve(names.window, "accent", window, false),
		    curve(names.reference, "plain", reference, true)]}
			x=${{ min: 0, max: 100, label: t("model.score") }}
			y=${{ max, show: wholePercent, unit: t("model.share") }} />
		<p class="muted">${t("model.quantiles", { n: number(window.decisions),
		    before: number(reference.decisions), p50: window.p50 ?? "–",
		    p95: window.p95 ?? "–", was50: reference.p50 ?? "–",
		    was95: reference.p95 ?? "–" })}</p></${Section}>`;
}

function namesOf({ window, reference }) {
	const text = ({ from, to }) => from === to ? day(from) :
	    `${day(from)} – ${day(to)}`;
	return { window: text(window), reference: text(reference) };
}

export function DriftTypes({ drift }) {
	const rows = drift.eventTypes.filter(({ window, reference }) =>
	    window.decisions + reference.decisions > 0)
	    .sort((a, b) => (b.psi ?? -1) - (a.psi ?? -1));
	if (rows.length === 0)
		return html`<${Section}><${Empty} icon="gauge"
			title=${t("model.none")}>${t("model.none.text")}</${Empty}>
		</${Section}>`;
	return html`${rows.every(({ psi }) => psi === null) && html`<${Note}>${
	    t("model.few", { n: drift.decisionsMin })}</${Note}>`}
		<div class="columns">${rows.map((row) => html`<${Type}
			key=${row.eventType} row=${row} names=${namesOf(drift)} />`)}
		</div>`;
}

export function DriftTags({ drift }) {
	const rows = drift.tags.filter(({ window, reference }) =>
	    window !== null || reference !== null)
	    .sort((a, b) => (b.psi ?? -1) - (a.psi ?? -1)).slice(0, MOST_TAGS);
	return html`<${Section} class="flush" title=${t("model.tags")}><${Table}
		label=${t("model.tags")} rows=${rows}
		keyOf=${({ eventType, tag }) => `${eventType} ${tag}`} columns=${[
		    { id: "tag", label: t("model.tag"),
			cell: ({ tag }) => html`<${Tag} tag=${tag} />` },
		    { id: "type", label: t("model.type"),
			cell: ({ eventType }) => eventType },
		    { id: "before", label: t("model.before"), align: "end",
			cell: ({ reference }) => percent(reference) },
		    { id: "now", label: t("model.now"), align: "end",
			cell: ({ window }) => percent(window) },
		    { id: "psi", label: t("model.psi"), align: "end",
			cell: ({ psi }) => html`<${Index} psi=${psi} />` },
		]} empty=${html`<${Empty} title=${t("model.tags.none")} />`} />
	</${Section}>`;
}
