// SPDX-License-Identifier: ISC
// The settings that the environment or the file of the service fixes: to be read here,
// and changed there.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Cli } from "../ui/copy.js";
import { Loaded } from "../ui/empty.js";
import { Section } from "../ui/page.js";
import "./text.js";

// A short value stays on one line.
const SHORT = 16;
const classOf = (text) => text !== null && text.length > SHORT ? "long" : "nowrap";

const Fixed = ({ text }) => text === null ?
    html`<span class="muted">${t("environment.none")}</span>` :
    html`<code>${text}</code>`;

const MEMBERS = ["name", "value", "default", "meaning"];
const heads = () => MEMBERS.map((id) => t(`environment.${id}`));

function Row({ setting }) {
	const texts = ["value", "default"].map((id) => html`<td key=${id}
		class=${classOf(setting[id])} data-label=${t(`environment.${id}`)}>
		<${Fixed} text=${setting[id]} /></td>`);
	return html`<tr><td data-main=""><code>${setting.name}</code></td>${texts}
		<td class="muted">${setting.meaning}</td></tr>`;
}

// Rows that take no keys: those of the page move through the target times.
function Rows({ settings }) {
	return html`<div class="table-box" tabindex="0" role="region"
		aria-label=${t("environment.title")}><table class="rows"><thead><tr>${
	    heads().map((head) => html`<th key=${head} scope="col">${head}</th>`)}
		</tr></thead><tbody>${settings.map((setting) => html`<${Row}
			key=${setting.name} setting=${setting} />`)}</tbody></table></div>`;
}

// Environment: a section of the settings.
export function Environment() {
	const load = useLoad((signal) => call("GET /v1/config/environment",
	    { signal }), []);
	return html`<${Section} class="flush wide" title=${t("environment.title")}
		actions=${html`<${Cli} words="settings environment" />`}>
		<p class="inset muted">${t("environment.text")}</p>
		<${Loaded} load=${load} lines=${8}>${(data) => html`<${Rows} ...${data} />`}
		</${Loaded}></${Section}>`;
}
