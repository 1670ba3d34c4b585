// SPDX-License-Identifier: ISC
// The result of a backtest.
import { html } from "../../third_party/preact/preact.js";
import { t } from "../text.js";
import "../text/trials.js";
import { Balance, Flips, Mix } from "./impact.js";
import { Sides } from "./matrix.js";

// Result result: the answer of POST /v1/backtest.
export function Result({ result }) {
	return html`<div class="columns">
		<div class="stack"><h3>${t("trials.sides")}</h3>
			<${Balance} ...${result} />
			<${Sides} label=${t("trials.sides")} before=${result.baseline}
				after=${result.candidate} names=${[t("trials.baseline"),
				    t("trials.candidate")]} /></div>
		<div class="stack"><h3>${t("trials.mix")}</h3>
			<${Mix} mix=${result.mix} label=${t("trials.mix")} />
			<h3>${t("impact.flips")}</h3>
			<${Flips} pairs=${result.flipsByPair}
				examples=${result.examples} /></div></div>`;
}
