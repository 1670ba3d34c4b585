// SPDX-License-Identifier: ISC
// The result of a backtest.
import { html } from "../../third_party/preact/preact.js";
import { t } from "../text.js";
import { Flips } from "./flips.js";
import { Balance, Lead, Mix, Velocities } from "./impact.js";
import { Sides } from "./matrix.js";
import "./text.js";

// Result result request: the answer of POST /v1/backtest, and the body of the
// request, null for a kept result.
export function Result({ result, request = null }) {
	return html`<div class="stack"><${Lead} result=${result} />
	<div class="columns">
		<div class="stack"><h3>${t("backtest.sides")}</h3>
			<${Balance} ...${result} />
			<${Sides} label=${t("backtest.sides")}
				before=${result.active?.counts ?? result.baseline}
				after=${result.candidate} names=${[t("backtest.baseline"),
				    t("backtest.candidate")]} /></div>
		<div class="stack"><h3>${t("backtest.mix")}</h3>
			<${Mix} result=${result} label=${t("backtest.mix")} />
			<${Velocities} result=${result} /></div></div>
	${result.active && html`<h3>${t("impact.flips")}</h3>
		<${Flips} active=${result.active} request=${request} />`}</div>`;
}
