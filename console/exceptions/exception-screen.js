// SPDX-License-Identifier: ISC
// One exception, and the newest decisions that it acted on.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { number } from "../format.js";
import { href } from "../router.js";
import { can } from "../session.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Verdict } from "../ui/badge.js";
import { useChange } from "../ui/change.js";
import { Cli, Id } from "../ui/copy.js";
import { Empty, Loaded } from "../ui/empty.js";
import { Button } from "../ui/form.js";
import { Facts, Page, Section } from "../ui/page.js";
import { Table } from "../ui/table.js";
import { Time, ZonedTime } from "../ui/time.js";
import { Silenced, State, Whom } from "./screen.js";
import "./text.js";

const columns = () => [
	{ id: "event", label: t("exceptions.event"), main: true, cell: ({ eventId }) =>
	    html`<${Id} id=${eventId} href=${href("/decisions/:id",
		{ id: eventId })} />` },
	{ id: "at", zoned: true, label: t("exceptions.at"), cell: ({ decidedAt }) =>
	    html`<${Time} at=${decidedAt} />` },
	{ id: "verdict", label: t("exceptions.verdict"), cell: ({ verdict }) =>
	    html`<${Verdict} verdict=${verdict} />` },
	{ id: "without", label: t("exceptions.without"), cell: ({ verdictWithout }) =>
	    html`<${Verdict} verdict=${verdictWithout} />` },
];

const facts = (one) => [
	[t("exceptions.kind"), html`<${Silenced} exception=${one} />`],
	[t("exceptions.type"), one.eventType ?? t("exceptions.type.all")],
	[t("exceptions.for"), html`<${Whom} exception=${one} />`],
	[t("exceptions.state"), html`<${State} state=${one.state} />`],
	[t("exceptions.reason"), one.reason],
	[t("exceptions.by"), one.createdBy],
	[t("exceptions.from"), html`<${ZonedTime} at=${one.createdAt} />`],
	[t("exceptions.until"), html`<${ZonedTime} at=${one.endedAt ??
	    one.expiresAt} />`],
	...one.endedBy === null ? [] : [[t("exceptions.over"), one.endedBy]],
	[t("exceptions.decisions"), number(one.decisions)],
	[t("exceptions.changed"), number(one.changed)],
];

// The command that ends it, and its button.
function End({ id, busy, end }) {
	return html`<${Cli} words="exceptions end" operands=${[id]} />
		<${Button} icon="x" busy=${busy} onClick=${end}>
			${t("exceptions.end")}</${Button}>`;
}

export default function Exception({ params: { id } }) {
	const load = useLoad((signal) => call("GET /v1/exceptions/{id}",
	    { path: { id }, signal }), [id]);
	const [busy, change] = useChange();
	const { name, state } = load.data?.exception ?? {};
	async function end() {
		if (await change({ subject: null, path: { id },
		    operation: "POST /v1/exceptions/{id}/end",
		    done: t("exceptions.over.done") }))
			load.reload();
	}
	return html`<${Page} lead=${id}
		title=${name === undefined ? id : t("exceptions.one", { name })}
		crumbs=${[[t("nav.exceptions"), href("/exceptions")]]}
		actions=${state === "active" && can("lists.write") ?
		    html`<${End} id=${id} busy=${busy} end=${end} />` :
		    html`<${Cli} words="exceptions show" operands=${[id]} />`}>
		<${Loaded} load=${load} lines=${8}>${({ exception, uses }) => html`
			<${Section}><${Facts} items=${facts(exception)} /></${Section}>
			<${Section} title=${t("exceptions.uses")} class="flush"><${Table}
				label=${t("exceptions.uses")} rows=${uses}
				keyOf=${({ eventId, decidedAt }) => `${eventId} ${decidedAt}`}
				columns=${columns()} empty=${html`<${Empty} icon="clock"
					title=${t("exceptions.uses.none")} />`} /></${Section}>`
		}</${Loaded}></${Page}>`;
}
