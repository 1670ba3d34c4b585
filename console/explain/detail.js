// SPDX-License-Identifier: ISC
// The parts of an explanation that only the decision shows: policy, model, tag
// weights and signals.
import { html, useState } from "../../third_party/preact/preact.js";
import { number, percent } from "../format.js";
import { t } from "../text.js";
import { Tag, Verdict } from "../ui/badge.js";
import { Button, TextField } from "../ui/form.js";
import { Facts, Section } from "../ui/page.js";
import { Table } from "../ui/table.js";
import { Value } from "./value.js";

// The signal that says which ruleset and policy decide.
const FIXED = "event.type";

// Policy: the band of scores that gave the verdict.
export function Policy({ explanation }) {
	const { policy, rulesetVersion, rulesScore, scorer, modelVersion } =
	    explanation;
	const band = policy?.band;
	return html`<${Section} title=${t("explain.policy")}>
		${band && html`<p class="marks"><span>${t("explain.band",
		    { min: band.min, max: band.max })}</span>
			<${Verdict} verdict=${band.verdict} />
			${band.reviewQueue && html`<code>${band.reviewQueue}</code>`}</p>`}
		<${Facts} items=${[
		    [t("explain.policy"), policy && html`<code>${policy.id}
			${" "}${policy.version}</code>`],
		    [t("explain.ruleset"), rulesetVersion && html`<code>
			${rulesetVersion}</code>`],
		    [t("explain.scorer"), scorer],
		    [t("explain.model"), modelVersion && html`<code>
			${modelVersion}</code>`],
		    [t("explain.rulesScore"), rulesScore !== null &&
			rulesScore !== undefined ? number(rulesScore) : null],
		]} /></${Section}>`;
}

// Model: its probability and its terms, the heaviest first.
export function Model({ explanation: { model } }) {
	if (model === null || model === undefined)
		return null;
	const terms = [...model.terms].sort((a, b) =>
	    Math.abs(b.term) - Math.abs(a.term));
	const columns = ["value", "weight", "term"].map((name) => ({ id: name,
	    align: "end", label: t(`explain.${name}`),
	    cell: (row) => number(row[name]) }));
	return html`<${Section} title=${t("explain.model")} class="flush">
		<p class="inset">${t("explain.p", { p: percent(model.p) })}</p>
		<${Table} label=${t("explain.model")} rows=${terms}
			keyOf=${({ feature }) => feature} columns=${[{ id: "feature",
			    label: t("explain.feature"), cell: ({ feature }) =>
				html`<code>${feature}</code>` }, ...columns]} />
	</${Section}>`;
}

// Learned: points of tags that learning has changed.
export function Learned({ explanation: { learned } }) {
	return learned && html`<${Section} title=${t("explain.learned")} class="flush">
		<${Table} label=${t("explain.learned")} rows=${learned.tags}
			keyOf=${({ tag }) => tag} columns=${[
			    { id: "tag", label: t("explain.tag"), cell: ({ tag }) =>
				html`<${Tag} tag=${tag} />` },
			    { id: "points", label: t("explain.pointsNow"), align: "end",
				cell: ({ points }) => number(points) },
			    { id: "rules", label: t("explain.pointsRules"),
				align: "end", cell: ({ rulesPoints }) =>
				number(rulesPoints) }]} /></${Section}>`;
}

// The names of the signals that rules compared.
function compared(rules) {
	return new Set((rules ?? []).flatMap(({ because }) =>
	    because.map(({ signal }) => signal)));
}

// Signals: all of them; those that rules read come first.  change(signal, value)
// tries another value.
export function Signals({ explanation: { signals, rules }, change }) {
	const [text, setText] = useState("");
	if (signals === null || signals === undefined)
		return null;
	const read = compared(rules);
	const rows = Object.entries(signals).map(([name, value]) => ({ name, value,
	    read: read.has(name) })).filter(({ name }) => name.toLowerCase()
	    .includes(text.trim().toLowerCase()))
	    .sort((a, b) => Number(b.read) - Number(a.read));
	return html`<${Section} title=${t("explain.signals")} class="flush"
		actions=${html`<${TextField} hideLabel label=${t("explain.find")}
			placeholder=${t("explain.find")} value=${text}
			onInput=${setText} />`}>
		<${Table} label=${t("explain.signals")} rows=${rows}
			keyOf=${({ name }) => name} columns=${[
			    { id: "name", label: t("explain.signal"), cell: ({ name }) =>
				html`<code>${name}</code>` },
			    { id: "value", label: t("explain.value"), cell: ({ value }) =>
				html`<${Value} value=${value} />` },
			    { id: "read", label: t("explain.read"), cell: (row) =>
				row.read ? t("explain.yes") : "" },
			    { id: "try", label: t("explain.try"), main: true,
				cell: (row) => row.name !== FIXED && html`<${Button}
				kind="quiet"
				icon="flask-conical" onClick=${() => change(row.name, row.value)}>
				${t("explain.try.this")}<span class="hidden">
				${row.name}</span></${Button}>` }]}
			empty=${html`<p class="inset muted">${t("explain.find.none")}</p>`} />
	</${Section}>`;
}
