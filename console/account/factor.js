// SPDX-License-Identifier: ISC
// The second factor of the operator: enrol an authenticator app by a QR code, keep
// the recovery codes, or remove it.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { errorText } from "../errors.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import "../text/factor.js";
import { Copy } from "../ui/copy.js";
import { Loaded } from "../ui/empty.js";
import { Button, Form } from "../ui/form.js";
import { Code, useSubmit } from "../ui/identity.js";
import { Facts, Note } from "../ui/page.js";
import { Time } from "../ui/time.js";

const QUIET = 4;

// The QR code: dark modules on white with a quiet zone, also on a dark page, as
// readers of codes need it.
function Qr({ size, path }) {
	const side = size + 2 * QUIET;
	return html`<svg class="qr" role="img" aria-label=${t("factor.qr")}
		viewBox=${`${-QUIET} ${-QUIET} ${side} ${side}`}
		shape-rendering="crispEdges">
		<rect class="light" x=${-QUIET} y=${-QUIET} width=${side}
			height=${side} /><path class="dark" d=${path} /></svg>`;
}

// A form with a code that sends it somewhere.
function CodeForm({ send, label, danger = false, children }) {
	const [code, setCode] = useState("");
	const { busy, error, submit } = useSubmit(() => send(code.trim()));
	return html`<${Form} onSubmit=${submit}>
		<${Code} value=${code} onInput=${setCode}
			error=${error && errorText(error)} />
		<div class="buttons">${children}<${Button} type="submit" busy=${busy}
			kind=${danger ? "danger" : "primary"}>${label}</${Button}></div>
	</${Form}>`;
}

function Offer({ offer, onCodes, children }) {
	const enable = async (code) => onCodes((await call(
	    "POST /v1/auth/second-factor/enable", { body: { code } }))
	    .recoveryCodes);
	return html`<div class="stack">
		<p>${t("factor.scan")}</p>
		<${Qr} ...${offer.qr} />
		<${Facts} items=${[[t("factor.secret"), html`<code>${offer.secret}</code>
			<${Copy} text=${offer.secret} what=${t("factor.secret")} />`]]} />
		<${CodeForm} send=${enable} label=${t("factor.enable")}>${children}
		</${CodeForm}></div>`;
}

function Codes({ codes, onDone }) {
	return html`<div class="stack">
		<${Note} tone="warn">${t("factor.codes.text")}</${Note}>
		<ul class="codes" aria-label=${t("factor.codes")}>${codes.map((code) =>
		    html`<li key=${code}><code>${code}</code></li>`)}</ul>
		<div class="buttons">
			<${Copy} text=${codes.join("\n")} what=${t("factor.codes")} />
			<${Button} kind="primary" onClick=${onDone}>${t("factor.codes.done")}
			</${Button}></div></div>`;
}

function Enrolled({ data, onRemove }) {
	return html`<div class="stack"><${Facts} items=${[
	    [t("factor.since"), html`<${Time} at=${data.enrolledAt} />`],
	    [t("factor.left"), data.recoveryCodesLeft]]} />
		<div class="buttons"><${Button} onClick=${onRemove}>
			${t("factor.remove")}</${Button}></div></div>`;
}

// SecondFactor: onDone is called when one is enrolled.
export function SecondFactor({ onDone = () => {}, children }) {
	const load = useLoad((signal) => call("GET /v1/auth/second-factor",
	    { signal }), []);
	const [offer, setOffer] = useState(null);
	const [codes, setCodes] = useState(null);
	const [removes, setRemoves] = useState(false);
	const { busy, error, submit: begin } = useSubmit(async () =>
	    setOffer(await call("POST /v1/auth/second-factor")));
	function done() {
		setOffer(null);
		setCodes(null);
		load.reload();
		onDone();
	}
	async function remove(code) {
		await call("POST /v1/auth/second-factor/disable", { body: { code } });
		setRemoves(false);
		load.reload();
	}
	if (codes !== null)
		return html`<${Codes} codes=${codes} onDone=${done} />`;
	if (offer !== null)
		return html`<${Offer} offer=${offer} onCodes=${setCodes}>${children}
			<${Button} onClick=${() => setOffer(null)}>${t("dialog.cancel")}
			</${Button}></${Offer}>`;
	if (removes)
		return html`<${CodeForm} danger send=${remove}
			label=${t("factor.remove")}><${Button}
			onClick=${() => setRemoves(false)}>${t("dialog.cancel")}
		</${Button}></${CodeForm}>`;
	return html`<${Loaded} load=${load} lines=${2}>${(data) => data.enrolled ?
	    html`<${Enrolled} data=${data} onRemove=${() => setRemoves(true)} />` :
	    html`<div class="stack"><p>${t("factor.none")}</p>
		${error && html`<${Note} tone="bad">${errorText(error)}</${Note}>`}
		<div class="buttons">${children}<${Button} kind="primary" busy=${busy}
			onClick=${begin}>${t("factor.begin")}</${Button}></div></div>`}
	</${Loaded}>`;
}
