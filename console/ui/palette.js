// SPDX-License-Identifier: ISC
// The command palette: commands of this page, screens, rules, and "open this id".
import { html, useMemo, useRef, useState } from
    "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { placesOf } from "../find.js";
import { boundIds, run, scopeOf } from "../keys.js";
import { go, href } from "../router.js";
import { t } from "../text.js";
import "./keys-text.js";
import { Dialog } from "./dialog.js";
import { known, LoadNote } from "./empty.js";
import { Key, useId } from "./form.js";
import { Icon } from "../icons.js";
import { useLoad, useSignal } from "../store.js";

// So many fit without scrolling; a longer word finds the others.
const MOST_ENTRIES = 11;
const MOST_RULES = 4;
// Rules are searched for from so many characters on.
const LEAST_CHARACTERS = 2;
const HIDDEN = new Set(["palette", "search", "list.next", "list.previous",
    "list.open"]);

// The name of a command: that of its screen for a "go" command.
export function commandName(id) {
	return scopeOf(id) === "go" ? t(`nav.${id.slice(3)}`) : t(`key.${id}`);
}

// findable TEXT: the pages that a typed id may mean.
function findable(text) {
	const typed = text.trim();
	return placesOf(typed).map(({ name, path, kind }) => ({ key: name,
	    icon: "search", name: t(name, { text: typed }),
	    run: () => go(href(path, { kind, id: typed })) }));
}

const searches = (text) => text.trim().length >= LEAST_CHARACTERS;

// The rules whose id, tag or event type has these words.
function rulesLike(words, rulesets) {
	return rulesets.flatMap(({ eventType, rules }) => rules.map(({ id, tag }) =>
	    ({ key: `${eventType} ${id}`, icon: "list-tree",
		name: t("find.rule", { id, type: eventType }),
		words: `${id} ${tag} ${eventType}`.toLowerCase(),
		run: () => go(href("/rules/:type", { type: eventType },
		    { rule: id })) })))
	    .filter((rule) => words.every((word) => rule.words.includes(word)))
	    .slice(0, MOST_RULES);
}

// entries TEXT IDS RULESETS: what matches all words of the text; ids of things come
// first when the text has a digit, commands otherwise, which leave room for them.
function entries(text, ids, rulesets) {
	const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
	const doing = ids.filter((id) => !HIDDEN.has(id)).map((id) => ({ key: id, id,
	    name: commandName(id), run: () => run(id),
	    icon: scopeOf(id) === "go" ? "arrow-right" : "keyboard" }))
	    .filter(({ name }) => words.every((word) =>
		name.toLowerCase().includes(word)));
	const found = [...searches(text) ? rulesLike(words, rulesets) : [],
	    ...findable(text)];
	const done = doing.slice(0, Math.max(0, MOST_ENTRIES - found.length));
	return /\d/.test(text) ? [...found, ...done] : [...done, ...found];
}

function Entry({ entry, id, active, choose }) {
	return html`<li id=${id} role="option" aria-selected=${active ? "true" :
	    "false"} class=${active ? "active" : ""} onClick=${choose}>
		<${Icon} name=${entry.icon} /><span>${entry.name}</span>
		${entry.id && html`<${Key} command=${entry.id} />`}</li>`;
}

// Palette close: close() is called when it is to end.
export default function Palette({ close }) {
	const [text, setText] = useState("");
	const [chosen, setChosen] = useState(null);
	const list = useRef(null);
	const id = useId();
	const ids = useSignal(boundIds);
	const rules = useLoad(async (signal) => searches(text) ?
	    call("GET /v1/rules", { signal, plain: true }) : [], [searches(text)]);
	const shown = useMemo(() => entries(text, ids, rules.data ?? []),
	    [text, ids, rules.data]);
	// Rules that arrive late must not put another entry under the choice.
	const at = Math.max(0, shown.findIndex(({ key }) => key === chosen));
	function choose(entry) {
		close();
		// The dialog first gives the focus back to the page.
		setTimeout(entry.run, 0);
	}
	function press(event) {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (step !== undefined) {
			event.preventDefault();
			const next = (at + step + shown.length) % shown.length || 0;
			setChosen(shown[next]?.key ?? null);
			list.current.children[next]?.scrollIntoView({ block: "nearest" });
		} else if (event.key === "Enter" && shown[at]) {
			event.preventDefault();
			choose(shown[at]);
		}
	}
	return html`<${Dialog} title=${t("palette.title")} onClose=${close}
		size="palette">
		<input type="text" role="combobox" aria-expanded="true"
			aria-controls=${id} aria-autocomplete="list" autocomplete="off"
			aria-label=${t("palette.label")} spellcheck="false" autofocus
			placeholder=${t("palette.hint")} value=${text}
			aria-activedescendant=${shown[at] ? `${id}-${at}` : undefined}
			onKeyDown=${press}
			onInput=${(event) => { setText(event.target.value);
			    setChosen(null); }} />
		<${LoadNote} load=${rules} part=${t("nav.rules")} />
		${shown.length === 0 ? html`<p class="muted" role="status">${known(
		    rules, () => t("palette.none"))}</p>` : ""}
		<ul role="listbox" id=${id} ref=${list} aria-label=${t("palette.label")}
			class=${shown.length === 0 ? "hidden" : ""}>
			${shown.map((entry, i) => html`<${Entry} key=${entry.key}
				entry=${entry} id=${`${id}-${i}`} active=${i === at}
				choose=${() => choose(entry)} />`)}</ul>
	</${Dialog}>`;
}
