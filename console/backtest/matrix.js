// SPDX-License-Identifier: ISC
// Results of backtests and shadows as tables: the confusion matrix of each side, and the verdicts
// of one side by those of the other.
import { html } from "../../third_party/preact/preact.js";
import { verdicts } from "../events.js";
import { number, percent } from "../format.js";
import { t } from "../text.js";
import { Verdict } from "../ui/badge.js";

const COUNTS = ["truePositives", "falsePositives", "falseNegatives",
    "trueNegatives"];

// ratesOf SIDE: precision, recall and the rate of false positives; null without a
// divisor.
function ratesOf(side) {
	const { truePositives: tp, falsePositives: fp, falseNegatives: fn,
	    trueNegatives: tn } = side;
	const rate = (part, rest) => part + rest === 0 ? null : part / (part + rest);
	return { precision: rate(tp, fp), recall: rate(tp, fn),
	    falsePositiveRate: rate(fp, tn) };
}

const share = (value) => value === null ? "–" : percent(value);

// Which direction is better: more true positives, fewer false ones.
const BETTER = { truePositives: 1, trueNegatives: 1, precision: 1, recall: 1,
    falsePositives: -1, falseNegatives: -1, falsePositiveRate: -1 };

function Row({ id, before, after, show }) {
	const gain = ((after ?? 0) - (before ?? 0)) * BETTER[id];
	return html`<tr><th scope="row">${t(`backtest.${id}`)}</th>
		<td class="end">${show(before)}</td>
		<td class="end">${show(after)}</td>
		<td class="end">${gain !== 0 && before !== null && after !== null &&
		    html`<span class=${gain > 0 ? "gain" : "loss"}>${
			t(gain > 0 ? "backtest.better" : "backtest.worse")}</span>`}</td></tr>`;
}

// Sides before after names: counts and rates of both sides.
export function Sides({ label, before, after, names }) {
	const rates = [ratesOf(before), ratesOf(after)];
	return html`<div class="table-box" tabindex="0" role="region"
		aria-label=${label}><table><thead><tr>
			<td></td>${names.map((name) => html`<th scope="col"
				class="end" key=${name}>${name}</th>`)}<td></td></tr></thead>
		<tbody>${COUNTS.map((id) => html`<${Row} key=${id} id=${id}
			before=${before[id]} after=${after[id]} show=${number} />`)}
		${Object.keys(rates[0]).map((id) => html`<${Row} key=${id} id=${id}
			before=${rates[0][id]} after=${rates[1][id]} show=${share} />`)}
		</tbody></table></div>`;
}

// VerdictMatrix counts: the verdicts of the live side in rows, those of the
// candidate in columns.
export function VerdictMatrix({ label, counts }) {
	const most = Math.max(1, ...verdicts.flatMap((live) =>
	    verdicts.map((other) => live === other ? 0 : counts[live][other])));
	const shade = (live, other) => live === other ? "agree" :
	    `differ s${Math.ceil(counts[live][other] / most * 4)}`;
	return html`<div class="table-box" tabindex="0" role="region"
		aria-label=${label}><table class="matrix"><thead><tr>
			<th scope="col">${t("backtest.live.candidate")}</th>
			${verdicts.map((verdict) => html`<th scope="col" class="end"
				key=${verdict}><${Verdict} verdict=${verdict} /></th>`)}
		</tr></thead><tbody>${verdicts.map((live) => html`<tr key=${live}>
			<th scope="row"><${Verdict} verdict=${live} /></th>
			${verdicts.map((other) => html`<td key=${other} class=${`end ${
			    shade(live, other)}`}>${number(counts[live][other])}</td>`)}
		</tr>`)}</tbody></table></div>`;
}
