// SPDX-License-Identifier: ISC
// The frame of a screen: title, actions, sections, facts.
import { html, useEffect, useRef, useState } from "../../third_party/preact/preact.js";
import { useDrawn } from "../hold.js";
import { Icon } from "../icons.js";
import { route } from "../router.js";
import { t } from "../text.js";

// The width below which the screens are those of a phone, as in css/screens.css.
export const NARROW = "(max-width: 760px)";

// useMedia QUERY: whether a query of media holds now.
export function useMedia(query) {
	const [holds, setHolds] = useState(() => matchMedia(query).matches);
	useEffect(() => {
		const media = matchMedia(query);
		const follow = () => setHolds(media.matches);
		media.addEventListener("change", follow);
		return () => media.removeEventListener("change", follow);
	}, [query]);
	return holds;
}

// useHere(): a function that says whether the page is still shown on which the
// component began.
export function useHere() {
	const path = useRef(route.value.path).current;
	return () => route.value.path === path;
}

// Page title: also the title of the window; heading is shown instead, if it is more
// than a text or must not be in the history of the browser.  crumbs are
// [text, address] pairs of the pages above; actions are the buttons at the right.
export function Page({ title, heading = title, lead, crumbs = [], actions,
    children, class: more = "" }) {
	useDrawn(title);
	useEffect(() => {
		document.title = t("title", { page: title });
	}, [title]);
	return html`<div class=${`page ${more}`}>
		<header class="page-head">
			<div>
				${crumbs.length > 0 && html`<nav class="crumbs"
					aria-label=${t("crumbs")}>${crumbs.map(([text, to]) =>
				    html`<a key=${to} href=${to}>${text}</a>
					<${Icon} name="chevron-right" size=${12} />`)}</nav>`}
				<h1 tabindex="-1">${heading}</h1>
				${lead && html`<p class="lead">${lead}</p>`}
			</div>
			${actions && html`<div class="actions">${actions}</div>`}
		</header>
		${children}
	</div>`;
}

// Section: a card with a heading.
export function Section({ title, actions, children, class: more = "" }) {
	return html`<section class=${`card ${more}`}>
		${(title || actions) && html`<header>
			${title && html`<h2>${title}</h2>`}
			${actions && html`<div class="actions">${actions}</div>`}
		</header>`}
		${children}
	</section>`;
}

// Facts items: [label, value] pairs; a value that is null or undefined is left
// out.
export function Facts({ items }) {
	return html`<dl class="facts">${items.filter(([, value]) =>
	    value !== null && value !== undefined && value !== "")
	    .map(([label, value]) => html`<div key=${label}><dt>${label}</dt>
		<dd>${value}</dd></div>`)}</dl>`;
}

// Stat: one number of a row of numbers; href opens what is behind it.
export function Stat({ label, value, note, href, tone = "" }) {
	const inside = html`<span class="label">${label}</span>
		<span class="value">${value}</span>
		${note && html`<span class="note-line">${note}</span>`}`;
	return href ? html`<a class=${`stat ${tone}`} href=${href}>${inside}</a>` :
	    html`<div class=${`stat ${tone}`}>${inside}</div>`;
}

// Tabs: links to parts of a screen; items are [value, text, address, count].
export function Tabs({ label, value, items }) {
	return html`<nav class="tabs" aria-label=${label}>${items.map(
	    ([id, text, to, count]) => html`<a key=${id} href=${to}
		aria-current=${id === value ? "page" : undefined}>${text}
		${count !== undefined && count !== null &&
		    html`<span class="count">${count}</span>`}</a>`)}</nav>`;
}

// Note: a message in the page; tone is info, warn or bad.
export function Note({ tone = "info", children, actions }) {
	const icon = { info: "info", warn: "triangle-alert", bad: "circle-alert" };
	return html`<div class=${`note ${tone}`} role="note">
		<${Icon} name=${icon[tone]} /><div>${children}</div>
		${actions && html`<div class="actions">${actions}</div>`}</div>`;
}
