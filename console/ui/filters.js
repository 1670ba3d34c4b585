// SPDX-License-Identifier: ISC
// A row of filters that live in the query of the address.
import { html, useLayoutEffect, useState } from "../../third_party/preact/preact.js";
import { DAY_CHARS, time, zoneName } from "../format.js";
import { setQuery } from "../router.js";
import { t } from "../text.js";
import { Ends } from "./copy.js";
import { Button, Select, TextField } from "./form.js";
import { NARROW, useMedia } from "./page.js";
import { useZone } from "./time.js";

const MINUTE_CHARS = 16;

// What a field shows for a time of the API: "2026-11-23 16:35".
export function toInput(at, zone) {
	return time(at, zone).slice(0, MINUTE_CHARS);
}

// fromInput TEXT ZONE: the time of the API that a field with this text means, or null
// if the text is no time.  A day means its first minute.
export function fromInput(text, zone) {
	const [, day, clock = "00:00"] =
	    /^(\S{10})(?:[T ](\d\d:\d\d(?::\d\d)?))?$/.exec(text) ?? [];
	const then = new Date(`${dayOf(day ?? "")}T${clock}${zone === "utc" ? "Z" : ""}`);
	return Number.isNaN(then.getTime()) ? null : then.toISOString();
}

// dayOf TEXT: returns the text if the calendar has this day, otherwise null: February
// has no day 30.
export function dayOf(text) {
	return /^\d{4}-\d\d-\d\d$/.test(text) &&
	    time(`${text}T00:00Z`, "utc").slice(0, DAY_CHARS) === text ? text : null;
}

const asTyped = (value) => value ?? "";
// Of each kind of field: what it shows for a member of the query, which member a text
// stands for, and the members of the input.
const KINDS = {
	text: { show: asTyped, read: asTyped, input: () => ({}) },
	number: { show: asTyped, read: asTyped, input: () => ({ type: "number",
	    inputmode: "decimal", step: "any" }) },
	time: { show: toInput, read: fromInput, input: (zone) =>
	    ({ placeholder: t("filter.time"), unit: zoneName(zone) }) },
	date: { show: asTyped, read: dayOf, input: () =>
	    ({ placeholder: t("filter.day"), unit: zoneName("utc") }) },
};

// Typing changes the field; leaving it or Enter changes the address.
function Typed({ name, label, kind, value, apply, ...rest }) {
	const zone = useZone();
	const { show, read, input } = KINDS[kind];
	const { unit, ...members } = input(zone);
	const shown = show(value, zone);
	const [text, setText] = useState(shown);
	const [wrong, setWrong] = useState(false);
	useLayoutEffect(() => {
		setText(shown);
		setWrong(false);
	}, [shown]);
	function commit() {
		const clean = text.trim();
		const wanted = clean === "" ? null : read(clean, zone);
		setWrong(clean !== "" && wanted === null);
		if (clean !== shown && (clean === "" || wanted !== null))
			apply(name, wanted);
	}
	return html`<${TextField} value=${text} onInput=${setText} class=${kind}
		label=${unit ? t("filter.in", { label, unit }) : label}
		error=${wrong && t("filter.wrong", { example: members.placeholder })}
		...${members} ...${rest} onBlur=${commit}
		onKeyDown=${(event) => event.key === "Enter" && commit()} />`;
}

function Field({ field, query, apply }) {
	const { name, kind, options, ...rest } = field;
	return kind === "choice" ? html`<${Select} ...${rest} value=${query[name] ?? ""}
		options=${[["", t("filter.all")], ...options]}
		onInput=${(value) => apply(name, value)} />` :
	    html`<${Typed} ...${{ name, kind, apply, ...rest }} value=${query[name]} />`;
}

// A filter that is active and has no field now; pressing it ends the filter.
function Active({ field: { name, label, kind, options }, value, apply }) {
	const zone = useZone();
	const text = kind === "choice" ? options.find(([one]) => one === value)?.[1] ??
	    value : KINDS[kind].show(value, zone);
	return html`<${Button} icon="x" class="active" onClick=${() => apply(name, null)}
		aria-label=${t("filter.end", { label, text })}>${label}:
		${" "}<${Ends} text=${text} /></${Button}>`;
}

// Filters fields query: a field is { name, label, kind: "text" | "number" | "time" |
// "date" | "choice", options }.  The first ones are always in the row, on a phone none;
// a button shows the others.  A change removes the cursor "after".  children come first,
// end last.
export function Filters({ label, fields, first = fields.length, query, children, end }) {
	const least = useMedia(NARROW) ? 0 : first;
	const [all, setAll] = useState(false);
	const inRow = all ? fields : fields.slice(0, least);
	const set = fields.filter(({ name }) => query[name]);
	const apply = (name, value) => setQuery({ [name]: value, after: null });
	return html`<div class="filters" role="search" aria-label=${label}>
		${children}
		${inRow.map((field) => html`<${Field} key=${field.name}
			...${{ field, query, apply }} />`)}
		${set.filter((field) => !inRow.includes(field)).map((field) =>
		    html`<${Active} key=${`${field.name} active`}
			...${{ field, value: query[field.name], apply }} />`)}
		${least < fields.length && html`<${Button} kind="quiet" icon="filter"
			aria-expanded=${all ? "true" : "false"} onClick=${() => setAll(!all)}>
			${t(all ? "filter.fewer" : "filter.more")}</${Button}>`}
		${set.length > 0 && html`<${Button} kind="quiet" icon="x"
			onClick=${() => setQuery({ after: null, ...Object.fromEntries(
			    set.map(({ name }) => [name, null])) })}>
			${t("filter.clear")}</${Button}>`}
		${end}
	</div>`;
}
