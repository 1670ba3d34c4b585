// SPDX-License-Identifier: ISC
// The queues as tiles: how much waits, since when, and what is late.
import { html, useEffect, useRef } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { number } from "../format.js";
import { href } from "../router.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Badge } from "../ui/badge.js";
import { known, LoadNote } from "../ui/empty.js";
import { Age } from "../ui/time.js";
import { total } from "./query.js";

function Detail({ row }) {
	return html`${row.oldestAt === null ? t("queue.empty") :
	    html`${t("queue.oldest")} <${Age} at=${row.oldestAt} />`}
		${row.mine > 0 && html` · ${t("queue.mine", { n: row.mine })}`}`;
}

// row is undefined as long as the figures are not known; the tile keeps its size.
function Tile({ queue, row, error, query }) {
	const here = (query.queue ?? null) === queue;
	return html`<li><a class="tile" aria-current=${here ? "page" : undefined}
		href=${href("/cases", {}, { ...query, queue, after: null })}>
		<span class="name">${queue ?? t("queue.all")}</span>
		<span class="count"><b>${known({ data: row, error },
		    ({ open }) => number(open))}</b> ${t("queue.waiting")}</span>
		<span class="detail">${row ? html`<${Detail} row=${row} />` :
		    "\u00a0"}</span>
		${row?.breached > 0 && html`<${Badge} tone="bad">${t("queue.late",
		    { n: row.breached })}</${Badge}>`}</a></li>`;
}

// The tiles { queue, row }: all queues, and each if there are several.
function tilesOf(queues, { queue }) {
	if (queues === undefined)
		return [null, ...queue ? [queue] : []].map((name) =>
		    ({ queue: name }));
	const rows = [total(queues), ...queues.length === 1 && !queue ? [] : queues];
	return rows.map((row) => ({ queue: row.queue, row }));
}

// at: when the list was loaded; the counts are loaded with it.
export function Queues({ query, at }) {
	const load = useLoad((signal) => call("GET /v1/queues", { signal }), []);
	const before = useRef(0);
	useEffect(() => {
		if (before.current > 0)
			load.reload();
		before.current = at;
	}, [at]);
	const { data, error } = load;
	return html`<nav aria-label=${t("queue.queues")}><ul class="tiles">${tilesOf(
	    data?.queues, query).map((tile) => html`<${Tile} key=${tile.queue}
		...${tile} error=${error} query=${query} />`)}</ul></nav>
	<${LoadNote} load=${load} part=${t("queue.queues")} />`;
}
