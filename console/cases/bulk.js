// SPDX-License-Identifier: ISC
// One outcome for several cases of the list, or for the one that is shown.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { errorText } from "../errors.js";
import { outcomes } from "../events.js";
import { useKeys } from "../keys.js";
import { href } from "../router.js";
import { t } from "../text.js";
import { Cli } from "../ui/copy.js";
import { ask } from "../ui/dialog.js";
import { Button } from "../ui/form.js";
import { Note } from "../ui/page.js";
import { toast, useAttempt } from "../ui/toast.js";
import { eventName, othersClaim } from "./badges.js";

const MOST_IDS = 100;

// Send the ids in parts, and add the results to the list.  A part that fails ends it.
// The page takes no keys before then() has loaded what it shows.
async function resolveAll(ids, { outcome, note }, results, then) {
	try {
		for (let i = 0; i < ids.length; i += MOST_IDS) {
			const { results: part } = await call("POST /v1/cases/resolve",
			    { body: { ids: ids.slice(i, i + MOST_IDS), outcome,
				...note !== "" && { note } } });
			results.push(...part);
		}
	} finally {
		await then();
	}
}

// Those that another analyst was faster with, and why the others failed.
function Refused({ refused, close }) {
	return html`<${Note} tone="warn" actions=${html`<${Button} kind="quiet" icon="x"
		label=${t("dialog.close")} onClick=${close} />`}>
		${t("cases.bulk.refused", { n: refused.length })}
		<ul>${refused.map(({ id, error, name }) => html`<li key=${id}>
			<a href=${href("/cases/:id", { id })}>${name}</a>
			${" "}${errorText({ status: 409, ...error })}</li>`)}</ul>
	</${Note}>`;
}

// The command takes at most as many ids as one request.
function bulkLine(rows, outcome, note = "") {
	return { words: "cases resolve-all", options: { note: note || null },
	    operands: [outcome, ...rows.slice(0, MOST_IDS).map(({ id }) => id)] };
}

function question(rows, outcome) {
	const theirs = rows.filter(othersClaim).length;
	const one = rows.length === 1 ? eventName(rows[0]) : "";
	return { title: t("cases.bulk.title", { n: rows.length, one,
	    outcome: t(`outcome.${outcome}`) }),
	    text: theirs > 0 ? t("cases.bulk.theirs", { n: theirs }) : null,
	    confirm: t("cases.resolve"), danger: outcome === "fraud",
	    cli: (note) => bulkLine(rows, outcome, note),
	    note: { label: t("cases.note"), required: false } };
}

export function Bulk({ marks, rows, shown, reload }) {
	const [refused, setRefused] = useState([]);
	const [busy, attempt] = useAttempt();
	const chosen = rows.filter(({ id }) => marks.chosen.has(id));
	const targets = (chosen.length > 0 ? chosen : shown ? [shown] : [])
	    .filter(({ status }) => status !== "resolved");
	async function resolve(outcome) {
		const note = await ask(question(targets, outcome));
		if (note === null)
			return;
		const results = [];
		await attempt(() => resolveAll(targets.map(({ id }) => id), { outcome, note },
		    results, reload));
		if (results.length === 0)
			return;
		const done = results.filter(({ ok }) => ok).length;
		if (done > 0)
			toast({ text: t("cases.bulk.done", { n: done }), tone: "good" });
		setRefused(results.filter(({ ok }) => !ok).map((result) => ({ ...result,
		    name: eventName(rows.find(({ id }) => id === result.id)) })));
		const sent = new Set(results.map(({ id }) => id));
		marks.onChange({ last: null, chosen: new Set([...marks.chosen]
		    .filter((id) => !sent.has(id))) });
		document.getElementById("main")?.focus({ preventScroll: true });
	}
	const may = targets.length > 0 && !busy;
	useKeys(Object.fromEntries(outcomes.map((outcome) =>
	    [`case.${outcome}`, may && (() => resolve(outcome))])));
	return html`${chosen.length > 0 && html`<div class="bulk" role="region"
		aria-label=${t("cases.bulk")}>
		<b>${t("cases.bulk.chosen", { n: chosen.length })}</b>
		${outcomes.map((outcome) => html`<${Button} key=${outcome} busy=${busy}
			command=${`case.${outcome}`} onClick=${() => resolve(outcome)}>
			${t(`outcome.${outcome}`)}</${Button}>`)}
		<${Cli} ...${bulkLine(chosen, outcomes[0])} />
		<${Button} kind="quiet" onClick=${() => marks.onChange({ last: null,
		    chosen: new Set() })}>${t("cases.bulk.clear")}</${Button}></div>`}
		${refused.length > 0 && html`<${Refused} refused=${refused}
			close=${() => setRefused([])} />`}`;
}
