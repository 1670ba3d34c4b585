// SPDX-License-Identifier: ISC
// The dialog that creates a webhook or an alert channel.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { verdicts } from "../events.js";
import { t } from "../text.js";
import { Cli } from "../ui/copy.js";
import { Dialog } from "../ui/dialog.js";
import { Button, Check, Choice, Form, Select, TextField } from "../ui/form.js";
import { Note } from "../ui/page.js";
import { Secret } from "../ui/secret.js";
import { useAttempt } from "../ui/toast.js";
import { RECEIVER_KINDS, bodyOf, draftOf, hasVerdict } from "./receivers.js";
import "./text.js";

const CHANNEL_TYPES = ["slack", "telegram", "webhook"];

function ChannelFields({ draft, set }) {
	return html`${draft.type === "telegram" && html`<${TextField}
			label=${t("deliveries.target")} value=${draft.target}
			onInput=${set("target")} />`}
		${hasVerdict(draft.events) && html`<${Select}
			label=${t("deliveries.min")} value=${draft.minVerdict}
			options=${["", ...verdicts.slice(1)].map((verdict) => [verdict,
			    t(verdict === "" ? "filter.all" : `verdict.${verdict}`)])}
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
			options=${CHANNEL_TYPES.map((type) => [type, t(`deliveries.type.${type}`)])}
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

// The operands and options of the command; assayctl asks for the URL of a channel.
function lineOf(kind, draft) {
	const events = draft.events.length > 0 ? draft.events : ["EVENT"];
	if (kind === "webhooks")
		return { operands: [draft.url.trim() || "URL", ...events] };
	const { type, target, minVerdict, throttlePerMin } = bodyOf(kind, draft);
	return { operands: [type, ...events], options: { target, throttle: throttlePerMin,
	    "min-verdict": minVerdict } };
}

// CreateDialog: again is a revoked receiver, in whose place the new one comes, or null.
export function CreateDialog({ kind, events, again, onClose }) {
	const [draft, setDraft] = useState(draftOf(again));
	const [made, setMade] = useState(null);
	const [busy, attempt] = useAttempt();
	const set = (name) => (value) => setDraft({ ...draft, [name]: value });
	async function save() {
		const answer = await attempt(() => call(RECEIVER_KINDS[kind].create,
		    { body: bodyOf(kind, draft) }), { done: t("deliveries.created") });
		if (answer?.secret)
			setMade(answer);
		else if (answer)
			onClose();
	}
	if (made !== null)
		return html`<${Secret} title=${t("deliveries.secret")}
			text=${t("deliveries.secret.text")} secret=${made.secret}
			onClose=${onClose}>${made.warnings.map((warning) => html`
				<${Note} tone="warn">${warning}</${Note}>`)}
		</${Secret}>`;
	return html`<${Dialog} title=${t(`deliveries.add.${kind}`)} onClose=${onClose}>
		<${Form} onSubmit=${save}>
			${again && html`<p>${t(`deliveries.again.${kind}`)}</p>`}
			<${Fields} ...${{ kind, events, draft, set }} />
			<div class="buttons">
				<${Cli} words=${`${RECEIVER_KINDS[kind].group} add`}
					...${lineOf(kind, draft)} />
				<${Button} onClick=${onClose}>${t("dialog.cancel")}</${Button}>
				<${Button} type="submit" kind="primary" busy=${busy}
					disabled=${draft.url.trim() === "" ||
					draft.events.length === 0}>${t("deliveries.create")}
				</${Button}></div>
		</${Form}></${Dialog}>`;
}
