// SPDX-License-Identifier: ISC
// The audit trail: who changed what, and what was refused.
import { html, useLayoutEffect, useRef, useState } from
    "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Badge } from "../ui/badge.js";
import { Cli, Ends } from "../ui/copy.js";
import { Empty, Loaded } from "../ui/empty.js";
import { Filters } from "../ui/filters.js";
import { Page, Section } from "../ui/page.js";
import { Table } from "../ui/table.js";
import { Time } from "../ui/time.js";
import { useAttempt } from "../ui/toast.js";
import { sentenceOf } from "./sentence.js";
import "./text.js";

const PAGE = 100;
const MOST_IN_EMAIL = 28;
const MOST_IN_CODE = 34;

const fields = () => [
	{ name: "contains", label: t("audit.contains"), kind: "text", maxlength: 256,
	    hint: t("audit.contains.hint") },
	{ name: "since", label: t("audit.since"), kind: "time" },
	{ name: "until", label: t("audit.until"), kind: "time" },
];

// Where the next page begins; null after the last one.  A search with filters may
// end before it has filled a page.
function nextOf(page) {
	return page?.next ?? (page?.entries.length === PAGE ?
	    page.entries.at(-1).id : null);
}

function Status({ status }) {
	return html`<${Badge} tone=${status < 400 ? "good" : "bad"}>${
	    status}</${Badge}>`;
}

function Params({ params }) {
	const text = JSON.stringify(params);
	return text === "{}" ? null : html`<details class="params">
		<summary><code><${Ends} text=${text} most=${MOST_IN_CODE} />
			</code></summary>
		<pre class="preview" tabindex="0">${
		    JSON.stringify(params, null, 2)}</pre></details>`;
}

const columns = () => [
	{ id: "at", label: t("time"), zoned: true, decides: true,
	    cell: ({ at }) => html`<${Time} at=${at} />` },
	{ id: "actor", label: t("audit.actor"), decides: true,
	    cell: ({ actor, role }) => html`<${Ends} text=${actor}
		most=${MOST_IN_EMAIL} /> <span class="muted">${
		role}</span>` },
	{ id: "action", label: t("audit.action"), main: true, long: true,
	    cell: (entry) => html`<span title=${entry.action}>${sentenceOf(entry)}
		</span>` },
	{ id: "status", label: t("audit.status"), decides: true,
	    cell: ({ status }) => html`<${Status} status=${status} />` },
	{ id: "params", label: t("audit.params"), long: true,
	    cell: ({ params }) => html`<${Params} params=${params} />` },
];

export default function Audit({ query: { actor, action, contains, since, until } }) {
	const query = { actor, action, contains, since, until };
	const key = JSON.stringify(query);
	const load = useLoad((signal) => call("GET /v1/audit",
	    { query: { ...query, limit: PAGE }, signal }), [key], { keep: true });
	const [older, setOlder] = useState([]);
	const [busy, attempt] = useAttempt({ reads: true });
	useLayoutEffect(() => setOlder([]), [key, load.at]);
	const pages = load.data ? [load.data, ...older] : [];
	const entries = pages.flatMap((page) => page.entries);
	const next = nextOf(pages.at(-1));
	const shown = useRef(null);
	shown.current = key;
	async function more() {
		const page = await attempt(() => call("GET /v1/audit",
		    { query: { ...query, limit: PAGE, before: next } }));
		if (page && shown.current === key)
			setOlder([...older, page]);
	}
	return html`<${Page} title=${t("nav.audit")} lead=${t("audit.lead")}
		actions=${html`<${Cli} words="audit" options=${query} />`}>
		<${Filters} label=${t("audit.filters")} fields=${fields()}
			query=${query} />
		<${Section} class="flush"><${Loaded} load=${load}>${() => html`<${Table}
			label=${t("nav.audit")} rows=${entries} columns=${columns()}
			keyOf=${({ id }) => id} more=${next && { load: more, busy }}
			empty=${html`<${Empty} icon="scroll-text"
			title=${t("audit.none")} />`} />`}</${Loaded}></${Section}>
	</${Page}>`;
}
