// SPDX-License-Identifier: ISC
// Saved views: filters of a screen under a name, for oneself or for all.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { go, href } from "../router.js";
import { can } from "../session.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { viewOf, viewQuery } from "../view.js";
import { useChange } from "./change.js";
import { Dialog } from "./dialog.js";
import { LoadNote } from "./empty.js";
import { Button, Check, Form, Select, TextField } from "./form.js";
import { useAttempt } from "./toast.js";

function Save({ screen, query, close }) {
	const [name, setName] = useState("");
	const [shared, setShared] = useState(false);
	const [busy, attempt] = useAttempt();
	async function submit() {
		const body = { name: name.trim(), screen, query: viewQuery(query), shared };
		if (body.name !== "" && await attempt(() => call("POST /v1/views", { body }),
		    { done: t("views.saved", { name: body.name }) }))
			close(true);
	}
	return html`<${Dialog} title=${t("views.save")} onClose=${() => close(false)}>
		<${Form} onSubmit=${submit}><${TextField} label=${t("views.name")}
			value=${name} onInput=${setName} maxlength="64" autofocus />
		<${Check} label=${t("views.shared")} checked=${shared}
			onInput=${setShared} />
		<div class="buttons"><${Button} onClick=${() => close(false)}>
			${t("dialog.cancel")}</${Button}><${Button} type="submit"
			kind="primary" busy=${busy} disabled=${name.trim() === ""}>
			${t("views.save.do")}</${Button}></div></${Form}></${Dialog}>`;
}

// Views screen address query: screen is "cases" or "decisions", address its path.
export function Views({ screen, address, query }) {
	const load = useLoad((signal) => call("GET /v1/views", { signal }), [screen]);
	const [open, setOpen] = useState(false);
	const [busy, change] = useChange();
	const views = (load.data ?? []).filter((view) => view.screen === screen);
	const here = viewOf(views, query);
	const show = (id) => go(href(address, {},
	    views.find((view) => view.id === id)?.query ?? {}));
	async function remove() {
		if (await change({ operation: "DELETE /v1/views/{id}", about: here,
		    path: { id: here.id }, done: t("views.deleted") }))
			load.reload();
	}
	return html`<${LoadNote} load=${load} part=${t("views.all")} />
	${views.length > 0 && html`<${Select} label=${t("views.all")}
		value=${here?.id ?? ""} onInput=${show} options=${[
		    ["", t("views.none")], ...views.map(({ id, name, mine, owner }) =>
		    [id, mine ? name : t("views.of", { name, owner })])]} />`}
		${here && (here.mine || can("users.manage")) && html`<${Button}
			kind="quiet" icon="trash-2" busy=${busy} onClick=${remove}
			label=${t("views.delete", { name: here.name })} />`}
		${!here && Object.keys(viewQuery(query)).length > 0 && html`<${Button}
			kind="quiet" icon="bookmark" onClick=${() => setOpen(true)}>
			${t("views.save")}</${Button}>`}
		${open && html`<${Save} screen=${screen} query=${query}
			close=${(done) => { setOpen(false); if (done) load.reload(); }} />`}`;
}
