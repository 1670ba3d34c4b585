// SPDX-License-Identifier: ISC
// The second factor of the operator: its state, and the way to it and out of it.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { enter } from "../session.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Badge } from "../ui/badge.js";
import { Cli } from "../ui/copy.js";
import { Loaded } from "../ui/empty.js";
import { Button, Form } from "../ui/form.js";
import { Code, useCode } from "../ui/identity.js";
import { Facts, Note, Section } from "../ui/page.js";
import { ZonedTime } from "../ui/time.js";
import { toast } from "../ui/toast.js";
import { Enrol } from "./enrol.js";
import "./factor-text.js";

const FEW_CODES = 3;

function Disable({ onDone, onCancel }) {
	const form = useCode(async (code) => {
		await call("POST /v1/auth/second-factor/disable", { body: { code } });
		toast({ text: t("factor.disabled"), tone: "good" });
		await onDone();
	}, onDone);
	return html`<${Form} onSubmit=${form.submit}>
		<${Code} ...${form.field} />
		<div class="buttons">
			<${Button} onClick=${onCancel}>${t("dialog.cancel")}</${Button}>
			<${Button} type="submit" kind="danger" busy=${form.busy}>
				${t("factor.disable")}</${Button}></div>
	</${Form}>`;
}

function Enabled({ enrolledAt, recoveryCodesLeft: left, onDone }) {
	const [open, setOpen] = useState(false);
	return html`<div class="stack"><${Facts} items=${[
	    [t("factor.state"), html`<${Badge} tone="good">${t("factor.on")}
		</${Badge}>`],
	    [t("factor.since"), html`<${ZonedTime} at=${enrolledAt} />`],
	    [t("factor.left"), String(left)],
	]} />
		${left < FEW_CODES && html`<${Note} tone="warn">${t("factor.few")}
			</${Note}>`}
		${open ? html`<${Disable} onDone=${onDone}
			onCancel=${() => setOpen(false)} />` :
		    html`<div class="buttons"><${Button} onClick=${() => setOpen(true)}>
			${t("factor.disable")}</${Button}>
			<${Cli} words="factor disable" /></div>`}</div>`;
}

// FactorPart: a section of the account.
export function FactorPart() {
	const load = useLoad((signal) => call("GET /v1/auth/second-factor",
	    { signal }), []);
	async function changed() {
		load.reload();
		await enter();
	}
	return html`<${Section} title=${t("factor.title")}><${Loaded} load=${load}
		lines=${2}>${(state) => state.enrolled ?
		    html`<${Enabled} ...${state} onDone=${changed} />` :
		    html`<div class="stack"><${Enrol} onDone=${changed} /></div>`}
		</${Loaded}></${Section}>`;
}
