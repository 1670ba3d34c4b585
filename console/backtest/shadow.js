// SPDX-License-Identifier: ISC
// A shadow: where it comes from, what its rules change, and on which events it
// disagrees.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { Difference } from "../versions/difference.js";
import { href } from "../router.js";
import { can } from "../session.js";
import { useLoad } from "../store.js";
import { exact, t } from "../text.js";
import { Verdict } from "../ui/badge.js";
import { Ends } from "../ui/copy.js";
import { Empty, Loaded } from "../ui/empty.js";
import { Facts, Section } from "../ui/page.js";
import { Table } from "../ui/table.js";
import { Time, ZonedTime } from "../ui/time.js";
import "./text.js";

export function Origin({ shadow }) {
	const { version, author, proposal, startedAt, endedAt } = shadow;
	return html`<${Section}><${Facts} items=${[
	    [t("backtest.version"), html`<code>${version}</code>`],
	    [t("backtest.author"), author],
	    [t("backtest.proposal"), proposal && can("rules.propose") &&
		html`<a href=${href("/proposals/:id", { id: proposal })}>${
		    t("backtest.proposal.open")}</a>` || null],
	    [t("backtest.started"), startedAt && html`<${ZonedTime} at=${startedAt} />`],
	    [t("backtest.ended"), endedAt && html`<${ZonedTime} at=${endedAt} />`],
	]} /></${Section}>`;
}

async function loadTexts(type, version, signal) {
	const path = { eventType: type };
	const versions = await call("GET /v1/rules/{eventType}/versions",
	    { path, signal });
	return Promise.all([versions.find(({ active }) => active).version, version]
	    .map(async (label) => (await call(
		"GET /v1/rules/{eventType}/versions/{version}",
		{ path: { ...path, version: label }, signal })).text));
}

// Changes type version: against what is active.
export function Changes({ type, version }) {
	const load = useLoad((signal) => loadTexts(type, version, signal),
	    [type, version]);
	return html`<${Section} title=${t("backtest.changes")}><${Loaded} load=${load}>${
	    ([before, after]) => html`<${Difference} label=${t("backtest.changes")}
		before=${before} after=${after} />`}</${Loaded}></${Section}>`;
}

const columns = () => [
	{ id: "event", label: t("backtest.event"), main: true, long: true,
	    cell: ({ eventId }) => html`<code><${Ends} text=${exact(eventId)} /></code>` },
	{ id: "at", label: t("backtest.at"), zoned: true, decides: true,
	    cell: ({ decidedAt }) => html`<${Time} at=${decidedAt} />` },
	...["live", "shadow"].map((side) => ({ id: side, label: t(`backtest.${side}`),
	    decides: true, cell: (row) => html`<${Verdict} verdict=${row[side]} />` })),
];

export function Examples({ examples }) {
	return html`<${Section} title=${t("backtest.examples")} class="flush"><${Table}
		label=${t("backtest.examples")} columns=${columns()} rows=${examples}
		keyOf=${({ eventId, decidedAt }) => `${eventId} ${decidedAt}`}
		href=${({ eventId }) => href("/decisions/:id", { id: eventId })}
		empty=${html`<${Empty} title=${t("backtest.examples.none")} />`} />
	</${Section}>`;
}
