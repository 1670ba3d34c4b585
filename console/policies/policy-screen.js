// SPDX-License-Identifier: ISC
// One policy: its bands over the scores of its event type, and what other bands
// would decide.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { impactOf } from "../backtest/impact.js";
import { verdicts } from "../events.js";
import { number, percent } from "../format.js";
import { useKeys } from "../keys.js";
import { Editing, EditorPage, ImpactBeside, useEditing } from
    "../versions/editing.js";
import { can } from "../session.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Verdict } from "../ui/badge.js";
import { Cli } from "../ui/copy.js";
import { useDebounced } from "../ui/debounce.js";
import { known } from "../ui/empty.js";
import { Button, Choice, Select, TextField } from "../ui/form.js";
import { Section } from "../ui/page.js";
import { bandOf, candidateOf, countsOf, decide, HIGHEST, moveEdge, QUEUE, queueFor,
    remove, split, textOf } from "./bands.js";
import { Scale } from "./scale.js";
import "./text.js";

const HISTOGRAM_DAYS = 30;
const IMPACT_MS = 800;

async function loadPolicy(id, from, signal) {
	const version = (label) => call("GET /v1/policies/{id}/versions/{version}",
	    { path: { id, version: label }, signal });
	const [policies, versions, histogram] = await Promise.all([
	    call("GET /v1/policies", { signal }),
	    call("GET /v1/policies/{id}/versions", { path: { id }, signal }),
	    call("GET /v1/policies/{id}/histogram", { path: { id },
		query: { days: HISTOGRAM_DAYS }, signal })]);
	const { eventType, policy } = policies.find((row) => row.policy.id === id);
	return { eventType, versions, scores: histogram.scores, active: policy,
	    base: from === undefined ? policy : await version(from) };
}

function kinds(id, candidate) {
	return [{ id: "publish", needs: "policies.publish", subjects: ["policies"],
	    operation: "POST /v1/policies",
	    body: (version) => ({ id, version, ...candidate }),
	    cli: (version) => ({ words: "policies publish",
		operands: [id, version, `${id}.json`] }) }];
}

function Band({ bands, i, count, share, onChange }) {
	const { verdict, min, max, reviewQueue } = bands[i];
	const last = i === bands.length - 1;
	return html`<tr>
		<td><${Select} hideLabel label=${t("bands.verdict.of", { min, max })}
			value=${verdict} options=${verdicts.map((one) =>
			    [one, t(`verdict.${one}`)])}
			onInput=${(one) => onChange(decide(bands, i, one))} /></td>
		<td class="end">${min}</td>
		<td class="end">${last ? HIGHEST : html`<${TextField} hideLabel
			class="score-field" label=${t("bands.to.of", { min })}
			type="number" min=${min} max=${bands[i + 1].max - 1} value=${max}
			onInput=${(text) => text !== "" &&
			    onChange(moveEdge(bands, i, Number(text)))} />`}</td>
		<td>${verdict === "review" && html`<${TextField} hideLabel
			label=${t("bands.queue")} value=${reviewQueue ?? ""}
			maxlength="128" placeholder=${QUEUE}
			onInput=${(queue) => onChange(queueFor(bands, i, queue))} />`}</td>
		<td class="end">${number(count)} <small class="muted">${percent(share)}
			</small></td>
		<td class="end"><span class="buttons"><${Button} kind="quiet"
			icon="plus" disabled=${min === max}
			label=${t("bands.split", { min, max })}
			onClick=${() => onChange(split(bands, i))} />
			<${Button} kind="quiet" icon="trash-2"
			disabled=${bands.length === 1}
			label=${t("bands.remove", { min, max })}
			onClick=${() => onChange(remove(bands, i))} /></span></td></tr>`;
}

