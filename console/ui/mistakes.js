// SPDX-License-Identifier: ISC
// The mistakes in a text, each a button that goes to its place.
import { html } from "../../third_party/preact/preact.js";
import { Icon } from "../icons.js";
import { t } from "../text.js";
import "./mistakes-text.js";

const MOST_MISTAKES = 8;

// Mistakes: spans are { from, line, column, severity, message }; show(from).
export function Mistakes({ spans, show }) {
	return html`<ul class="mistakes" aria-label=${t("mistakes")}>
		${spans.slice(0, MOST_MISTAKES).map((span) => html`<li
			key=${`${span.from} ${span.message}`} class=${span.severity}>
			<button type="button" onClick=${() => show(span.from)}>
			<${Icon} size=${14} name=${span.severity === "error" ?
			    "circle-alert" : "triangle-alert"} />
			<span class="muted">${t("mistakes.at", { line: span.line,
			    column: span.column })}</span>
			<span>${span.message}</span></button></li>`)}
		${spans.length > MOST_MISTAKES && html`<li class="muted">${
		    t("mistakes.more", { n: spans.length - MOST_MISTAKES })}
		</li>`}</ul>`;
}
