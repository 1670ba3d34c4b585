// SPDX-License-Identifier: ISC
// Counts of verdicts, as parts of a bar and by day.
import { html } from "../../third_party/preact/preact.js";
import { verdicts } from "../events.js";
import { day } from "../format.js";
import { t } from "../text.js";
import { verdictTone } from "../ui/badge.js";
import { Bars } from "../ui/chart.js";
import "./text.js";

// verdictParts(counts): the parts of a Bars or Split.
export function verdictParts(counts) {
	return verdicts.map((verdict) => ({ name: t(`verdict.${verdict}`),
	    value: counts[verdict] ?? 0, tone: verdictTone(verdict) }));
}

// newestDays(byDay, count): the [day, counts] pairs of the newest days.
export function newestDays(byDay, count) {
	return Object.entries(byDay).sort().slice(-count);
}

// VerdictDays days: [day, counts] pairs in their order.
export function VerdictDays({ days }) {
	return html`<${Bars} label=${t("analytics.days")} xLabel=${t("analytics.day")}
		unit=${t("analytics.decisions")} items=${days.map(([date, counts]) => ({
		    label: day(date), title: date, parts: verdictParts(counts) }))} />`;
}
