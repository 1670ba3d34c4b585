// SPDX-License-Identifier: ISC
// The dialog that adds a list entry, or changes one; other screens open it with a
// value.
import { html, useState } from "../../third_party/preact/preact.js";
import { skew } from "../api.js";
import { Show, useNames } from "../entity/masked.js";
import { DAY_MS } from "../format.js";
import { needsApproval } from "../session.js";
import { t } from "../text.js";
import { changeLabel, useChange } from "../ui/change.js";
import { Cli } from "../ui/copy.js";
import { Dialog } from "../ui/dialog.js";
import { Button, Choice, Form, Select, TextField } from "../ui/form.js";
import { Facts, Note } from "../ui/page.js";
import "./text.js";
import { LIST_KINDS, SUBJECTS, choices } from "./words.js";

const ENTRY_DAYS = ["", "1", "7", "30", "90", "365"];
// An entry of these is for many people at once.
const WIDE = new Set(["bin", "country"]);
const KEEP = "keep";

// The clock of the service counts, not that of this machine.
function expiryOf(days, row) {
	if (days === KEEP)
		return row.expiresAt;
	return days === "" ? null : new Date(Date.now() + skew.value +
	    Number(days) * DAY_MS).toISOString();
}

function TypedValue({ entry, set }) {
	return html`<${Select} label=${t("lists.subject")} value=${entry.subject}
			options=${choices("subject", SUBJECTS)} onInput=${set("subject")} />
		<${TextField} label=${t("lists.value")} value=${entry.value}
			hint=${t(`lists.hint.${entry.subject}`)}
			onInput=${set("value")} required />`;
}

function ChosenValue({ values, entry, choose }) {
	const { nameOf } = useNames();
	const at = values.findIndex(({ subject, value }) =>
	    subject === entry.subject && value === entry.value);
	return html`<${Select} label=${t("lists.value")} value=${String(at)} autofocus
		options=${values.map(({ subject, value }, i) => [String(i),
		    `${t(`subject.${subject}`)} ${nameOf(subject, value)}`])}
		onInput=${(i) => choose(values[Number(i)])} />
		<${Show} kind=${entry.subject} id=${entry.value} />`;
}

function expiryOptions(row) {
	return [...row?.expiresAt ? [[KEEP, t("lists.keep")]] : [],
	    ...ENTRY_DAYS.map((n) => [n, n === "" ? t("lists.never") :
		t("lists.days", { n: Number(n) })])];
}

// What the entry is about.
function About({ row, values, entry, set, setEntry }) {
	if (row !== null)
		return html`<${Facts} items=${[
		    [t("lists.kind"), t(`kind.${row.kind}`)],
		    [t("lists.subject"), t(`subject.${row.subject}`)],
		    [t("lists.value"), html`<code>${row.value}</code>`]]} />`;
	return html`<${Choice} label=${t("lists.kind")} hideLabel=${false}
			value=${entry.kind} options=${choices("kind", LIST_KINDS)}
			onInput=${set("kind")} />
		${values === null ? html`<${TypedValue} ...${{ entry, set }} />` :
		    html`<${ChosenValue} ...${{ values, entry, choose: (chosen) =>
			setEntry({ ...entry, ...chosen }) }} />`}
		${WIDE.has(entry.subject) && html`<${Note} tone="warn">${
			t(`lists.wide.${entry.subject}`)}</${Note}>`}`;
}

// Its command; assayctl puts an entry in the place of an earlier one.
function lineOf({ kind, subject, value, reason }, days, row) {
	return { words: "lists add", operands: [kind, subject, value || "VALUE"],
	    options: { reason: reason || null, days: days === KEEP ? null : days || null,
		expires: days === KEEP ? row.expiresAt : null,
		propose: needsApproval("lists") ? "REASON" : null } };
}

// EntryDialog: row is the entry to change; otherwise kind, subject and value are what
// it begins with; values, if given, are the { subject, value } pairs to choose from.
export function EntryDialog({ row = null, kind = "block", subject = "user",
    value = "", values = null, onClose, onDone }) {
	const [entry, setEntry] = useState({ kind: row?.kind ?? kind,
	    subject: row?.subject ?? subject, value: row?.value ?? value,
	    reason: row?.reason ?? "", ...values?.[0] });
	const [days, setDays] = useState(row?.expiresAt ? KEEP :
	    values === null ? "" : "30");
	const [busy, change] = useChange();
	const { hides } = useNames();
	const secret = values !== null && hides(entry.subject, entry.value);
	const set = (name) => (text) => setEntry({ ...entry, [name]: text });
	async function save() {
		const saved = await change({ subject: "lists",
		    operation: "POST /v1/lists", done: t("lists.saved"),
		    body: { ...entry, value: entry.value.trim(),
			reason: entry.reason.trim() || null,
			expiresAt: expiryOf(days, row) } });
		if (saved)
			onDone();
	}
	return html`<${Dialog} title=${t(row ? "lists.edit" : "lists.add")}
		onClose=${onClose}>
		<${Form} onSubmit=${save}>
			<${About} ...${{ row, values, entry, set, setEntry }} />
			<${TextField} label=${t("lists.reason")} autofocus=${row !== null}
				value=${entry.reason}
				onInput=${set("reason")} maxlength="256" />
			<${Select} label=${t("lists.expires")} value=${days}
				options=${expiryOptions(row)} onInput=${setDays} />
			<div class="buttons">
				${!secret && html`<${Cli} ...${lineOf(entry, days, row)} />`}
				<${Button} onClick=${onClose}>${t("dialog.cancel")}</${Button}>
				<${Button} type="submit" kind="primary" busy=${busy}
					disabled=${entry.value.trim() === ""}>
					${changeLabel("lists", t("lists.save"))}</${Button}>
			</div>
		</${Form}></${Dialog}>`;
}
