// SPDX-License-Identifier: ISC
// A dialog with a secret that the service shows only once.
import { html, useState } from "../../third_party/preact/preact.js";
import { t } from "../text.js";
import { copy } from "./copy.js";
import { Dialog } from "./dialog.js";
import { Button, Check } from "./form.js";
import { Note } from "./page.js";
import "./secret-text.js";

// Secret: it closes only after the operator says that the secret is stored.
export function Secret({ title, text, secret, onClose, children }) {
	const [stored, setStored] = useState(false);
	return html`<${Dialog} title=${title} actions=${html`
		<${Button} icon="copy" onClick=${() => copy(secret)}>${t("secret.copy")}
		</${Button}>
		<${Button} kind="primary" disabled=${!stored} onClick=${onClose}>
			${t("secret.close")}</${Button}>`}>
		<div class="stack">
			<p>${text}</p>
			${children}
			<pre class="preview" tabindex="0" aria-label=${title}>${secret}</pre>
			<${Note} tone="warn">${t("secret.once")}</${Note}>
			<${Check} label=${t("secret.stored")} checked=${stored}
				onInput=${setStored} />
		</div></${Dialog}>`;
}