function Bands({ bands, scores, onChange }) {
	const counts = countsOf(bands, scores);
	const sum = counts.reduce((all, n) => all + n, 0);
	return html`<div class="table-box" tabindex="0" role="region"
		aria-label=${t("policies.bands")}><table class="bands"><thead><tr>
			<th scope="col">${t("bands.verdict")}</th>
			<th scope="col" class="end">${t("bands.from")}</th>
			<th scope="col" class="end">${t("bands.to")}</th>
			<th scope="col">${t("bands.queue")}</th>
			<th scope="col" class="end">${t("bands.count")}</th>
			<th><span class="hidden">${t("bands.change")}</span></th></tr></thead>
		<tbody>${bands.map((_, i) => html`<${Band} key=${i} ...${{ bands, i,
		    onChange, count: counts[i], share: sum ? counts[i] / sum : 0 }}
		/>`)}</tbody></table></div>`;
}

// What a score gets: by the bands shown, and by the active policy.
function Simulate({ id, bands }) {
	const [text, setText] = useState("50");
	const score = Number(text);
	const good = text.trim() !== "" && score >= 0 && score <= HIGHEST;
	const active = useDebounced((signal) => good ? call(
	    "POST /v1/policies/{id}/simulate", { path: { id }, signal,
		reads: true, body: { score } }) : null, [text], 200);
	const { data, stale, error } = active;
	const now = { error, data: stale || error ? undefined : data };
	return html`<div class="filters">
		<${TextField} class="score-field" label=${t("policies.score")}
			type="number" min="0" max=${HIGHEST} step="any" value=${text}
			onInput=${setText} />
		<p class="line">${good && html`<${Verdict}
			verdict=${bandOf(bands, score).verdict} /> ${t("policies.these")}
			${" · "}${known(now, (answer) => answer && html`<${Verdict}
			verdict=${answer.verdict} />`)} ${t("policies.now")}`}</p>
		<${Cli} words="policies simulate" operands=${[id, text]} /></div>`;
}

function OnError({ value, onInput }) {
	return html`<${Choice} label=${t("policies.onError")} hideLabel=${false}
		...${{ value, onInput }} options=${["fail_open", "fail_closed"]
		    .map((one) => [one, t(`policies.${one}`)])} />`;
}

function Editor({ id, eventType, versions, scores, active, base, reload }) {
	const edit = useEditing({ of: "policies", id, versions, reload, textOf,
	    version: base.version, published: candidateOf(base), active: textOf(active),
	    kindsOf: (value) => kinds(id, candidateOf(value)) });
	const { value, write } = edit.draft;
	const change = (part) => write({ ...value, ...part });
	const bands = (next) => change({ bands: next });
	const policy = candidateOf(value);
	const differs = edit.text !== textOf(active);
	const mayRun = can("backtest.run");
	const impact = useDebounced((signal) => impactOf({ eventType, policy }, signal),
	    [eventType, edit.text], mayRun && differs ? IMPACT_MS : null);
	const submit = () => edit.setOpen(true);
	useKeys({ "rules.impact": mayRun && impact.run,
	    "rules.submit": edit.choices.length > 0 && differs && submit });
	return html`<${Editing} title=${t("policies.change", { id })}
		...${{ edit, submit, impact }} beside=${html`
		<${Section} title=${t("policies.simulate")}>
			<${Simulate} id=${id} bands=${value.bands} /></${Section}>
		<${ImpactBeside} later=${impact} />`}>
		<p class="muted">${t("policies.histogram", { n: HISTOGRAM_DAYS })}</p>
		<${Scale} bands=${value.bands} scores=${scores} onChange=${bands} />
		<${Bands} bands=${value.bands} scores=${scores} onChange=${bands} />
		<${OnError} value=${value.onError}
			onInput=${(onError) => change({ onError })} />
	</${Editing}>`;
}

export default function Policy({ params: { id }, query }) {
	const load = useLoad((signal) => loadPolicy(id, query.from, signal),
	    [id, query.from]);
	return html`<${EditorPage} of="policies" id=${id} load=${load} lines=${8}
		title=${load.data?.eventType ?? id} lead=${id}>${(data) => html`<${Editor}
		key=${`${id} ${query.from}`} id=${id} ...${data}
		reload=${load.reload} />`}</${EditorPage}>`;
}
