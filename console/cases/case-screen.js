// SPDX-License-Identifier: ISC
// One case: what happened, why it is here, what would have changed it, and its
// outcome.
import { html, useEffect } from "../../third_party/preact/preact.js";
import { Changes, Why } from "../explain/why.js";
import { useKeys } from "../keys.js";
import { href } from "../router.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Score } from "../ui/badge.js";
import { copy, Id } from "../ui/copy.js";
import { Empty, Loaded, LoadNote } from "../ui/empty.js";
import { Page, Section } from "../ui/page.js";
import { Due, eventName, Owner, State } from "./badges.js";
import { Actions, Place } from "./buttons.js";
import { Activity, Earlier, Links } from "./related.js";
import "./case-text.js";
import { EventFacts } from "./facts.js";
import { Lists } from "./lists.js";
import { OutcomeBar } from "./outcome.js";
import { useWide } from "./preview.js";
import { neighbours } from "./query.js";
import { Notes, Trail } from "./history.js";
import { caseOf, explainOf, prefetch, worklist } from "./worklist.js";

const EVERY_MS = 10000;

// Show a part of the page and give it the focus.
function show(part) {
	const element = document.getElementById(part);
	element?.scrollIntoView({ block: "start" });
	element?.focus({ preventScroll: true });
}

function Part({ id, title, children }) {
	return html`<div id=${id} tabindex="-1" class="part"><${Section}
		title=${title}>${children}</${Section}></div>`;
}

function Explained({ load }) {
	return html`<${Section} title=${t("cases.facts")}><${Loaded} load=${load}>
			${(explanation) => html`<${EventFacts}
				explanation=${explanation} />`}</${Loaded}></${Section}>
		<div class="columns">
		<${Part} id="why" title=${t("cases.why")}><${Loaded} load=${load}>
			${(explanation) => html`<${Why} explanation=${explanation} />`}
		</${Loaded}></${Part}>
		<${Part} id="changes" title=${t("cases.changes")}><${Loaded} load=${load}>
			${(explanation) => html`<${Changes}
				explanation=${explanation} />`}</${Loaded}></${Part}></div>`;
}

// What needs the user of the event, which an erased request does not name.
function Around({ load, row }) {
	const user = load.data?.request?.subject.userId;
	if (load.data === undefined)
		return html`<${Section} title=${t("cases.activity")}><${Loaded}
			load=${load} lines=${6} /></${Section}>`;
	if (user === undefined)
		return html`<${Section} title=${t("cases.activity")}><${Empty}
			icon="user-round" title=${t("cases.noUser")} /></${Section}>`;
	return html`<${Section} title=${t("cases.activity")}>
			<${Activity} user=${user} event=${row.eventId} /></${Section}>
		<div class="columns">
		<${Part} id="links" title=${t("cases.links")}><${Links} user=${user} />
		</${Part}>
		<${Section} title=${t("cases.earlier")}><${Earlier} user=${user}
			id=${row.id} /></${Section}></div>`;
}

function Lead({ row }) {
	return html`<span class="marks"><${Score} ...${row} />
		<${State} row=${row} /><${Due} at=${row.dueAt} />
		<${Owner} email=${row.assignedTo} /><code>${row.queue}</code>
		<${Id} id=${row.id} short /></span>`;
}

function Shown({ load: { data: row, reload }, note }) {
	const load = useLoad(() => explainOf(row.eventId), [row.eventId]);
	useKeys({
		"case.why": () => show("why"),
		"case.links": () => show("links"),
		"case.copy": () => copy(row.id),
	});
	const wide = useWide();
	const { rows } = worklist.value;
	useEffect(() => {
		const { at } = neighbours(rows.map(({ id }) => id), row.id);
		const ahead = rows[at + 1];
		if (ahead !== undefined)
			prefetch(ahead);
	}, [row.id]);
	const outcome = html`<${OutcomeBar} row=${row} reload=${reload} />`;
	return html`<${Page} title=${eventName(row)} lead=${html`<${Lead} row=${row} />`}
		crumbs=${[[t("nav.queue"), href("/cases", {}, worklist.value.query)]]}
		actions=${html`<${Place} id=${row.id} /><${Actions} row=${row}
			reload=${reload} />`}>
		${note}
		<div class="case-view">
			<div class="page"><${Explained} load=${load} />
				${!wide && outcome}
				<${Around} load=${load} row=${row} /></div>
			<div class="page side">
				${wide && outcome}
				<${Part} id="notes" title=${t("cases.notes")}>
					<${Notes} row=${row} reload=${reload} /></${Part}>
				<${Lists} load=${load} />
				<${Section} title=${t("cases.trail")}>
					<${Trail} row=${row} /></${Section}>
			</div>
		</div></${Page}>`;
}

export default function Case({ params: { id } }) {
	const load = useLoad((signal) => caseOf(id, signal), [id],
	    { every: EVERY_MS });
	return load.data === undefined ? html`<${Page} title=${t("cases.case")}
		crumbs=${[[t("nav.queue"), href("/cases")]]}>
		<${Loaded} load=${load} lines=${12} awaited>${() => ""}</${Loaded}></${Page}>` :
	    html`<${Shown} load=${load}
		note=${html`<${LoadNote} load=${load} />`} />`;
}
