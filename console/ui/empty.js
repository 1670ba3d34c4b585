// SPDX-License-Identifier: ISC
// What a part of a page shows instead of data: nothing yet, nothing at all, or why
// not.  What is not known never looks as if there were nothing.
import { html } from "../../third_party/preact/preact.js";
import { errorText } from "../errors.js";
import { Icon } from "../icons.js";
import { t } from "../text.js";
import { Button } from "./form.js";
import { AsOf } from "./time.js";

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

// known({ data, error }, figure): what figure(data) returns; a dash before the answer
// and without one.
export function known({ data, error }, figure) {
	return data === undefined ? html`<span class="unknown">
		<span aria-hidden="true">–</span>
		<span class="hidden">${t(error === null ? "loading" :
		    "problem.unknown")}</span></span>` : figure(data);
}

// LoadNote load part: a line about a load that has failed: why, and how old the data
// is that the page still shows.  part names what was loaded, where the place does not.
// Only the reason is an alert: the age changes.
export function LoadNote({ load: { data, error, asOf, reload }, part }) {
	if (error === null)
		return null;
	const why = data === undefined ? errorText(error) :
	    t("problem.old", { why: errorText(error) });
	return html`<div class="note bad"><${Icon} name="triangle-alert" />
		<div><span role="alert">${part && html`<b>${part}:</b> `}${why}</span>
		${data !== undefined && html` (<${AsOf} at=${asOf} />)`}</div>
		${error.status !== 403 && html`<${Button} kind="quiet" onClick=${reload}>
			${t("problem.again")}</${Button}>`}</div>`;
}

// Loaded load=${useLoad(...)}: calls children(data) when there is data; shows the
// error, and keeps showing old data when a later load fails.  Data that answers another
// question is dim, and what it says to be empty is hidden.
export function Loaded({ load, children, lines, awaited }) {
	const show = Array.isArray(children) ? children[0] : children;
	if (load.data === undefined)
		return load.error === null ?
		    html`<${Loading} ...${{ lines, awaited }} />` :
		    html`<${Problem} error=${load.error} reload=${load.reload} />`;
	const shown = show(load.data);
	return html`<${LoadNote} load=${load} />${load.keep ? html`<div
		class=${load.kept ? "answer stale" : "answer"}
		aria-busy=${load.kept ? "true" : undefined}>${shown}</div>` : shown}`;
}
