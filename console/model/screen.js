// SPDX-License-Identifier: ISC
// The model: how the scores drift, whether they are calibrated, and what tags and
// features weigh.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { eventTypes } from "../events.js";
import { setQuery } from "../router.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Cli } from "../ui/copy.js";
import { Loaded } from "../ui/empty.js";
import { Select } from "../ui/form.js";
import { Page } from "../ui/page.js";
import { Calibration } from "./calibration.js";
import { DriftTypes, DriftTags } from "./drift.js";
import "./text.js";
import { Scorer, TagWeights } from "./weights.js";

const WINDOW_DAYS = ["1", "7", "28", "90"];
const REFERENCE_DAYS = ["28", "90", "180", "300"];

const daysOf = (values) => values.map((n) =>
    [n, t("model.days", { n: Number(n) })]);

function Filters({ query, days, reference }) {
	return html`<div class="filters">
		<${Select} label=${t("model.type")} value=${query.eventType ?? ""}
			options=${[["", t("filter.all")],
			    ...eventTypes.map((type) => [type, type])]}
			onInput=${(eventType) => setQuery({ eventType })} />
		<${Select} label=${t("model.window")} value=${days}
			options=${daysOf(WINDOW_DAYS)} onInput=${(n) => setQuery({ days: n })} />
		<${Select} label=${t("model.reference")} value=${reference}
			options=${daysOf(REFERENCE_DAYS)}
			onInput=${(n) => setQuery({ reference: n })} /></div>`;
}

export default function Model({ query }) {
	const days = query.days ?? "7", reference = query.reference ?? "28";
	const drift = useLoad((signal) => call("GET /v1/model/drift", { signal,
	    query: { eventType: query.eventType, days, reference } }),
	[query.eventType, days, reference], { keep: true });
	const scorer = useLoad((signal) => call("GET /v1/config/model",
	    { signal }), []);
	const tags = useLoad((signal) => call("GET /v1/model", { signal }), []);
	return html`<${Page} title=${t("nav.model")} lead=${t("model.lead")}
		actions=${html`<${Cli} words="drift" options=${{ days,
		    reference, type: query.eventType }} />`}>
		<${Filters} ...${{ query, days, reference }} />
		<${Loaded} load=${drift} lines=${8}>${(data) => html`
			<${DriftTypes} drift=${data} />
			<div class="columns"><${DriftTags} drift=${data} />
				<${Calibration} drift=${data} /></div>`}</${Loaded}>
		<div class="columns">
			<${Loaded} load=${scorer}>${(data) =>
			    html`<${Scorer} model=${data} />`}</${Loaded}>
			<${Loaded} load=${tags}>${(data) =>
			    html`<${TagWeights} model=${data} />`}</${Loaded}></div>
	</${Page}>`;
}
