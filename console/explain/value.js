// SPDX-License-Identifier: ISC
// Values of signals, and the truth of what was compared.
import { html } from "../../third_party/preact/preact.js";
import { number } from "../format.js";
import { Icon } from "../icons.js";
import { exact, t } from "../text.js";
import { Alike } from "../ui/copy.js";
import "./text.js";

const LONG = 64;
const TRUTHS = { true: ["good", "check"], false: ["plain", "x"],
    unknown: ["warn", "info"] };

// The value as the rules write it; null is unknown.
export function valueText(value) {
	if (value === null || value === undefined)
		return t("explain.unknown");
	return typeof value === "number" ? number(value) :
	    exact(String(value));
}

// Value: a long text is folded.
export function Value({ value }) {
	if (value === null || value === undefined)
		return html`<span class="muted">${t("explain.unknown")}</span>`;
	const text = valueText(value);
	const alike = html`<${Alike} text=${text} />`;
	return text.length <= LONG ? html`<code>${text}</code>${alike}` :
	    html`<details><summary><code>${text.slice(0, LONG)}…</code>${alike}
		</summary><code>${text}</code></details>`;
}

// Truth: true, false or unknown, as a mark and as a word.
export function Truth({ truth, words = false }) {
	const [tone, icon] = TRUTHS[truth] ?? TRUTHS.unknown;
	const text = t(`explain.truth.${truth}`);
	return html`<span class=${`truth ${tone}`} title=${text}>
		<${Icon} name=${icon} size=${13} />
		<span class=${words ? "" : "hidden"}>${text}</span></span>`;
}
