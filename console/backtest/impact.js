// SPDX-License-Identifier: ISC
// What a candidate would decide: a small backtest on the newest samples, against
// what is active now and, beside it, against what was recorded.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { errorText } from "../errors.js";
import { verdicts } from "../events.js";
import { number } from "../format.js";
import { t } from "../text.js";
import { Verdict } from "../ui/badge.js";
import { Loading } from "../ui/empty.js";
import { Note, Section } from "../ui/page.js";
import { Flips, FLIPS } from "./flips.js";
import "./impact-text.js";

export const NEWEST = 20000;

// impactOf(candidate, signal): candidate has eventType and dsl or policy.  Returns
// the answer and the request that further pages need.
export async function impactOf(candidate, signal) {
	const request = { ...candidate, newest: NEWEST };
	return { request, result: await call("POST /v1/backtest", { signal,
	    reads: true, body: { ...request, flips: FLIPS } }) };
}

const ageOf = ({ stale, loading, error }) =>
    stale || loading || error ? "stale" : "";

const signed = (n) => n > 0 ? `+${number(n)}` : n < 0 ? `−${number(-n)}` : "0";

const sum = (numbers) => numbers.reduce((all, n) => all + n, 0);

// Lead result: how many verdicts differ from the active ones, and, smaller, from
// the recorded ones.  An earlier version kept results without the active ones.
export function Lead({ result: { active, sampleSize, flipsByPair } }) {
	return html`<div class="impact">${active && html`<p><strong>${
	    t(active.ruleset === null ? "impact.bands" : "impact.rules",
		{ n: sampleSize, flips: active.flips })}</strong></p>`}
		<p class="muted"><small>${t("impact.recorded", { n: sampleSize,
		    flips: sum(flipsByPair.map(({ samples }) => samples)) })}
		</small></p></div>`;
}

// Mix result: how many samples have each verdict from what is active, would have it
// from the candidate, and had it.
export function Mix({ result: { active, mix }, label }) {
	const before = (verdict) => active ?
	    sum(Object.values(active.verdicts[verdict])) : mix.before[verdict];
	return html`<div class="table-box" tabindex="0" role="region"
		aria-label=${label}><table class="mix"><thead><tr>
			<th scope="col">${t("impact.verdict")}</th>
			<th scope="col" class="end">${t(active ? "impact.before" :
			    "impact.then")}</th>
			<th scope="col" class="end">${t("impact.after")}</th>
			<th scope="col" class="end">${t("impact.change")}</th>
			${active && html`<th scope="col" class="end">
				<small>${t("impact.then")}</small></th>`}</tr></thead>
		<tbody>${verdicts.map((verdict) => html`<tr key=${verdict}>
			<td><${Verdict} verdict=${verdict} /></td>
			<td class="end">${number(before(verdict))}</td>
			<td class="end">${number(mix.after[verdict])}</td>
			<td class=${`end ${mix.after[verdict] === before(verdict) ? "muted" :
			    ""}`}>${signed(mix.after[verdict] - before(verdict))}</td>
			${active && html`<td class="end muted"><small>${
			    number(mix.before[verdict])}</small></td>`}
		</tr>`)}</tbody></table></div>`;
}

// One line that says whether the candidate is better on labelled samples.
export function Balance({ active, delta: recorded, labeled }) {
	const delta = active?.delta ?? recorded;
	if (labeled === 0)
		return html`<p class="muted">${t("impact.unlabeled")}</p>`;
	return html`<p>${t("impact.balance", { n: labeled,
	    fraud: signed(delta.fraudCaught),
	    wrong: signed(delta.falsePositives) })}</p>`;
}

// Velocities result: where the values of the candidate's velocities come from, if
// decisions have not recorded all.
export function Velocities({ result: { velocities = [] } }) {
	return velocities
	    .filter(({ computed, unknown }) => computed + unknown > 0)
	    .map((velocity) => html`<p class="muted" key=${velocity.name}>${
		t("impact.velocity", velocity)}</p>`);
}

// Impact later: the state of useDebounced() with impactOf(); blocked says why there is
// nothing to run.
export function Impact({ later, blocked }) {
	const { data, error, loading } = later;
	if (blocked)
		return html`<p class="muted">${blocked}</p>`;
	if (data === null && error === null)
		return loading ? html`<${Loading} lines=${5} />` :
		    html`<p class="muted">${t("impact.none")}</p>`;
	return html`<div class=${`stack ${ageOf(later)}`}
		aria-busy=${loading ? "true" : undefined}>
		${error && !loading && html`<${Note} tone="bad">
			${errorText(error)}</${Note}>`}
		${data && html`<${Lead} result=${data.result} />
		<${Balance} ...${data.result} />
		<${Mix} result=${data.result} label=${t("impact.mix")} />
		<${Velocities} result=${data.result} />
		${data.result.otherScorer > 0 && html`<p class="muted">${
		    t("impact.otherScorer", { n: data.result.otherScorer })}</p>`}`}
	</div>`;
}

// The events behind the impact, for the whole width of the page.
export function ImpactFlips({ later, blocked }) {
	const { data } = later;
	if (blocked || !data || data.result.active.flips === 0)
		return null;
	return html`<${Section} title=${t("impact.flips")} class=${ageOf(later)}>
		<${Flips} active=${data.result.active} request=${data.request} />
	</${Section}>`;
}
