// SPDX-License-Identifier: ISC
// What a part of a page shows instead of data: nothing yet, nothing at all, or why
// not.
import { html } from "../../third_party/preact/preact.js";
import { errorText } from "../errors.js";
import { Icon } from "../icons.js";
import { t } from "../text.js";
import { Button } from "./form.js";

// Empty: a sentence, and what to do about it as children.
export function Empty({ icon = "inbox", title, children }) {
	return html`<div class="empty">
		<${Icon} name=${icon} size=${28} />
		<p class="title">${title}</p>
		${children && html`<div class="more">${children}</div>`}
	</div>`;
}

// Forgotten again: the address names a person by a handle of another page; again is
// where to enter who it was.
export function Forgotten({ again }) {
	return html`<${Empty} icon="fingerprint" title=${t("forgotten")}>
		<a href=${again}>${t("forgotten.again")}</a></${Empty}>`;
}

// Problem: an error, with a button to try again.
export function Problem({ error, reload }) {
	const forbidden = error.status === 403;
	return html`<div class="empty problem" role="alert">
		<${Icon} name=${forbidden ? "lock" : "triangle-alert"} size=${28} />
		<p class="title">${errorText(error)}</p>
		${reload && !forbidden && html`<div class="more">
			<${Button} icon="refresh-cw" onClick=${reload}>
				${t("problem.again")}</${Button}></div>`}
	</div>`;
}

// Loading: grey lines where the data will be.  awaited: what the page is about, for
// which keys wait after a change (hold.js).
export function Loading({ lines = 4, awaited = false }) {
	return html`<div class=${awaited ? "loading awaited" : "loading"} role="status">
		<span class="hidden">${t("loading")}</span>
		${Array.from({ length: lines }, (_, i) =>
		    html`<span key=${i} class="line"></span>`)}
	</div>`;
}

// Loaded load=${useLoad(...)}: calls children(data) when there is data; shows the
// error, and keeps showing old data when a later load fails.
export function Loaded({ load, children, lines, awaited }) {
	const show = Array.isArray(children) ? children[0] : children;
	if (load.data === undefined)
		return load.error === null ?
		    html`<${Loading} ...${{ lines, awaited }} />` :
		    html`<${Problem} error=${load.error} reload=${load.reload} />`;
	return html`${load.error && html`<p class="note bad" role="alert">
		<${Icon} name="triangle-alert" />${t("problem.old", {
			why: errorText(load.error) })}
		<${Button} kind="quiet" onClick=${load.reload}>
			${t("problem.again")}</${Button}></p>`}${show(load.data)}`;
}
