// SPDX-License-Identifier: ISC
// The dialog that adds a list entry; other screens open it with a value.
import { html, useState } from "../../third_party/preact/preact.js";
import { skew } from "../api.js";
import { t } from "../text.js";
import "../text/lists.js";
import { changeLabel, useChange } from "../ui/change.js";
import { Cli } from "../ui/copy.js";
import { Dialog } from "../ui/dialog.js";
import { Button, Choice, Form, Select, TextField } from "../ui/form.js";
import { KINDS, SUBJECTS, choices } from "./words.js";

const DAY_MS = 86400000;
const DAYS = ["", "1", "7", "30", "90", "365"];

// The clock of the service counts, not that of this machine.
function expiryOf(days) {
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
	const at = values.findIndex(({ subject, value }) =>
	    subject === entry.subject && value === entry.value);
	return html`<${Select} label=${t("lists.value")} value=${String(at)} autofocus
		options=${values.map(({ subject, value }, i) => [String(i),
		    `${t(`subject.${subject}`)} ${value}`])}
		onInput=${(i) => choose(values[Number(i)])} />`;
}

// EntryDialog: kind, subject and value are what it begins with; values, if given,
// are the { subject, value } pairs to choose from.
export function EntryDialog({ kind = "block", subject = "user", value = "",
    values = null, onClose, onDone }) {
	const [entry, setEntry] = useState({ kind, subject, value, reason: "",
	    ...values?.[0] });
	const [days, setDays] = useState(values === null ? "" : "30");
	const [busy, change] = useChange();
	const set = (name) => (text) => setEntry({ ...entry, [name]: text });
	async function save() {
		const saved = await change({ subject: "lists",
		    operation: "POST /v1/lists", done: t("lists.saved"),
		    body: { ...entry, value: entry.value.trim(),
			reason: entry.reason.trim() || null,
			expiresAt: expiryOf(days) } });
		if (saved)
			onDone();
	}
	return html`<${Dialog} title=${t("lists.add")} onClose=${onClose}>
		<${Form} onSubmit=${save}>
			<${Choice} label=${t("lists.kind")} hideLabel=${false}
				value=${entry.kind} options=${choices("kind", KINDS)}
				onInput=${set("kind")} />
			${values === null ? html`<${TypedValue} ...${{ entry, set }} />` :
			    html`<${ChosenValue} ...${{ values, entry, choose: (chosen) =>
				setEntry({ ...entry, ...chosen }) }} />`}
			<${TextField} label=${t("lists.reason")} value=${entry.reason}
				onInput=${set("reason")} maxlength="256" />
			<${Select} label=${t("lists.ends")} value=${days}
				options=${DAYS.map((n) => [n, n === "" ? t("lists.never") :
				    t("lists.days", { n: Number(n) })])} onInput=${setDays} />
			<div class="buttons">
				<${Cli} words="lists add" operands=${[entry.kind,
				    entry.subject, entry.value || "VALUE"]}
					options=${{ reason: entry.reason || null,
					    "expires-in": days || null }} />
				<${Button} onClick=${onClose}>${t("dialog.cancel")}</${Button}>
				<${Button} type="submit" kind="primary" busy=${busy}
					disabled=${entry.value.trim() === ""}>
					${changeLabel("lists", t("lists.save"))}</${Button}>
			</div>
		</${Form}></${Dialog}>`;
}
