// SPDX-License-Identifier: ISC
// What the row of the list is about, beside the list on wide screens.
import { html } from "../../third_party/preact/preact.js";
import { Changes, Why } from "../explain/why.js";
import { useKeys } from "../keys.js";
import { href } from "../router.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { copy } from "../ui/copy.js";
import { Loaded } from "../ui/empty.js";
import { LinkButton } from "../ui/form.js";
import { Section, useMedia } from "../ui/page.js";
import { Due, eventName, Owner, State } from "./badges.js";
import { EventFacts } from "./facts.js";
import { explainOf } from "./worklist.js";

const WIDE = "(min-width: 1101px)";
// Moving through the list must not load what is only passed.
export const PAUSE_MS = 120;

// True if there is room for the preview.
export function useWide() {
	return useMedia(WIDE);
}

async function explainLater(event, signal) {
	await new Promise((done) => setTimeout(done, PAUSE_MS));
	signal.throwIfAborted();
	return explainOf(event);
}

export function Preview({ row }) {
	const load = useLoad((signal) => explainLater(row.eventId, signal),
	    [row.eventId], { keep: true });
	useKeys({ "case.copy": () => copy(row.id) });
	return html`<aside class="case-preview" aria-label=${t("queue.preview")}><${Section}
		title=${eventName(row)} actions=${html`<${LinkButton}
			href=${href("/cases/:id", { id: row.id })}>${t("queue.open")}
		</${LinkButton}>`}>
		<p class="marks"><${State} row=${row} /><${Owner} email=${row.assignedTo} />
			<${Due} at=${row.dueAt} /></p>
		<${Loaded} load=${load}>${(explanation) => html`<div class="stack">
			<${EventFacts} explanation=${explanation} brief />
			<h3>${t("cases.why")}</h3><${Why} explanation=${explanation} />
			<h3>${t("cases.changes")}</h3>
			<${Changes} explanation=${explanation} /></div>`}</${Loaded}>
	</${Section}></aside>`;
}
