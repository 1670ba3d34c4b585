// SPDX-License-Identifier: ISC
// The queues as tiles: how much waits, since when, and what is late.
import { html, useEffect, useRef } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { number } from "../format.js";
import { href } from "../router.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Badge } from "../ui/badge.js";
import { Age } from "../ui/time.js";
import { total } from "./query.js";

function Tile({ row, query }) {
	const { queue } = row;
	const here = (query.queue ?? null) === queue;
	return html`<li><a class="tile" aria-current=${here ? "page" : undefined}
		href=${href("/cases", {}, { ...query, queue, after: null })}>
		<span class="name">${queue ?? t("queue.all")}</span>
		<span class="count"><b>${number(row.open)}</b> ${t("queue.waiting")}</span>
		<span class="detail">${row.oldestAt === null ? t("queue.empty") :
		    html`${t("queue.oldest")} <${Age} at=${row.oldestAt} />`}
			${row.mine > 0 && html` · ${t("queue.mine", { n: row.mine })}`}
		</span>
		${row.breached > 0 && html`<${Badge} tone="bad">${t("queue.late",
		    { n: row.breached })}</${Badge}>`}</a></li>`;
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
	const rows = load.data?.queues ?? [];
	const tiles = rows.length === 1 && !query.queue ? [total(rows)] :
	    [total(rows), ...rows];
	return html`<nav aria-label=${t("queue.queues")}><ul class="tiles">${tiles.map(
	    (row) => html`<${Tile} key=${row.queue} row=${row} query=${query} />`)}
	</ul></nav>`;
}
