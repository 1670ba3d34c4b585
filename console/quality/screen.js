// SPDX-License-Identifier: ISC
// Quality: how often each rule fires, and how often it is right.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { number, percent } from "../format.js";
import { href, setQuery } from "../router.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Badge, Tag } from "../ui/badge.js";
import { Cli } from "../ui/copy.js";
import { Empty, Loaded } from "../ui/empty.js";
import { Choice, Select } from "../ui/form.js";
import { Money } from "../ui/money.js";
import { Page, Section, Stat } from "../ui/page.js";
import { Table } from "../ui/table.js";
import { ZonedTime } from "../ui/time.js";
import "./text.js";
import { Trend, TrendCell } from "./trend.js";

const SAMPLE_DAYS = ["7", "30", "90"];
// With fewer labels the interval is too wide to judge a rule.
const FEW = 20;
const INTERVAL_PX = 120;

async function loadQuality(type, days, signal) {
	const types = (await call("GET /v1/rules", { signal }))
	    .map(({ eventType }) => eventType);
	const eventType = types.includes(type) ? type : types[0];
	return { types, ...await call("GET /v1/analytics/rules",
	    { query: { eventType, days }, signal }) };
}

const labelsOf = ({ labels }) => labels.fraud + labels.legit;

// The interval as a bar, the precision as a mark on it.
function Precision({ rule }) {
	const { precision, low, high } = rule;
	if (precision === null)
		return html`<span class="muted">${t("quality.unlabeled")}</span>`;
	const few = labelsOf(rule) < FEW;
	return html`<span class="interval">
		<svg width=${INTERVAL_PX} height="12" aria-hidden="true">
			<rect class="track" y="5" width=${INTERVAL_PX} height="2" />
			<rect class=${`fill ${few ? "plain" : "info"}`} y="3" height="6" rx="3"
				x=${low * INTERVAL_PX} width=${Math.max(2, (high - low) * INTERVAL_PX)} />
			<rect class="at" y="0" width="2" height="12"
				x=${precision * (INTERVAL_PX - 2)} /></svg>
		<b>${percent(precision)}</b>
		<small class="muted">${t("quality.interval", { low: percent(low),
		    high: percent(high) })}</small>
		${few && html`<${Badge} tone="warn">${t("quality.few")}</${Badge}>`}
	</span>`;
}

// On how many samples the verdict depends on the rule, and how these are labelled.
function Decisive({ rule: { decisive: { samples, labels } } }) {
	return html`<span title=${t("quality.decisive.title")}>${number(samples)}</span>
		${labels.fraud + labels.legit > 0 && html`<br /><small class="muted">${
		    t("quality.decisive.note", { fraud: number(labels.fraud),
			legit: number(labels.legit) })}</small>`}`;
}

const columns = () => [
	{ id: "id", label: t("quality.rule"), main: true,
	    cell: (rule) => html`<code>${rule.id}</code> <${Tag} tag=${rule.tag} />${
		rule.alwaysWith.length > 0 && html`<br /><small class="muted">${
		t("quality.always", { rules: rule.alwaysWith.join(", ") })}</small>`}` },
	{ id: "points", label: t("quality.points"), align: "end", sortable: true,
	    cell: (rule) => rule.points },
	{ id: "fired", label: t("quality.fired"), align: "end", sortable: true,
	    cell: (rule) => rule.neverFired ? html`<${Badge} tone="warn">${
		t("quality.never")}</${Badge}>` : html`${number(rule.fired)} <small
		class="muted">${percent(rule.share)}</small>` },
	{ id: "trend", label: t("quality.trend"),
	    cell: (rule) => html`<${TrendCell} byDay=${rule.byDay} />` },
	{ id: "labels", label: t("quality.labels"), align: "end nowrap", sortable: true,
	    cell: (rule) => html`${number(rule.labels.fraud)} <small class="muted">${
		t("quality.of", { n: labelsOf(rule) })}</small>` },
	{ id: "precision", label: t("quality.precision"), sortable: true,
	    cell: (rule) => html`<${Precision} rule=${rule} />` },
	{ id: "recall", label: t("quality.recall"), align: "end nowrap", sortable: true,
	    cell: ({ recall }) => recall === null ?
		html`<span class="muted">–</span>` : percent(recall) },
	{ id: "decisive", label: t("quality.decisive"), align: "end nowrap",
	    sortable: true,
	    cell: (rule) => html`<${Decisive} rule=${rule} />` },
	{ id: "money", label: t("quality.money"), align: "end",
	    cell: (rule) => html`<${Money} amounts=${rule.amountFraud} />` },
	{ id: "alarms", label: t("quality.alarms"), align: "end",
	    cell: (rule) => html`<${Money} amounts=${rule.amountLegit} />` },
];

