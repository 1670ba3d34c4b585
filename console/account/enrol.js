// SPDX-License-Identifier: ISC
// Enabling a second factor: the service offers a key, the operator brings it into
// an authenticator app and proves that with a code.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { t } from "../text.js";
import { Cli, Copy } from "../ui/copy.js";
import { Button, Form } from "../ui/form.js";
import { Code, useCode } from "../ui/identity.js";
import { Secret } from "../ui/secret.js";
import { useAttempt } from "../ui/toast.js";
import "./factor-text.js";

// Modules without ink around the code, as its readers need them.
const QUIET = 4;

// Qr size path: the dark modules as path data in a box of this size.
function Qr({ size, path }) {
	const side = size + 2 * QUIET;
	return html`<svg class="qr" role="img" aria-label=${t("factor.qr")}
		viewBox=${`${-QUIET} ${-QUIET} ${side} ${side}`}
		shape-rendering="crispEdges"><path d=${path} /></svg>`;
}

function Offer({ offer: { secret, uri, qr } }) {
	return html`<p>${t("factor.scan")}</p>
		<div class="offer"><${Qr} ...${qr} /><div class="stack">
			<p>${t("factor.type")}</p>
			<p class="id"><code class="key">${secret.match(/.{1,4}/g)
			    .join(" ")}</code><${Copy} text=${secret}
				what=${t("factor.key")} /></p>
			<p><a href=${uri}>${t("factor.open")}</a></p></div></div>`;
}

// Prove: the form for the first code of the app.
function Prove({ offer, onCodes, onCancel }) {
	const form = useCode(async (code) => onCodes((await call(
	    "POST /v1/auth/second-factor/enable", { body: { code } }))
	    .recoveryCodes), onCancel);
	return html`<${Offer} offer=${offer} />
		<${Form} onSubmit=${form.submit}>
			<${Code} app ...${form.field} />
			<div class="buttons">
				<${Button} onClick=${onCancel}>${t("dialog.cancel")}</${Button}>
				<${Button} type="submit" kind="primary" busy=${form.busy}>
					${t("factor.enable")}</${Button}></div>
		</${Form}>`;
}

// Enrol: from the offer to the recovery codes.  children are buttons beside
// the one that starts it; onDone is called when a second factor is enabled.
export function Enrol({ onDone, children }) {
	const [offer, setOffer] = useState(null);
	const [codes, setCodes] = useState(null);
	const [busy, attempt] = useAttempt();
	const start = () => attempt(async () => setOffer(
	    await call("POST /v1/auth/second-factor")), { failed: enabled });
	const finish = () => attempt(onDone);
	// Another window may have enabled one.
	function enabled(error) {
		if (error.code === "SECOND_FACTOR_EXISTS")
			finish();
		return false;
	}
	if (codes !== null)
		return html`<${Secret} title=${t("factor.recovery")} onClose=${finish}
			text=${t("factor.recovery.text")} secret=${codes.join("\n")} />`;
	if (offer !== null)
		return html`<${Prove} offer=${offer} onCodes=${setCodes}
			onCancel=${() => setOffer(null)} />`;
	return html`<p>${t("factor.text")}</p>
		<div class="buttons">${children}
			<${Button} kind="primary" icon="lock" busy=${busy}
				onClick=${start}>${t("factor.start")}</${Button}>
			<${Cli} words="factor enable" /></div>`;
}
