// SPDX-License-Identifier: ISC
// The signals and attributes that rules may test, and what the editor says about
// them.
import { html, useState } from "../../third_party/preact/preact.js";
import { t } from "../text.js";
import { TextField } from "../ui/form.js";
import { attributeName, tagsOf } from "./complete.js";

// catalogueOf(type, text, signal): the catalogue of complete.js.
export async function catalogueOf(type, text, signal) {
	return { signals: [], attributes: [], tags: tagsOf(text) };
}

function rangeOf({ min, max }) {
	if (min === null && max === null)
		return "";
	if (max === null)
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
		<div class="signals" tabindex="0" aria-label=${t("rules.signals")}
			role="region"><dl>
			${shown.map((signal) => html`<div key=${signal.name}>
				<dt><code>${signal.name}</code> <small class="muted">${
				    t(`rules.type.${signal.type}`)} ${
				    rangeOf(signal)}</small></dt>
				<dd>${signal.meaning}</dd></div>`)}</dl></div>
		${shown.length === 0 && html`<p class="muted">${
		    t("rules.signals.none")}</p>`}</div>`;
}
