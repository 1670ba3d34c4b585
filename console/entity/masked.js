// SPDX-License-Identifier: ISC
// Ids of entities on the page.  Addresses and phone numbers are masked until the
// operator shows one: the service writes that into the audit trail, and then it stays
// shown in this window until it closes or is loaded again.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import "../lists/text.js";
import { signal, useSignal } from "../store.js";
import { exact, t } from "../text.js";
import { Copy, Ends } from "../ui/copy.js";
import { Button } from "../ui/form.js";
import { useAttempt } from "../ui/toast.js";
import { masked } from "./masks.js";
import "./text.js";

const HIDDEN = new Set(["ip", "phone"]);
const shown = signal(new Set());
const keyOf = (kind, id) => `${kind} ${id}`;

// useNames(): { hides(KIND, ID), nameOf(KIND, ID) }: whether an id is masked now, and
// the text that the page may show of it.
export function useNames() {
	const revealed = useSignal(shown);
	const hides = (kind, id) => HIDDEN.has(kind) && !revealed.has(keyOf(kind, id));
	return { hides, nameOf: (kind, id) =>
	    exact(hides(kind, id) ? masked(kind, id) : id) };
}

// Show kind id: the button that shows a masked id, or nothing; user is on whose page.
export function Show({ kind, id, user = null }) {
	const { hides, nameOf } = useNames();
	const [busy, attempt] = useAttempt({ reads: true });
	async function show({ currentTarget }) {
		const place = currentTarget.closest(".id, tr, form");
		if (!await attempt(() => call("POST /v1/graph/reveal", { body: {
		    subject: kind, value: id.split("/")[0], userId: user } })))
			return;
		shown.value = new Set([...shown.value, keyOf(kind, id)]);
		// The button is gone then; what has the focus instead names the id.
		setTimeout(() => place?.querySelector("a, select, button")?.focus(), 0);
	}
	return hides(kind, id) && html`<${Button}
		kind="quiet" class="short" busy=${busy} onClick=${show}
		label=${t("entity.show.what", { kind: t(`subject.${kind}`),
		    id: nameOf(kind, id) })}>${t("entity.show")}</${Button}>`;
}

// Name kind id: an id, with what shows or copies it.  href makes it a link to the page
// that copies it.
export function Name({ kind, id, user, href, class: more }) {
	const { hides, nameOf } = useNames();
	const code = html`<code><${Ends} text=${nameOf(kind, id)} most=${Infinity} />
		</code>`;
	return html`<span class="id">${href ? html`<a class=${more} href=${href}>
		${code}</a>` : code}${hides(kind, id) ? html`<${Show} kind=${kind} id=${id}
		user=${user} />` : !href && html`<${Copy} text=${id} />`}</span>`;
}
