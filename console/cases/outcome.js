// SPDX-License-Identifier: ISC
// The outcome of a case: 1, 2 or 3, a note, and Ctrl+Enter for the next case.  What
// is typed stays when another analyst was faster.
import { html, useRef, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { outcomes } from "../events.js";
import { useKeys } from "../keys.js";
import { go, href, route } from "../router.js";
import { can, session } from "../session.js";
import { t } from "../text.js";
import { Outcome } from "../ui/badge.js";
import { Cli, copy } from "../ui/copy.js";
import { Button, Form, Key, TextArea, useId } from "../ui/form.js";
import { Note, Section } from "../ui/page.js";
import { Age } from "../ui/time.js";
import { announce, toast, useAttempt } from "../ui/toast.js";
import { addNote, mayChange, openNext } from "./actions.js";
import { mine } from "./badges.js";
import { neighbours, stateOf } from "./query.js";
import { draftOf, dropOutcome, keepDraft, worklist } from "./worklist.js";

// useDraft ID: [draft, change]: what was typed into a case; it outlives the page.
export function useDraft(id) {
	const [, draw] = useState(0);
	function change(members) {
		keepDraft(id, { ...draftOf(id), ...members });
		draw((n) => n + 1);
	}
	return [draftOf(id), change];
}

// Open the next case: in the waiting list the one that the service assigns, in another
// list the next row, after the last row the list.
async function openFollowing(attempt, id) {
	const { path } = route.value;
	const { query, rows } = worklist.value;
	const { following } = neighbours(rows.map((row) => row.id), id);
	if (stateOf(query) !== "waiting" && following !== null)
		go(href("/cases/:id", { id: following }));
	else if (!await openNext(attempt, query) && route.value.path === path)
		go(href("/cases", {}, query));
}

// The choice of an outcome: pressed buttons, so that 1, 2 and 3 act as clicks do.
function Choices({ outcome, choose, fault }) {
	const id = useId();
	return html`<div class="outcomes" role="group" aria-label=${t("cases.outcome")}
		aria-describedby=${fault ? id : undefined}>
		${outcomes.map((one) => html`<button key=${one} type="button"
			class=${`button choice-${one}`}
			aria-pressed=${one === outcome ? "true" : "false"}
			onClick=${() => choose(one)}>${t(`outcome.${one}`)}
			<${Key} command=${`case.${one}`} /></button>`)}</div>
		${fault && html`<p class="fault" id=${id}>${fault}</p>`}`;
}

// True if the service took this outcome from the analyst, and the answer was lost.
function isSent({ analyst, outcome, note }, draft) {
	return analyst === session.value.me?.email && outcome === draft.outcome &&
	    (note ?? "") === draft.note.trim();
}

// Resolve a case; one that has this outcome already counts as resolved now.
async function sendOutcome(id, draft) {
	const note = draft.note.trim();
	try {
		return await call("POST /v1/cases/{id}/resolve", { path: { id },
		    body: { outcome: draft.outcome, ...note !== "" && { note } } });
	} catch (error) {
		if (error.code !== "CASE_RESOLVED")
			throw error;
		const row = await call("GET /v1/cases/{id}", { path: { id } });
		if (row.resolution === null || !isSent(row.resolution, draft))
			throw error;
		return row;
	}
}

// Another analyst ended the case while this one typed.
function ResolvedMeanwhile({ row, draft, reload, forget }) {
	const [busy, attempt] = useAttempt();
	const { analyst, outcome } = row.resolution;
	async function keep() {
		if (await addNote(attempt, row, draft.note)) {
			forget();
			reload();
		}
	}
	return html`<${Note} tone="warn" actions=${html`
		<${Button} busy=${busy} onClick=${keep}>${t("cases.meanwhile.note")}
		</${Button}><${Button} kind="quiet" onClick=${() => copy(draft.note)}>
			${t("cases.meanwhile.copy")}</${Button}>
		<${Button} kind="quiet" onClick=${forget}>${t("cases.meanwhile.drop")}
		</${Button}>`}>
		<p>${t("cases.meanwhile", { who: analyst, outcome: t(`outcome.${outcome}`) })}
		</p><p class="typed">${draft.note}</p></${Note}>`;
}

function Resolved({ row }) {
	const { outcome, analyst, note, at } = row.resolution;
	return html`<p><${Outcome} outcome=${outcome} /> ${t("cases.by",
	    { who: analyst })} <span class="muted"><${Age} at=${at} /></span></p>
		${note && html`<p class="typed">${note}</p>`}`;
}

function useResolve(row, reload) {
	const [busy, attempt] = useAttempt();
	const openedAt = route.value.path;
	// attempt() may still open the next case.
	const [, attemptUndo] = useAttempt();
	async function undo() {
		const { path } = route.value;
		const both = stateOf(worklist.value.query) === "waiting" &&
		    path !== openedAt && path.startsWith("/cases/");
		if (await attemptUndo(() => call("POST /v1/cases/{id}/reopen",
		    { path: { id: row.id }, body: {} }),
		    { done: t(both ? "cases.reopened.both" : "cases.reopened") }) &&
		    route.value.path === path)
			go(href("/cases/:id", { id: row.id }));
	}
	function failed(error) {
		if (error.code !== "CASE_RESOLVED")
			return false;
		toast({ text: t("cases.meanwhile.toast"), tone: "bad" });
		reload();
		return true;
	}
	async function resolve(thenNext) {
		const { path } = route.value;
		if (!await mayChange(row, t("cases.resolve")))
			return;
		// Not those of the last rendering, which may lack a key.
		const sent = draftOf(row.id);
		const answer = await attempt(() => sendOutcome(row.id, sent), { failed,
		    done: t("cases.resolved", { outcome: t(`outcome.${sent.outcome}`) }),
		    action: { label: t("cases.undo"), run: undo } });
		if (!answer)
			return;
		dropOutcome(row.id);
		if (route.value.path !== path)
			return; // the analyst has opened another page meanwhile
		if (thenNext)
			await openFollowing(attempt, row.id);
		else
			reload();
	}
	return [busy, resolve];
}

function Open({ row, reload }) {
	const [draft, change] = useDraft(row.id);
	const [busy, resolve] = useResolve(row, reload);
	const [lacking, setLacking] = useState(false);
	const note = useRef(null);
	function choose(outcome) {
		change({ outcome });
		note.current?.focus();
		announce(t("cases.chosen", { outcome: t(`outcome.${outcome}`) }));
	}
	function submit() {
		setLacking(draft.outcome === null);
		if (draft.outcome === null)
			announce(t("cases.choose"));
		else
			resolve(true);
	}
	useKeys(Object.fromEntries(outcomes.map((outcome) =>
	    [`case.${outcome}`, () => choose(outcome)])));
	return html`<${Form} onSubmit=${submit} class="outcome">
		<${Choices} outcome=${draft.outcome} choose=${choose}
			fault=${lacking && draft.outcome === null && t("cases.choose")} />
		<${TextArea} label=${t("cases.note")} value=${draft.note} rows="3"
			inputRef=${note} maxlength="4000" readonly=${busy} hint=${t("cases.note.hint")}
			onInput=${(text) => change({ note: text })}
			onKeyDown=${leaveByEscape} />
		<div class="buttons">
			<${Cli} words="cases resolve" operands=${[row.id,
			    draft.outcome ?? outcomes[0]]}
				options=${{ note: draft.note.trim() || null }} />
			<${Button} busy=${busy} disabled=${draft.outcome === null}
				onClick=${() => resolve(false)}>${t("cases.resolve")}
			</${Button}>
			<${Button} type="submit" kind="primary" busy=${busy}
				disabled=${draft.outcome === null}>
				${t("cases.resolveNext")}<${Key} keys=${["Mod+Enter"]} />
			</${Button}></div>
	</${Form}>`;
}

// Escape leaves a field, so that keys are commands again.
export function leaveByEscape(event) {
	if (event.key === "Escape") {
		event.target.blur();
		document.getElementById("main")?.focus({ preventScroll: true });
	}
}

export function OutcomeBar({ row, reload }) {
	const [draft, change] = useDraft(row.id);
	const typed = draft.note.trim() !== "";
	if (row.resolution !== null)
		return html`<${Section} title=${t("cases.outcome")}>
			${typed && !isSent(row.resolution, draft) &&
			    html`<${ResolvedMeanwhile} row=${row} draft=${draft}
				reload=${reload} forget=${() => change({ note: "" })} />`}
			<${Resolved} row=${row} /></${Section}>`;
	return html`<${Section} title=${t("cases.outcome")}
		class=${can("cases.work") ? "outcome-bar" : ""}>
		${row.status === "assigned" && !mine(row) && html`<${Note} tone="warn">
			${t("cases.theirs", { who: row.assignedTo })}</${Note}>`}
		${can("cases.work") && html`<${Open} row=${row} reload=${reload} />`}
	</${Section}>`;
}
