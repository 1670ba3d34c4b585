// SPDX-License-Identifier: ISC
// Whether scores mean what they say: the share of fraud among labelled events, by
// the mean of what the scorer said.
import { html } from "../../third_party/preact/preact.js";
import { eventTypes } from "../events.js";
import { wholePercent } from "../format.js";
import { t } from "../text.js";
import { Lines } from "../ui/chart.js";
import { Empty } from "../ui/empty.js";
import { Section } from "../ui/page.js";
import { pointsOf } from "./psi.js";
import "./text.js";

function Curve({ eventType, bins }) {
	const series = [["window", "accent", false], ["reference", "plain", true]]
	    .map(([period, tone, dashed]) => ({ tone, dashed,
		name: t(`model.${period}`), points: pointsOf(bins, period) }));
	return html`<h3>${eventType}</h3><${Lines} diagonal series=${series}
		label=${t("model.calibration.of", { type: eventType })}
		x=${{ min: 0, max: 1, show: wholePercent, label: t("model.said") }}
		y=${{ max: 1, show: wholePercent, unit: t("model.fraud") }} />`;
}

export function Calibration({ drift }) {
	const shown = eventTypes.map((type) => [type, drift.calibration.filter(
	    ({ eventType }) => eventType === type)]).filter(([, bins]) =>
	    pointsOf(bins, "window").length + pointsOf(bins, "reference").length > 0);
	return html`<${Section} title=${t("model.calibration")}>
		<p class="muted">${t("model.calibration.text")}</p>
		${shown.length === 0 ? html`<${Empty} icon="chart-column"
			title=${t("model.calibration.none")} />` :
		    html`<div class="stack">${shown.map(([eventType, bins]) =>
			html`<${Curve} key=${eventType} ...${{ eventType, bins }} />`)}
		</div>`}</${Section}>`;
}
