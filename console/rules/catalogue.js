// SPDX-License-Identifier: ISC
// The signals and attributes that rules may test, and what the editor says about
// them.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { t } from "../text.js";
import { TextField } from "../ui/form.js";
import { attributeName, tagsOf } from "./complete.js";

// So many are listed; a search finds the others.
const MOST_SIGNALS = 10;

// catalogueOf(type, text, signal): the catalogue of complete.js.
export async function catalogueOf(type, text, signal) {
	const { signals, attributes } = await call("GET /v1/signals",
	    { query: { eventType: type }, signal });
	return { signals, attributes, tags: tagsOf(text) };
}

// A signal with such a greatest value has no limit that a rule should know.
const ANY = 1e9;

function rangeOf({ min, max }) {
	if (min === null && max === null)
		return "";
	if (max === null || max >= ANY)
		return t("rules.signal.from", { min });
	return t("rules.signal.range", { min, max });
}

// describer CATALOGUE: what a signal means, or null for other words.
export function describer({ signals }) {
	return (word) => {
		const signal = signals.find(({ name }) => name === word);
		return signal === undefined ? null :
		    [t(`rules.type.${signal.type}`), rangeOf(signal),
		    signal.meaning].filter(Boolean).join(" · ");
	};
}

// Signals: a list to search.
export function Signals({ catalogue }) {
	const [find, setFind] = useState("");
	const wanted = find.trim().toLowerCase();
	const all = [...catalogue.signals, ...catalogue.attributes.map((one) => ({
	    ...one, name: attributeName(one.name), min: null, max: null,
	    meaning: t("rules.attribute") }))];
	const shown = all.filter(({ name, meaning }) =>
	    `${name} ${meaning}`.toLowerCase().includes(wanted));
	return html`<div class="stack">
		<${TextField} label=${t("rules.signals.find")} hideLabel
			placeholder=${t("rules.signals.find")} value=${find}
			onInput=${setFind} type="search" />
		<dl class="signals">
			${shown.slice(0, MOST_SIGNALS).map((signal) => html`<div
				key=${`${signal.name} ${signal.type}`}>
				<dt><code>${signal.name}</code> <small class="muted">${
				    t(`rules.type.${signal.type}`)} ${
				    rangeOf(signal)}</small></dt>
				<dd>${signal.meaning}</dd></div>`)}</dl>
		${shown.length > MOST_SIGNALS && html`<p class="muted">${
		    t("rules.signals.more", { n: shown.length - MOST_SIGNALS })}</p>`}
		${shown.length === 0 && html`<p class="muted">${
		    t("rules.signals.none")}</p>`}</div>`;
}
