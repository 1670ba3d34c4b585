// SPDX-License-Identifier: ISC
// The dialog that makes an exception.
import { html, useState } from "../../third_party/preact/preact.js";
import { skew } from "../api.js";
import { eventTypes } from "../events.js";
import { DAY_MS } from "../format.js";
import "../lists/text.js";
import { choices, SUBJECTS } from "../lists/words.js";
import { needsApproval } from "../session.js";
import { t } from "../text.js";
import { changeLabel, useChange } from "../ui/change.js";
import { Cli } from "../ui/copy.js";
import { Dialog } from "../ui/dialog.js";
import { Button, Choice, Form, Select, TextField } from "../ui/form.js";
import { Note } from "../ui/page.js";
import "./text.js";

const KINDS = ["tag", "rule"];
const LASTS = ["1", "7", "30", "90", "365"];
// FOUR_EYES may name exceptions as rules or as lists.
const subjectOfChange = () => needsApproval("rules") ? "rules" : "lists";
// An exception for one of these is for many people at once.
const WIDE = new Set(["bin", "country"]);
const EMPTY = { kind: "tag", name: "", eventType: "", subject: "user", value: "",
    reason: "", days: "7" };

// The clock of the service counts, not that of this machine.
function bodyOf({ days, eventType, name, value, reason, ...rest }) {
	return { ...rest, name: name.trim(), value: value.trim(),
	    reason: reason.trim(), eventType: eventType || null,
	    expiresAt: new Date(Date.now() + skew.value +
		Number(days) * DAY_MS).toISOString() };
}

function lineOf({ kind, name, subject, value, reason, days, eventType }) {
	return { words: "exceptions add",
	    operands: [kind, name || "NAME", subject, value || "VALUE"],
	    options: { reason: reason || "TEXT", days, type: eventType || null,
		propose: needsApproval(subjectOfChange()) ? "REASON" : null } };
}

function Matched({ entry, set }) {
	return html`<${Select} label=${t("exceptions.for")} value=${entry.subject}
			options=${choices("subject", SUBJECTS)} onInput=${set("subject")} />
		<${TextField} label=${t("lists.value")} value=${entry.value}
			hint=${t(entry.subject === "ip" ? "exceptions.hint.address" :
			    `lists.hint.${entry.subject}`)}
			onInput=${set("value")} required />
		${WIDE.has(entry.subject) && html`<${Note} tone="warn">${
			t(`exceptions.wide.${entry.subject}`)}</${Note}>`}`;
}

function Silenced({ entry, set }) {
	return html`<${Choice} label=${t("exceptions.kind")} hideLabel=${false}
			value=${entry.kind} onInput=${set("kind")}
			options=${choices("exceptions.kind", KINDS)} />
		<${TextField} label=${t("exceptions.name")} value=${entry.name}
			onInput=${set("name")} maxlength="64" required />
		<${Select} label=${t("exceptions.type")} value=${entry.eventType}
			options=${[["", t("exceptions.type.all")],
			    ...eventTypes.map((type) => [type, type])]}
			onInput=${set("eventType")} />`;
}

export function ExceptionDialog({ onClose, onDone }) {
	const [entry, setEntry] = useState(EMPTY);
	const [busy, change] = useChange();
	const set = (member) => (text) => setEntry({ ...entry, [member]: text });
	const whole = ["name", "value", "reason"].every((member) =>
	    entry[member].trim() !== "");
	async function save() {
		if (await change({ subject: subjectOfChange(), body: bodyOf(entry),
		    operation: "POST /v1/exceptions", done: t("exceptions.saved") }))
			onDone();
	}
	return html`<${Dialog} title=${t("exceptions.add")} onClose=${onClose}>
		<${Form} onSubmit=${save}>
			<${Silenced} entry=${entry} set=${set} />
			<${Matched} entry=${entry} set=${set} />
			<${TextField} label=${t("exceptions.reason")} value=${entry.reason}
				onInput=${set("reason")} maxlength="256" required />
			<${Select} label=${t("exceptions.lasts")} value=${entry.days}
				options=${LASTS.map((n) => [n, t("exceptions.days",
				    { n: Number(n) })])} onInput=${set("days")} />
			<div class="buttons"><${Cli} ...${lineOf(entry)} />
				<${Button} onClick=${onClose}>${t("dialog.cancel")}</${Button}>
				<${Button} type="submit" kind="primary" busy=${busy}
					disabled=${!whole}>
					${changeLabel(subjectOfChange(),
					    t("exceptions.save"))}</${Button}>
			</div>
		</${Form}></${Dialog}>`;
}
