// SPDX-License-Identifier: ISC
// The list entries that name an entity, and new ones.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { EntryDialog } from "../lists/entry.js";
import { KIND_TONES } from "../lists/words.js";
import { can } from "../session.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import "../text/entity.js";
import { Badge } from "../ui/badge.js";
import { changeLabel } from "../ui/change.js";
import { Loaded } from "../ui/empty.js";
import { Button } from "../ui/form.js";
import { Section } from "../ui/page.js";
import { Time } from "../ui/time.js";
import { useKeys } from "../keys.js";

const OFFERED = ["block", "watch"];

export function Listed({ subject, value }) {
	const load = useLoad((signal) => call("POST /v1/lists/search",
	    { body: { subject, value }, signal }), [subject, value]);
	const [open, setOpen] = useState(null);
	const may = can("lists.write");
	useKeys(Object.fromEntries(OFFERED.map((kind) =>
	    [`case.${kind}`, may && (() => setOpen(kind))])));
	return html`<${Section} title=${t("entity.lists")} actions=${may &&
	    OFFERED.map((kind) => html`<${Button} key=${kind}
		command=${`case.${kind}`} onClick=${() => setOpen(kind)}>
		${changeLabel("lists", t(`cases.${kind}`))}</${Button}>`)}>
		<${Loaded} load=${load} lines=${2}>${(entries) => entries.length === 0 ?
		    html`<p class="muted">${t("entity.unlisted")}</p>` :
		    html`<ul class="plain-list">${entries.map((entry) => html`<li
			key=${entry.id}><${Badge} tone=${KIND_TONES[entry.kind]}>
			${t(`kind.${entry.kind}`)}</${Badge}> ${entry.reason ?? ""}
			<span class="muted"> ${entry.createdBy}
			${entry.expiresAt && html`, ${t("lists.until")} <${Time}
				at=${entry.expiresAt} />`}</span></li>`)}</ul>`}
		</${Loaded}>
		${open && html`<${EntryDialog} kind=${open} subject=${subject}
			value=${value} onClose=${() => setOpen(null)} onDone=${() => {
			    setOpen(null);
			    load.reload();
			}} />`}</${Section}>`;
}
