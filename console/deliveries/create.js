// SPDX-License-Identifier: ISC
// The dialog that creates a webhook or an alert channel.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { t } from "../text.js";
import "../text/deliveries.js";
import { Cli } from "../ui/copy.js";
import { Dialog } from "../ui/dialog.js";
import { Button, Check, Choice, Form, Select, TextField } from "../ui/form.js";
import { Secret } from "../ui/secret.js";
import { useAct } from "../ui/toast.js";
import { KINDS, VERDICT_EVENT, bodyOf } from "./kinds.js";

const TYPES = ["slack", "telegram", "webhook"];
const VERDICTS = ["", "challenge", "review", "deny"];
function ChannelFields({ draft, set }) {
	return html`${draft.type === "telegram" && html`<${TextField}
			label=${t("deliveries.target")} value=${draft.target}
			onInput=${set("target")} />`}
		${draft.events.includes(VERDICT_EVENT) && html`<${Select}
			label=${t("deliveries.min")} value=${draft.minVerdict}
			options=${VERDICTS.map((verdict) => [verdict, t(verdict === "" ?
			    "deliveries.min.all" : `verdict.${verdict}`)])}
			onInput=${set("minVerdict")} />`}
		<${TextField} label=${t("deliveries.throttle.label")} inputmode="numeric"
			value=${draft.throttle} onInput=${set("throttle")}
			hint=${t("deliveries.throttle.hint")} />`;
}

function Fields({ kind, events, draft, set }) {
	const toggle = (event) => (on) => set("events")(on ?
	    [...draft.events, event] : draft.events.filter((one) => one !== event));
	return html`${kind === "alerts" && html`<${Choice} hideLabel=${false}
			label=${t("deliveries.type")} value=${draft.type}
			options=${TYPES.map((type) => [type, t(`deliveries.type.${type}`)])}
			onInput=${set("type")} />`}
		<${TextField} label=${t("deliveries.url")} type="url" value=${draft.url}
			onInput=${set("url")} hint=${t(`deliveries.url.${kind}`)} />
		<fieldset><legend>${t("deliveries.events")}</legend>
			${events.map((event) => html`<${Check} key=${event}
				label=${html`<code>${event}</code>`}
				checked=${draft.events.includes(event)}
				onInput=${toggle(event)} />`)}</fieldset>
		${kind === "alerts" && html`<${ChannelFields} ...${{ draft, set }} />`}`;
}

export function CreateDialog({ kind, events, onClose }) {
	const [draft, setDraft] = useState({ url: "", events: [], type: "slack",
	    target: "", minVerdict: "", throttle: "" });
	const [made, setMade] = useState(null);
	const [busy, act] = useAct();
	const set = (name) => (value) => setDraft({ ...draft, [name]: value });
	async function save() {
		const answer = await act(() => call(KINDS[kind].create,
		    { body: bodyOf(kind, draft) }), { done: t("deliveries.created") });
		if (answer?.secret)
			setMade(answer);
		else if (answer)
			onClose();
	}
	if (made !== null)
		return html`<${Secret} title=${t("deliveries.secret")}
			text=${t("deliveries.secret.text")} secret=${made.secret}
			onClose=${onClose} />`;
	return html`<${Dialog} title=${t(`deliveries.add.${kind}`)} onClose=${onClose}>
		<${Form} onSubmit=${save}>
			<${Fields} ...${{ kind, events, draft, set }} />
			<div class="buttons">
				<${Cli} words=${`${KINDS[kind].group} add`} />
				<${Button} onClick=${onClose}>${t("dialog.cancel")}</${Button}>
				<${Button} type="submit" kind="primary" busy=${busy}
					disabled=${draft.url.trim() === "" ||
					draft.events.length === 0}>${t("deliveries.create")}
				</${Button}></div>
		</${Form}></${Dialog}>`;
}
