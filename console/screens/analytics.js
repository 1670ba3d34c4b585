// SPDX-License-Identifier: ISC
// Analytics: decisions by day, scores, tags, and what came of cases and labels.
import { html } from "../../third_party/preact/preact.js";
import { VerdictDays, newestDays, verdictParts } from "../analytics/days.js";
import { call } from "../api.js";
import { number, percent } from "../format.js";
import { href, setQuery } from "../router.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import "../text/analytics.js";
import { Bars, Ranked, Split } from "../ui/chart.js";
import { Cli } from "../ui/copy.js";
import { Empty, Loaded } from "../ui/empty.js";
import { Choice } from "../ui/form.js";
import { Page, Section, Stat } from "../ui/page.js";

const EVERY_MS = 60000;
const STRETCHES = [7, 30, 90, 400];

// The sum of the counts of some days.
function sumOf(days) {
	const sum = { total: 0 };
	for (const [, counts] of days)
		for (const [name, count] of Object.entries(counts))
			sum[name] = (sum[name] ?? 0) + count;
	return sum;
}

function Verdicts({ byDay, stretch }) {
	const days = newestDays(byDay, stretch);
	const sum = sumOf(days);
	return html`<${Section} class="wide" title=${t("analytics.days")}
		actions=${html`<${Choice} label=${t("analytics.stretch")}
			value=${String(stretch)} onInput=${(n) => setQuery({ days: n })}
			options=${STRETCHES.map((n) => [String(n),
			    t("analytics.lastDays", { n })])} />`}>
		<${VerdictDays} days=${days} />
		<${Split} label=${t("analytics.mix", { n: days.length,
		    total: sum.total })} parts=${verdictParts(sum)} /></${Section}>`;
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
		    ["fraud", "legit", "inconclusive"], ["bad", "good", "plain"])} />
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
	const stretch = STRETCHES.find((n) => String(n) === query.days) ?? 30;
	const load = useLoad((signal) => call("GET /v1/analytics/summary",
	    { signal }), [], { every: EVERY_MS });
	return html`<${Page} title=${t("nav.analytics")} lead=${t("analytics.lead")}
		actions=${html`<${Cli} words="analytics" />`}>
		<${Loaded} load=${load} lines=${8}>${(summary) =>
		    summary.totals.decisions === 0 ? html`<${Empty}
			icon="chart-column" title=${t("analytics.none")} />` :
			html`<div class="columns">
			<${Verdicts} byDay=${summary.byDay} stretch=${stretch} />
			<${Scores} buckets=${summary.scoreBuckets} />
			<${Tags} tags=${summary.topTags} />
			<${Truth} ...${summary} /></div>`}</${Loaded}></${Page}>`;
}
