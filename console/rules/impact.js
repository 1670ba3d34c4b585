// SPDX-License-Identifier: ISC
// What a candidate would have decided: a small backtest on the newest samples, with
// the events that would have another verdict.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { errorText } from "../errors.js";
import { verdicts } from "../events.js";
import { number, percent } from "../format.js";
import { Icon } from "../icons.js";
import { href } from "../router.js";
import { t } from "../text.js";
import "../text/impact.js";
import { Verdict, verdictTone } from "../ui/badge.js";
import { Id } from "../ui/copy.js";
import { Loading } from "../ui/empty.js";
import { Note } from "../ui/page.js";

export const NEWEST = 20000;
const EXAMPLES = 10;
// How many pairs of verdicts show their events at first.
const MOST_OPEN = 3;

// impactOf(candidate, signal): candidate has eventType and dsl or policy.
export function impactOf(candidate, signal) {
	return call("POST /v1/backtest", { signal, reads: true, body: { ...candidate,
	    newest: NEWEST, examples: EXAMPLES } });
}

const signed = (n) => n > 0 ? `+${number(n)}` : n < 0 ? `−${number(-n)}` : "0";

const flipsOf = ({ flipsByPair }) => flipsByPair.reduce((sum, { samples }) =>
    sum + samples, 0);

// Mix before after: how many samples had and would have each verdict.
export function Mix({ mix: { before, after }, label }) {
	const sum = verdicts.reduce((all, verdict) => all + before[verdict], 0);
	return html`<div class="table-box" tabindex="0" role="region"
		aria-label=${label}><table class="mix"><thead><tr>
			<th scope="col">${t("impact.verdict")}</th>
			<th scope="col" class="end">${t("impact.before")}</th>
			<th scope="col" class="end">${t("impact.after")}</th>
			<th scope="col" class="end">${t("impact.change")}</th></tr></thead>
		<tbody>${verdicts.map((verdict) => html`<tr key=${verdict}>
			<td><${Verdict} verdict=${verdict} /></td>
			<td class="end">${number(before[verdict])}</td>
			<td class="end">${number(after[verdict])} <small class="muted">${
			    percent(sum ? after[verdict] / sum : 0)}</small></td>
			<td class=${`end ${after[verdict] === before[verdict] ? "muted" :
			    ""}`}>${signed(after[verdict] - before[verdict])}</td>
		</tr>`)}</tbody></table></div>`;
}

// Flips pairs examples: the verdicts that change, with events to open.
export function Flips({ pairs, examples = [] }) {
	if (pairs.length === 0)
		return html`<p class="muted">${t("impact.flips.none")}</p>`;
	const eventsOf = ({ from, to }) => examples.find((one) =>
	    one.from === from && one.to === to)?.eventIds ?? [];
	return html`<ul class="flips">${pairs.map((pair, i) => html`<li
		key=${`${pair.from} ${pair.to}`}>
		<details open=${i < MOST_OPEN}>
		<summary><${Verdict} verdict=${pair.from} />
			<${Icon} name="arrow-right" size=${12} />
			<span class="hidden">${t("impact.to")}</span>
			<${Verdict} verdict=${pair.to} />
			<b class=${`count ${verdictTone(pair.to)}`}>${
			    number(pair.samples)}</b></summary>
		<ul>${eventsOf(pair).map((id) => html`<li key=${id}><${Id} id=${id}
			href=${href("/decisions/:id", { id })} /></li>`)}
			${eventsOf(pair).length === 0 &&
			    html`<li class="muted">${t("impact.examples.none")}</li>`}
		</ul></details></li>`)}</ul>`;
}

// One line that says whether the candidate is better on labelled samples.
export function Balance({ delta, labeled }) {
	if (labeled === 0)
		return html`<p class="muted">${t("impact.unlabeled")}</p>`;
	return html`<p>${t("impact.balance", { n: labeled,
	    fraud: signed(delta.fraudCaught),
	    wrong: signed(delta.falsePositives) })}</p>`;
}

// Impact later: the state of useLater() with impactOf(); blocked says why there is
// nothing to run.
export function Impact({ later, blocked }) {
	const { data, error, loading, stale } = later;
	if (blocked)
		return html`<p class="muted">${blocked}</p>`;
	if (data === null && error === null)
		return loading ? html`<${Loading} lines=${5} />` :
		    html`<p class="muted">${t("impact.none")}</p>`;
	return html`<div class=${`stack ${stale || loading || error ? "stale" : ""}`}
		aria-busy=${loading ? "true" : undefined}>
		${error && !loading && html`<${Note} tone="bad">
			${errorText(error)}</${Note}>`}
		${data && html`<p>${t("impact.samples", { n: data.sampleSize,
		    flips: flipsOf(data) })}</p>
		<${Balance} ...${data} />
		<${Mix} mix=${data.mix} label=${t("impact.mix")} />
		<h3>${t("impact.flips")}</h3>
		<${Flips} pairs=${data.flipsByPair} examples=${data.examples} />
		${data.otherScorer > 0 && html`<p class="muted">${
		    t("impact.otherScorer", { n: data.otherScorer })}</p>`}`}
	</div>`;
}
