// SPDX-License-Identifier: ISC
// What the editors of a ruleset and of a policy share: the draft, where its text
// stands, its impact, and the dialog that publishes it.
import { html, useState } from "../../third_party/preact/preact.js";
import { Impact, ImpactFlips } from "../backtest/impact.js";
import { go, href } from "../router.js";
import { can } from "../session.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Cli } from "../ui/copy.js";
import { known, Loaded, LoadNote } from "../ui/empty.js";
import { Button } from "../ui/form.js";
import { Page, Section, useHere } from "../ui/page.js";
import { Discard, DraftNote, useDraft } from "./drafts.js";
import { loadPlaces, loadPolicyPlaces, Standing } from "./places.js";
import { choicesOf, openLabel, Release } from "./release.js";
import { VersionTabs } from "./tabs.js";

const PLACES_MS = 15000;

// By the screen above: the places of a text, and the text for where they do not load.
const EDITED = {
	rules: { load: loadPlaces, part: "standing.places" },
	policies: { load: loadPolicyPlaces, part: "standing.places.policy" },
};

// useEditing(edited): the draft of what is edited and what it needs, for Editing.
// edited is { of, id, versions, version, published, active, textOf, kindsOf, reload }:
// of is "rules" or "policies"; published is the value of a version, and active the
// active text; textOf(value) is a text; kindsOf(value) are those of choicesOf().
export function useEditing(edited) {
	const { of, id, version, published, textOf, kindsOf, reload } = edited;
	const draft = useDraft(`${of}/${id}`, version, published,
	    (a, b) => textOf(a) === textOf(b));
	const places = useLoad((signal) => EDITED[of].load(id, signal), [id],
	    { every: PLACES_MS });
	const [isOpen, setOpen] = useState(false);
	const here = useHere();
	function done(choice, label) {
		const stays = choice.id !== "publish" || !draft.settle(draft.value, label);
		if (!here())
			return;
		setOpen(false);
		places.reload();
		return stays ? reload() :
		    go(href(`/${of}/:id/versions/:version`, { id, version: label }));
	}
	return { ...edited, draft, places, isOpen, setOpen, done,
	    text: textOf(draft.value), choices: choicesOf(kindsOf(draft.value)) };
}

// Editing edit title beside impact blocked canonical submit: edit is of useEditing();
// beside is shown at the right; title is that of the dialog, which submit opens.
export function Editing({ edit, title, beside, impact, blocked, canonical, submit,
    class: more, children }) {
	const { of, version, versions, draft, places, choices, active, text } = edit;
	return html`<${DraftNote} draft=${draft} version=${version} />
	<${LoadNote} load=${places} part=${t(EDITED[of].part)} />
	<div class="split-view">
		<${Section} class=${more} title=${html`<span class="tags">
			<code>${draft.base}</code><${Standing} ...${{ text, canonical }}
				changed=${draft.changed} places=${places.data} /></span>`}
			actions=${html`<${Discard} draft=${draft} />
			${choices.length > 0 && html`<${Button} kind="primary"
				disabled=${text === active} command="rules.submit"
				onClick=${submit}>${openLabel(choices)}</${Button}>`}`}>
			${children}</${Section}>
		<div class="stack">${beside}</div></div>
	<${ImpactFlips} later=${impact} blocked=${blocked} />
	${edit.isOpen && html`<${Release} title=${title} choices=${choices}
		taken=${[...versions, ...places.data ?? []].map((one) => one.version)}
		before=${active} after=${text} onClose=${() => edit.setOpen(false)}
		onDone=${edit.done} />`}`;
}

// ImpactBeside later blocked: for operators that may run a backtest.
export function ImpactBeside({ later, blocked, children }) {
	const impact = html`<${Impact} later=${later} blocked=${blocked} />`;
	return can("backtest.run") && html`<${Section} title=${t("impact.title")}
		actions=${html`<${Button} command="rules.impact" busy=${later.loading}
			disabled=${Boolean(blocked)} onClick=${later.run}>
			${t("impact.run")}</${Button}>`}>
		${children ? html`<div class="stack">${children}${impact}</div>` : impact}
		</${Section}>`;
}

// EditorPage of id load lines title lead: its child makes the editor of what is loaded.
export function EditorPage({ of, id, load, lines, title = id, lead, children }) {
	return html`<${Page} title=${title} lead=${lead}
		crumbs=${[[t(`nav.${of}`), href(`/${of}`)]]}
		actions=${html`<${Cli} words=${`${of} show`} operands=${[id]} />`}>
		<${VersionTabs} of=${of} id=${id} value="editor"
			count=${known(load, ({ versions }) => versions.length)} />
		<${Loaded} load=${load} lines=${lines}>${children}</${Loaded}></${Page}>`;
}
