// SPDX-License-Identifier: ISC
// Events in their order of time, the newest first, with a heading for each day.
import { html } from "../../third_party/preact/preact.js";
import { time, zoneName } from "../format.js";
import { useZone } from "./time.js";

function Moment({ at, tone = "plain", title, children, href, zone }) {
	return html`<li class=${`moment ${tone}`}>
		<time datetime=${at} title=${`${time(at, zone)} ${zoneName(zone,
		    Date.parse(at))}`}>${time(at, zone).slice(11)}</time>
		<div><p>${href ? html`<a href=${href}>${title}</a>` : title}</p>
			${children}</div>
	</li>`;
}

// Timeline items: { id, at, tone, title, children, href }.
export function Timeline({ label, items }) {
	const zone = useZone();
	const days = new Map();
	for (const item of items) {
		const date = time(item.at, zone).slice(0, 10);
		days.set(date, [...days.get(date) ?? [], item]);
	}
	return html`<div class="timeline" aria-label=${label} role="group">${
	    [...days].map(([date, moments]) => html`<section key=${date}>
		<h3>${date} <span class="unit">${zoneName(zone)}</span></h3>
		<ol>${moments.map((moment) => html`<${Moment} key=${moment.id}
			zone=${zone} ...${moment} />`)}</ol></section>`)}</div>`;
}
