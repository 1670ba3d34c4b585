// SPDX-License-Identifier: ISC
// A row of filters that live in the query of the address.
import { html, useEffect, useState } from "../../third_party/preact/preact.js";
import { setQuery } from "../router.js";
import { t } from "../text.js";
import { Button, Select, TextField } from "./form.js";
import { useZone } from "./time.js";

// The value of <input type=datetime-local> for a time of the API, in this zone.
export function toInput(at, zone) {
	const then = new Date(at ?? "");
	if (Number.isNaN(then.getTime()))
		return "";
	const shift = zone === "utc" ? 0 : then.getTimezoneOffset() * 60000;
	return new Date(then.getTime() - shift).toISOString().slice(0, 16);
}

// The time of the API for such a value; null without one.
export function fromInput(text, zone) {
	const then = new Date(text + (zone === "utc" ? "Z" : ""));
	return Number.isNaN(then.getTime()) ? null : then.toISOString();
}

const INPUT_TYPES = { number: { type: "number", inputmode: "decimal", step: "any" },
    time: { type: "datetime-local" }, date: { type: "date" }, text: { type: "text" } };

// Typing changes the field; leaving it or Enter changes the address.
function Typed({ name, label, kind, value, apply, ...rest }) {
	const zone = useZone();
	const shown = kind === "time" ? toInput(value, zone) : value ?? "";
	const [text, setText] = useState(shown);
	useEffect(() => setText(shown), [shown]);
	function commit() {
		const clean = text.trim();
		if (clean !== shown)
			apply(name, kind === "time" ? fromInput(clean, zone) :
			    clean === "" ? null : clean);
	}
	return html`<${TextField} label=${label} value=${text} onInput=${setText}
		...${INPUT_TYPES[kind]} ...${rest} onBlur=${commit}
		onKeyDown=${(event) => event.key === "Enter" && commit()} />`;
}

// Filters fields query: a field is { name, label, kind: "text" | "number" | "time" |
// "date" | "choice", options }.  A change removes the cursor "after".  children come first, end last.
export function Filters({ label, fields, query, children, end }) {
	const set = fields.filter(({ name }) => query[name]);
	const apply = (name, value) => setQuery({ [name]: value, after: null });
	return html`<div class="filters" role="search" aria-label=${label}>
		${children}
		${fields.map(({ name, kind, options, ...rest }) => kind === "choice" ?
		    html`<${Select} key=${name} ...${rest} value=${query[name] ?? ""}
			options=${[["", t("filter.all")], ...options]}
			onInput=${(value) => apply(name, value)} />` :
		    html`<${Typed} key=${name} name=${name} kind=${kind} ...${rest}
			value=${query[name]} apply=${apply} />`)}
		${set.length > 0 && html`<${Button} kind="quiet" icon="x"
			onClick=${() => setQuery({ after: null, ...Object.fromEntries(
			    set.map(({ name }) => [name, null])) })}>
			${t("filter.clear")}</${Button}>`}
		${end}
	</div>`;
}
