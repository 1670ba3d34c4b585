// SPDX-License-Identifier: ISC
// A dialog that puts a value on a list.
import { html, useState } from "../../third_party/preact/preact.js";
import { skew } from "../api.js";
import { t } from "../text.js";
import { changeLabel, useChange } from "../ui/change.js";
import { Cli } from "../ui/copy.js";
import { Dialog } from "../ui/dialog.js";
import { Button, Form, Select, TextField } from "../ui/form.js";

const DAY_MS = 86400000;
const DAYS = [1, 7, 30, 90, 0];

function bodyOf(kind, { subject, value }, days, reason) {
	return { kind, subject, value, ...reason !== "" && { reason },
	    ...days > 0 && { expiresAt: new Date(Date.now() + skew.value +
		days * DAY_MS).toISOString() } };
}

// Entry kind options close: options are { subject, value }; close(true) after a
// change.
export function Entry({ kind, options, close }) {
	const [at, setAt] = useState("0");
	const [days, setDays] = useState("30");
	const [reason, setReason] = useState("");
	const [busy, change] = useChange();
	const chosen = options[Number(at)];
	async function submit() {
		const body = bodyOf(kind, chosen, Number(days), reason.trim());
		if (await change({ subject: "lists", operation: "POST /v1/lists", body,
		    done: t(`list.done.${kind}`, { value: chosen.value }) }))
			close(true);
	}
	return html`<${Dialog} title=${t(`list.title.${kind}`)}
		onClose=${() => close(false)}><${Form} onSubmit=${submit}>
		<${Select} label=${t("list.value")} value=${at} onInput=${setAt} autofocus
			options=${options.map(({ subject, value }, i) => [String(i),
			    `${t(`list.${subject}`)} ${value}`])} />
		<${Select} label=${t("list.ends")} value=${days} onInput=${setDays}
			options=${DAYS.map((n) => [String(n), n === 0 ?
			    t("list.never") : t("cases.days", { n })])} />
		<${TextField} label=${t("list.reason")} value=${reason} maxlength="256"
			onInput=${setReason} hint=${t("list.reason.hint")} />
		<div class="buttons">
			<${Cli} words="lists add" operands=${[kind, chosen.subject,
			    chosen.value]} options=${{ reason: reason.trim() || null,
			    days: Number(days) || null }} />
			<${Button} onClick=${() => close(false)}>
				${t("dialog.cancel")}</${Button}>
			<${Button} type="submit" busy=${busy}
				kind=${kind === "block" ? "danger" : "primary"}>
				${changeLabel("lists", t(`cases.${kind}`))}
			</${Button}></div>
	</${Form}></${Dialog}>`;
}
