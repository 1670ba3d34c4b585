// SPDX-License-Identifier: ISC
// The buttons of a case: its place in the list, take, release, hand over, snooze,
// open again, and the next one.
import { html, useState } from "../../third_party/preact/preact.js";
import { useKeys } from "../keys.js";
import { go, href } from "../router.js";
import { can } from "../session.js";
import { useSignal } from "../store.js";
import { t } from "../text.js";
import { Clis } from "../ui/clis.js";
import { Cli } from "../ui/copy.js";
import { Dialog } from "../ui/dialog.js";
import { Button, Form, Select, TextField } from "../ui/form.js";
import "../ui/keys-text.js";
import { useAttempt } from "../ui/toast.js";
import { delays, handOver, openNext, release, reopen, snooze, take } from
    "./actions.js";
import { mine } from "./badges.js";
import { caseLines, nextLine } from "./commands.js";
import { neighbours } from "./query.js";
import { worklist } from "./worklist.js";

// Place: which case of the list this is, and the ones beside it.
export function Place({ id }) {
	const { rows } = useSignal(worklist);
	const { at, previous, following } = neighbours(rows.map((row) => row.id), id);
	const open = (other) => other !== null &&
	    (() => go(href("/cases/:id", { id: other })));
	useKeys({ "case.previous": open(previous), "case.following": open(following) });
	return at >= 0 && html`<span class="place">
		<${Button} kind="quiet" icon="chevron-left" command="case.previous"
			label=${t("key.case.previous")} disabled=${previous === null}
			onClick=${open(previous)} />
		<span class="muted">${t("cases.place", { at: at + 1,
		    of: rows.length })}</span>
		<${Button} kind="quiet" icon="chevron-right" command="case.following"
			label=${t("key.case.following")} disabled=${following === null}
			onClick=${open(following)} /></span>`;
}

// The operators whom the case and the list of cases name, but for the one who has it.
function known({ audit, notes, assignedTo }) {
	const rows = worklist.value.rows;
	return [...new Set([...audit.map(({ actor }) => actor),
	    ...notes.map(({ author }) => author),
	    ...rows.map((row) => row.assignedTo),
	    ...rows.map(({ resolution }) => resolution?.analyst)])]
	    .filter((email) => email?.includes("@") && email !== assignedTo).sort();
}

function HandOver({ row, attempt, busy, close }) {
	const [to, setTo] = useState("");
	async function submit() {
		if (to.trim() !== "" && await handOver(attempt, row, to.trim()))
			close(true);
	}
	return html`<${Dialog} title=${t("cases.handOver.title")}
		onClose=${() => close(false)}><${Form} onSubmit=${submit}>
		<${TextField} label=${t("cases.handOver.to")} type="email" value=${to}
			onInput=${setTo} required autofocus hint=${t("cases.handOver.hint")}
			choices=${known(row)} />
		<div class="buttons"><${Cli} ...${caseLines.handOver(row.id, to.trim())} />
		<${Button} onClick=${() => close(false)}>
			${t("dialog.cancel")}</${Button}>
		<${Button} type="submit" kind="primary" busy=${busy}
			disabled=${to.trim() === ""}>${t("cases.handOver")}</${Button}>
		</div></${Form}></${Dialog}>`;
}

function Snooze({ row, attempt, busy, close }) {
	const [hours, setHours] = useState(delays[0]);
	async function submit() {
		if (await snooze(attempt, row, Number(hours)))
			close(true);
	}
	return html`<${Dialog} title=${t("cases.snooze.title")}
		onClose=${() => close(false)}><${Form} onSubmit=${submit}>
		<p>${t("cases.snooze.text")}</p>
		<${Select} label=${t("cases.snooze.for")} value=${String(hours)}
			options=${delays.map((n) => [String(n), n < 24 ?
			    t("cases.hours", { n }) : t("cases.days", { n: n / 24 })])}
			onInput=${setHours} autofocus />
		<div class="buttons"><${Cli} ...${caseLines.snooze(row.id,
		    Number(hours))} />
		<${Button} onClick=${() => close(false)}>
			${t("dialog.cancel")}</${Button}>
		<${Button} type="submit" kind="primary" busy=${busy}>
			${t("cases.snooze")}</${Button}></div></${Form}></${Dialog}>`;
}

// What may be done with a case now.
function possible(row) {
	const open = row.status !== "resolved";
	return {
		take: open && !mine(row),
		release: row.status === "assigned" &&
		    (mine(row) || can("users.manage")),
		handOver: open,
		snooze: open && (row.status === "open" || mine(row) ||
		    can("users.manage")) && row.snoozedUntil === null,
		wake: open && row.snoozedUntil !== null,
		reopen: !open,
	};
}

const ACTION_ICONS = { take: "check", release: "undo-2", handOver: "send",
    snooze: "clock", wake: "clock", reopen: "undo-2" };
const COMMANDS = { wake: "case.snooze" };

function useActions(row, reload) {
	const [busy, attempt] = useAttempt();
	const [dialog, setDialog] = useState(null);
	const may = can("cases.work") ? possible(row) : {};
	const then = (work) => async () => {
		if (await work() != null)
			reload();
	};
	const actions = {
		take: then(() => take(attempt, row)),
		release: then(() => release(attempt, row)),
		handOver: () => setDialog("handOver"),
		snooze: () => setDialog("snooze"),
		wake: then(() => snooze(attempt, row, null)),
		reopen: then(() => reopen(attempt, row)),
	};
	const shown = Object.keys(actions).filter((action) => may[action]);
	function close(done) {
		setDialog(null);
		if (done)
			reload();
	}
	return { busy, attempt, dialog, close, actions, shown };
}

// The commands of what the buttons do.
function linesOf(row, shown, work) {
	return [{ name: t("cases.case"), ...caseLines.show(row.id) },
	    ...shown.map((action) => ({ name: t(`cases.${action}`),
		...caseLines[action](row.id) })),
	    ...work ? [{ name: t("cases.next"),
		...nextLine(worklist.value.query) }] : []];
}

export function Actions({ row, reload }) {
	const { busy, attempt, dialog, close, actions, shown } = useActions(row, reload);
	const work = can("cases.work");
	// The next case may be this one, if the analyst had released it.
	const next = () => openNext(attempt, worklist.value.query).then(reload);
	const command = (action) => COMMANDS[action] ?? `case.${action}`;
	useKeys({ ...Object.fromEntries(["take", "release", "handOver", "snooze",
	    "reopen"].map((action) => [`case.${action}`, null])),
	    ...Object.fromEntries(shown.map((action) => [command(action), actions[action]])),
	    "case.next": work && next });
	return html`<${Clis} lines=${linesOf(row, shown, work)} />
		${shown.map((action) => html`<${Button} key=${action} busy=${busy}
			icon=${ACTION_ICONS[action]} command=${command(action)}
			onClick=${actions[action]}>${t(`cases.${action}`)}</${Button}>`)}
		${work && html`<${Button} kind=${row.status === "resolved" ? "primary" :
		    "plain"} icon="arrow-right" command="case.next" busy=${busy}
			onClick=${next}>${t("cases.next")}</${Button}>`}
		${dialog === "handOver" && html`<${HandOver} ...${{ row, attempt, busy,
		    close }} />`}
		${dialog === "snooze" && html`<${Snooze} ...${{ row, attempt, busy,
		    close }} />`}`;
}
