// SPDX-License-Identifier: ISC
// Analytics: decisions by day, scores, tags, and what came of cases and labels.
import { html } from "../../third_party/preact/preact.js";
import { call, skew } from "../api.js";
import { eventTypes, outcomes } from "../events.js";
import { DAY_MS, duration, number, percent } from "../format.js";
import { href, setQuery } from "../router.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Bars, Ranked, Split } from "../ui/chart.js";
import { Cli } from "../ui/copy.js";
import { Empty, Loaded } from "../ui/empty.js";
import { Filters } from "../ui/filters.js";
import { Choice } from "../ui/form.js";
import { Page, Section, Stat } from "../ui/page.js";
import { Table } from "../ui/table.js";
import { VerdictDays, newestDays, verdictParts } from "./days.js";
import "./text.js";

const EVERY_MS = 60000;
const MOST_DAYS = 400;
const STRETCHES = [7, 30, 90, MOST_DAYS];

// The first of the last n days, by UTC; null: all days that are listed.
function firstDay(n) {
	return n === MOST_DAYS ? null : new Date(Date.now() + skew.value -
	    (n - 1) * DAY_MS).toISOString().slice(0, 10);
}

const fields = (queues) => [
	{ name: "eventType", label: t("analytics.type"), kind: "choice",
	    options: eventTypes.map((type) => [type, type]) },
	{ name: "queue", label: t("analytics.queue"), kind: "choice",
	    options: queues.map((queue) => [queue, queue]) },
	{ name: "since", label: t("analytics.since"), kind: "date" },
	{ name: "until", label: t("analytics.until"), kind: "date" },
];

// Typed days take the place of a stretch that ends today.
function Bar({ query, stretch }) {
	const load = useLoad((signal) => call("GET /v1/queues", { signal }), []);
	const names = load.data?.queues.map(({ queue }) => queue) ?? [];
	const queues = [...new Set([...names, ...query.queue ? [query.queue] : []])];
	return html`<${Filters} label=${t("analytics.filters")}
		fields=${fields(queues)} query=${query}>
		<${Choice} label=${t("analytics.stretch")} hideLabel=${false}
			value=${stretch === null ? "" : String(stretch)}
			onInput=${(n) => setQuery({ days: n, since: null, until: null })}
			options=${STRETCHES.map((n) => [String(n),
			    t("analytics.lastDays", { n })])} /></${Filters}>`;
}

function Verdicts({ byDay, totals }) {
	return html`<${Section} class="wide" title=${t("analytics.days")}>
		<div class="stack"><${VerdictDays} days=${newestDays(byDay, MOST_DAYS)} />
		<${Split} label=${t("analytics.mix")}
			parts=${verdictParts(totals.byVerdict)} /></div></${Section}>`;
}

function Analysts({ handling, analysts }) {
	return html`<${Section} class="wide flush" title=${t("analytics.work")}
		actions=${html`<span class="muted">${handling.resolved > 0 &&
		    t("analytics.handling", { n: handling.resolved,
			median: duration(handling.medianSeconds),
			p90: duration(handling.p90Seconds) })}</span>`}>
		<${Table} label=${t("analytics.work")} rows=${analysts}
			keyOf=${({ analyst }) => analyst} columns=${[
			    { id: "analyst", label: t("analytics.who"),
				cell: ({ analyst }) => analyst },
			    ...["resolved", ...outcomes].map((id) =>
				({ id, align: "end", label: id === "resolved" ?
				    t("analytics.resolved") : t(`outcome.${id}`),
				    cell: (row) => number(row[id]) })),
			    { id: "median", label: t("analytics.median"), align: "end",
				cell: ({ medianSeconds }) => medianSeconds === null ? "" :
				    duration(medianSeconds) }]}
			empty=${html`<${Empty} title=${t("analytics.work.none")} />`} />
	</${Section}>`;
}

function Scores({ buckets }) {
	return html`<${Section} title=${t("analytics.scores")}>
		<${Bars} label=${t("analytics.scores")} unit=${t("analytics.decisions")}
			xLabel=${t("analytics.score")} items=${buckets.map((value, i) => ({
			    label: String(i * 10),
			    title: i === 10 ? "100" : `${i * 10}–${i * 10 + 9}`,
			    parts: [{ name: t("analytics.decisions"), value,
				tone: "accent" }] }))} /></${Section}>`;
}

function Tags({ tags }) {
	return html`<${Section} title=${t("analytics.tags")}>
		<${Ranked} label=${t("analytics.tags")} items=${Object.entries(tags)
		    .map(([label, value]) => ({ label, value,
			href: href("/decisions", {}, { tag: label }) }))} /></${Section}>`;
}

function Truth({ cases, labels, falsePositiveRate }) {
	const known = cases.fraud + cases.legit;
	const parts = (counts, names, tones) => names.map((name, i) => ({
	    name: t(`outcome.${name}`), value: counts[name], tone: tones[i] }));
	return html`<${Section} title=${t("analytics.cases")}>
		<div class="stack"><div class="stats">
			<${Stat} label=${t("analytics.resolved")}
				value=${number(cases.resolved)} />
			<${Stat} label=${t("analytics.false")} value=${known === 0 ? "–" :
			    percent(falsePositiveRate)}
				note=${t("analytics.false.note")} /></div>
		<${Split} label=${t("analytics.outcomes")} parts=${parts(cases,
		    outcomes, ["bad", "good", "plain"])} />
		</div></${Section}>
	<${Section} title=${t("analytics.labels")}>
		<div class="stack"><div class="stats">
			<${Stat} label=${t("analytics.analyst")}
				value=${number(labels.analyst)} />
			<${Stat} label=${t("analytics.chargeback")}
				value=${number(labels.chargeback)} /></div>
		<${Split} label=${t("analytics.labels")} parts=${parts(labels,
		    ["fraud", "legit"], ["bad", "good"])} /></div></${Section}>`;
}

export default function Analytics({ query }) {
	const stretch = query.since || query.until ? null :
	    STRETCHES.find((n) => String(n) === query.days) ?? 30;
	const wanted = { since: stretch === null ? query.since : firstDay(stretch),
	    until: query.until, eventType: query.eventType, queue: query.queue };
	const load = useLoad((signal) => call("GET /v1/analytics/summary",
	    { query: wanted, signal }), [JSON.stringify(wanted)],
	{ every: EVERY_MS, keep: true });
	return html`<${Page} title=${t("nav.analytics")} lead=${t("analytics.lead")}
		actions=${html`<${Cli} words="analytics" options=${{
		    since: wanted.since, until: wanted.until, type: wanted.eventType,
		    queue: wanted.queue }} />`}>
		<${Bar} query=${query} stretch=${stretch} />
		<${Loaded} load=${load} lines=${8}>${(summary) => html`
			<div class="columns">${summary.totals.decisions === 0 ?
			    html`<${Section} class="wide"><${Empty} icon="chart-column"
				title=${t("analytics.none")} /></${Section}>` : html`
			<${Verdicts} ...${summary} />
			<${Scores} buckets=${summary.scoreBuckets} />
			<${Tags} tags=${summary.topTags} />`}
			<${Analysts} ...${summary} />
			<${Truth} ...${summary} /></div>`}</${Loaded}></${Page}>`;
}