const ORDER = { points: (rule) => rule.points, fired: (rule) => rule.fired,
    labels: labelsOf, precision: (rule) => rule.precision ?? -1,
    recall: (rule) => rule.recall ?? -1,
    decisive: (rule) => rule.decisive.samples };

function sorted(rules, { by, down }) {
	return [...rules].sort((a, b) =>
	    (ORDER[by](b) - ORDER[by](a)) * (down ? 1 : -1));
}

const overlapColumns = () => [
	{ id: "a", label: t("quality.rule"), main: true,
	    cell: (pair) => html`<code>${pair.a}</code>` },
	{ id: "b", label: t("quality.with"),
	    cell: (pair) => html`<code>${pair.b}</code>` },
	{ id: "both", label: t("quality.both"), align: "end",
	    cell: (pair) => number(pair.both) },
	{ id: "share", label: t("quality.overlap.share"), align: "end",
	    cell: (pair) => percent(pair.share) },
];

function Numbers({ decisions, since, labels, mature, matureUntil, rules, overlap }) {
	const idle = rules.filter(({ neverFired }) => neverFired).length;
	const few = rules.filter((rule) => !rule.neverFired &&
	    labelsOf(rule) < FEW).length;
	return html`<div class="stats">
		<${Stat} label=${t("quality.decisions")} value=${number(decisions)}
			note=${html`${t("quality.since")} <${ZonedTime} at=${since} />`} />
		<${Stat} label=${t("quality.labelled")} value=${number(labelsOf({ labels }))}
			note=${html`${t("quality.mature", { all: number(mature.decisions),
			    n: number(labelsOf(mature)) })} <${ZonedTime}
			    at=${matureUntil} />`} />
		<${Stat} label=${t("quality.rules")} value=${number(rules.length)} />
		<${Stat} label=${t("quality.never")} value=${number(idle)}
			tone=${idle > 0 ? "warn" : ""} />
		<${Stat} label=${t("quality.few")} value=${number(few)}
			note=${t("quality.few.note", { n: FEW })} />
		<${Stat} label=${t("quality.overlap")} value=${number(overlap.length)} />
	</div>`;
}

function Quality(quality) {
	const { eventType, decisions, since, rules, overlap } = quality;
	const [sort, setSort] = useState({ by: "fired", down: true });
	const order = { ...sort, onChange: (by) => setSort({ by,
	    down: by === sort.by ? !sort.down : true }) };
	if (decisions === 0)
		return html`<${Empty} icon="gauge" title=${t("quality.none")} />`;
	return html`<${Numbers} ...${quality} />
	<${Section} class="flush"><${Table} label=${t("nav.quality")} sort=${order}
		columns=${columns()} rows=${sorted(rules, sort)}
		keyOf=${(rule) => rule.id}
		href=${() => href("/rules/:type", { type: eventType })}
		empty=${html`<${Empty} title=${t("quality.rules.none")} />`} /></${Section}>
	<${Trend} since=${since} rules=${rules} />
	${overlap.length > 0 && html`<${Section} class="flush"
		title=${t("quality.overlap")}><${Table} label=${t("quality.overlap")}
		columns=${overlapColumns()} rows=${overlap}
		keyOf=${({ a, b }) => `${a} ${b}`} /></${Section}>`}`;
}

export default function QualityScreen({ query }) {
	const days = SAMPLE_DAYS.includes(query.days) ? query.days : "30";
	const load = useLoad((signal) => loadQuality(query.type, days, signal),
	    [query.type, days], { keep: true });
	return html`<${Page} title=${t("nav.quality")} lead=${t("quality.lead")}
		actions=${load.data && html`<${Cli} words="rules quality"
		    operands=${[load.data.eventType]} options=${{ days }} />`}>
		<${Loaded} load=${load} lines=${8}>${(data) => html`
			<div class="filters"><${Select} label=${t("quality.type")} hideLabel
				value=${data.eventType} options=${data.types.map((one) =>
				    [one, one])} onInput=${(type) => setQuery({ type })} />
			<${Choice} label=${t("quality.days")} value=${days}
				options=${SAMPLE_DAYS.map((n) => [n, t("quality.last",
				    { n: Number(n) })])}
				onInput=${(n) => setQuery({ days: n })} /></div>
			<${Quality} ...${data} />`}</${Loaded}></${Page}>`;
}
