// SPDX-License-Identifier: ISC
// All signals of an event as one JSON text.
import { html, useEffect, useRef } from "../../third_party/preact/preact.js";
import { t } from "../text.js";
import { TextArea } from "../ui/form.js";
import { Mistakes } from "../ui/mistakes.js";
import { placeOf, readMembers } from "./members.js";

// A browser scrolls to the selection of a field that gets the focus.
function select(field, from, to) {
	field.setSelectionRange(from, to);
	field.blur();
	field.focus();
}

// Whole: mistakes as changesIn() gives them; picked is { signal }, which is selected.
export function Whole({ text, setText, mistakes, picked }) {
	const field = useRef(null);
	useEffect(() => {
		const { at } = readMembers(text).members.find(({ name }) =>
		    name === picked?.signal) ?? { at: 0 };
		select(field.current, at, at === 0 ? 0 :
		    (text + "\n").indexOf("\n", at));
	}, [picked]);
	const spans = mistakes.map(({ why, at, values }) => ({ from: at,
	    severity: "error", ...placeOf(text, at),
	    message: t(`explain.json.${why}`, values ?? {}) }));
	return html`<${TextArea} class="whole mono" rows="18" inputRef=${field} value=${text}
		label=${t("explain.json")} onInput=${setText} wrap="off"
		spellcheck="false" hint=${t("explain.json.hint")}
		error=${spans.length > 0 && t("explain.json.wrong", { n: spans.length })} />
	${spans.length > 0 && html`<${Mistakes} spans=${spans}
		show=${(at) => select(field.current, at, at)} />`}`;
}
