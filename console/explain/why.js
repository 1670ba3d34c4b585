// SPDX-License-Identifier: ISC
// Why an event was decided so, and what would have changed it: parts that the case
// and the decision show.
import { html } from "../../third_party/preact/preact.js";
import { number } from "../format.js";
import { Icon } from "../icons.js";
import { t } from "../text.js";
import { Badge, Tag, Verdict } from "../ui/badge.js";
import { Empty } from "../ui/empty.js";
import { Button } from "../ui/form.js";
import { Note } from "../ui/page.js";
import { Truth, Value, valueText } from "./value.js";

function Comparison({ comparison, truth, value }) {
	const said = comparison.endsWith(`== ${JSON.stringify(value)}`);
	return html`<li><${Truth} truth=${truth} /><code>${comparison}</code>
		${!said && html`<span class="muted">${t("explain.is")}
			${" "}<${Value} value=${value} /></span>`}</li>`;
}

const hasFired = ({ truth, silenced }) => truth === "true" && !silenced;
const isSilenced = ({ truth, silenced }) => truth === "true" && silenced;

// Rule: its tag and points, its result, and the comparisons that made it.  whole
// also shows its text.
function Rule({ rule, whole = false }) {
	const fired = hasFired(rule);
	return html`<li class=${`rule ${fired ? "fired" : ""}`}>
		<div class="head"><${Truth} truth=${rule.truth} words=${whole} />
			<b class="mono">${rule.id}</b><${Tag} tag=${rule.tag} />
			${rule.silenced && html`<${Badge} tone="warn">${
			    t("explain.silenced")}</${Badge}>`}
			<span class="points">${fired ? "+" : ""}${number(rule.points)}
			<span class="hidden">${t("explain.points")}</span></span></div>
		<ul class="because">${rule.because.map((one, i) =>
		    html`<${Comparison} key=${i} ...${one} />`)}
		${rule.more > 0 && html`<li class="muted">${t("explain.more",
		    { n: rule.more })}</li>`}</ul>
		${whole && html`<pre class="dsl" tabindex="0" role="region"
			aria-label=${t("explain.dsl", { rule: rule.id })}>${rule.dsl}
		</pre>`}
	</li>`;
}

// Reasons: the tags with their points.
export function Reasons({ reasons }) {
	return html`<ul class="reasons">${reasons.map(({ tag, points }) =>
	    html`<li key=${tag}><${Tag} tag=${tag} />
		<b>${points > 0 ? "+" : ""}${number(points)}</b></li>`)}</ul>`;
}

// Why the service cannot repeat the decision.
function NotRecomputed({ explanation }) {
	return explanation.why && html`<${Note} tone="warn">${t("explain.gone",
	    { why: explanation.why.text })}</${Note}>`;
}

const Rules = ({ rules, whole }) => html`<ul class="rules">${rules.map((rule) =>
    html`<${Rule} key=${rule.id} rule=${rule} whole=${whole} />`)}</ul>`;

// Why: the rules that fired; the others on demand.  whole also shows their texts.
export function Why({ explanation, whole = false }) {
	const rules = explanation.rules ?? [];
	const fired = rules.filter(hasFired);
	const others = rules.filter((rule) => !hasFired(rule));
	const silenced = others.some(isSilenced);
	const tags = new Set(fired.map(({ tag }) => tag));
	const rest = explanation.reasons.filter(({ tag }) => !tags.has(tag));
	return html`<div class="stack"><${NotRecomputed} explanation=${explanation} />
		${explanation.watched && html`<${Note} tone="warn">
			${t("explain.watched")}</${Note}>`}
		${silenced && html`<${Note} tone="warn">
			${t("explain.silenced.note")}</${Note}>`}
		<${Reasons} reasons=${fired.length > 0 ? rest : explanation.reasons} />
		<${Rules} rules=${fired} whole=${whole} />
		${others.length > 0 && html`<details><summary>${t("explain.others",
		    { n: others.length })}</summary>
		    <${Rules} rules=${others} whole=${whole} /></details>`}</div>`;
}

function Change({ change, direction, pick }) {
	if (change === null)
		return html`<li class="muted">${t(`explain.no.${direction}`)}</li>`;
	const to = change.other ? t("explain.other") : valueText(change.to);
	return html`<li class="change"><span>${t("explain.if")}
		${" "}<code>${change.signal}</code> ${t("explain.were")}
		${" "}<b>${to}</b>
		${" "}<span class="muted">${t("explain.not", {
			value: valueText(change.from) })}</span></span>
		<span class="marks"><${Icon} name="arrow-right" />
			<${Verdict} verdict=${change.verdict} />
			<${Badge}>${number(change.score)}</${Badge}>
			${pick && !change.other && html`<${Button} kind="quiet" icon="flask-conical"
				onClick=${() => pick(change.signal, change.to)}>
				${t("explain.try.this")}</${Button}>`}</span></li>`;
}

// Changes: the smallest change of one signal for a milder and for a stricter
// verdict.  pick(signal, value) tries one.
export function Changes({ explanation, pick }) {
	const { changes } = explanation;
	if (changes === null || changes === undefined)
		return html`<${Empty} icon="info" title=${t("explain.changes.none")} />`;
	return html`<ul class="changes"><${Change} direction="milder"
		pick=${pick} change=${changes.milder} /><${Change} direction="stricter"
		pick=${pick} change=${changes.stricter} />
		${!changes.complete && html`<li class="muted">${
		    t("explain.incomplete", { n: changes.tried })}</li>`}</ul>`;
}
