// SPDX-License-Identifier: ISC
// How often rules fired on each day.
import { html, useState } from "../../third_party/preact/preact.js";
import { day } from "../format.js";
import { t } from "../text.js";
import { Bars } from "../ui/chart.js";
import { Select } from "../ui/form.js";
import { Section } from "../ui/page.js";
import "./text.js";

const DAY_MS = 86400000;
const CELL = { width: 96, height: 22 };

// daysSince(since, count): so many UTC days from that of a time, as "2026-11-23".
export function daysSince(since, count) {
	const first = Math.floor(Date.parse(since) / DAY_MS);
	return Array.from({ length: count }, (_, i) =>
	    new Date((first + i) * DAY_MS).toISOString().slice(0, 10));
}

// TrendCell: the days of one rule as bars without numbers, which Trend has.
export function TrendCell({ byDay }) {
	const most = Math.max(...byDay, 1), slot = CELL.width / byDay.length;
	return html`<svg class="trend" aria-hidden="true" width=${CELL.width}
		height=${CELL.height}>${byDay.map((n, i) => {
		const height = n === 0 ? 1 : Math.max(2, n / most * CELL.height);
		return html`<rect key=${i} class=${`fill ${n === 0 ? "plain" : "accent"}`}
			x=${i * slot} width=${Math.max(0.8, slot * 0.8)}
			y=${CELL.height - height} height=${height} />`;
	})}</svg>`;
}

// Trend: the days of the rule that the operator chooses, at first the one that fired
// most.
export function Trend({ since, rules }) {
	const [chosen, choose] = useState(null);
	const rule = rules.find(({ id }) => id === chosen) ?? [...rules].sort((a, b) =>
	    b.fired - a.fired)[0];
	if (rule === undefined)
		return null;
	const label = t("quality.trend.of", { rule: rule.id });
	return html`<${Section} title=${t("quality.trend")} actions=${html`
		<${Select} hideLabel label=${t("quality.rule")} value=${rule.id}
			options=${rules.map(({ id }) => [id, id])} onInput=${choose} />`}>
		<${Bars} label=${label} unit=${t("quality.samples")}
			xLabel=${t("quality.day")} items=${daysSince(since,
			    rule.byDay.length)
			    .map((date, i) => ({ label: day(date), title: date,
			    parts: [{ name: t("quality.fired"), tone: "accent",
				value: rule.byDay[i] }] }))} />
	</${Section}>`;
}
