// SPDX-License-Identifier: ISC
// The list of all keys.
import { html } from "../../third_party/preact/preact.js";
import commands from "../commands.js";
import { keysOf } from "../keys.js";
import { href } from "../router.js";
import { useSignal } from "../store.js";
import { prefs } from "../prefs.js";
import { t } from "../text.js";
import { Dialog } from "./dialog.js";
import { Key } from "./form.js";
import { commandName } from "./palette.js";

export function scopes() {
	return [...new Set(commands.map(([, scope]) => scope))];
}

function Scope({ scope }) {
	return html`<section><h3>${t(`scope.${scope}`)}</h3><dl>${commands
	    .filter(([, of]) => of === scope).map(([id]) => html`<div key=${id}>
		<dt>${commandName(id)}</dt>
		<dd>${keysOf(id).length === 0 ? t("help.off") :
		    html`<${Key} command=${id} />
		<span class="hidden">${keysOf(id)[0]}</span>`}</dd></div>`)}
	</dl></section>`;
}

// Help close: close() is called when it is to end.
export default function Help({ close }) {
	useSignal(prefs);
	return html`<${Dialog} title=${t("help.title")}
		size="wide" onClose=${close}>
		<div class="help">${scopes().map((scope) =>
		    html`<${Scope} key=${scope} scope=${scope} />`)}</div>
		<p><a href=${href("/account")} onClick=${close}>${t("help.change")}</a></p>
	</${Dialog}>`;
}
