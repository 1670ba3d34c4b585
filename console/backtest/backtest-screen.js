// SPDX-License-Identifier: ISC
// The kept result of a backtest.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { href } from "../router.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Cli } from "../ui/copy.js";
import { Loaded } from "../ui/empty.js";
import { Page, Section } from "../ui/page.js";
import { Result } from "./result.js";
import "./text.js";

export default function Backtest({ params: { id } }) {
	const load = useLoad((signal) => call("GET /v1/backtest/{id}",
	    { path: { id }, signal }), [id]);
	return html`<${Page} title=${load.data?.eventType ?? id} lead=${id}
		crumbs=${[[t("nav.backtests"), href("/backtests")]]}
		actions=${html`<${Cli} words="backtests show" operands=${[id]} />`}>
		<${Loaded} load=${load} lines=${8}>${(result) => html`<${Section}
			title=${t("backtest.done", { n: result.sampleSize,
			    labeled: result.labeled,
			    seconds: Number(result.seconds.toFixed(1)) })}>
			<${Result} result=${result} /></${Section}>`}</${Loaded}></${Page}>`;
}
