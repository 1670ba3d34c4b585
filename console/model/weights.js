// SPDX-License-Identifier: ISC
// What scores are made of: the scorer, the model's features and the tag weights.
import { html } from "../../third_party/preact/preact.js";
import { number, percent } from "../format.js";
import { t } from "../text.js";
import { Badge, Tag } from "../ui/badge.js";
import { Id } from "../ui/copy.js";
import { Empty } from "../ui/empty.js";
import { Facts, Note, Section } from "../ui/page.js";
import { Table } from "../ui/table.js";
import { ZonedTime } from "../ui/time.js";
import "./text.js";

const signed = (value) => `${value > 0 ? "+" : ""}${value.toFixed(2)}`;

function Refused({ refused }) {
	return refused && html`<${Note} tone="bad">${t("model.refused", {
	    source: refused.source, why: refused.why })} <${ZonedTime}
		at=${refused.since} /></${Note}>`;
}

// Scorer model: the answer of GET /v1/config/model.
export function Scorer({ model: { scorer, ml } }) {
	const features = [...ml.features].sort((a, b) =>
	    Math.abs(b.weight) - Math.abs(a.weight));
	return html`<${Section} title=${t("model.scorer")}
		actions=${html`<${Badge} tone="info">${scorer}</${Badge}>`}>
		<div class="stack"><${Refused} refused=${ml.refused} />
		${ml.provenance === "synthetic-demo" && html`<${Note}>${
		    t("model.demo")}</${Note}>`}
		<${Facts} items=${[
		    [t("model.decides"), t(ml.active ? "model.yes" : "model.no")],
		    [t("model.source"), ml.source],
		    [t("model.version"), html`<${Id} id=${ml.version} />`],
		    [t("model.trained"), ml.trainedAt],
		    [t("model.auc"), ml.metrics.auc],
		    [t("model.samples"), number(ml.metrics.samples)],
		    [t("model.base"), percent(ml.baseRate)]]} />
		<${Table} label=${t("model.features")} rows=${features}
			keyOf=${({ name }) => name} columns=${[
			    { id: "name", label: t("model.feature"),
				cell: ({ name }) => html`<code>${name}</code>` },
			    { id: "weight", label: t("model.weight"), align: "end",
				cell: ({ weight }) => signed(weight) }]} /></div>
	</${Section}>`;
}

// TagWeights model: the answer of GET /v1/model.
export function TagWeights({ model: { active, weights } }) {
	return html`<${Section} class="flush" title=${t("model.weights")}
		actions=${html`<${Badge} tone="info">${t(`model.${active}`)}</${Badge}>`}>
		<${Table} label=${t("model.weights")} rows=${weights}
			keyOf=${({ tag }) => tag} columns=${[
			    { id: "tag", label: t("model.tag"),
				cell: ({ tag }) => html`<${Tag} tag=${tag} />` },
			    { id: "fraud", label: t("outcome.fraud"), align: "end",
				cell: ({ fraud }) => number(fraud) },
			    { id: "legit", label: t("outcome.legit"), align: "end",
				cell: ({ legit }) => number(legit) },
			    { id: "weight", label: t("model.points"), align: "end",
				cell: ({ weight, trusted }) => trusted ? number(weight) :
				    html`<span class="muted">${t("model.untrusted")}
				    </span>` }]}
			empty=${html`<${Empty} icon="brain" title=${
			    t("model.weights.none")}>${t("model.weights.text")}
			</${Empty}>`} /></${Section}>`;
}
