// SPDX-License-Identifier: ISC
// The log of decisions with their masked requests: filters, further pages, and what
// arrives now.
import { html, useLayoutEffect, useRef, useState } from
    "../../third_party/preact/preact.js";
import { send } from "../api.js";
import { eventTypes, verdicts } from "../events.js";
import { amount } from "../format.js";
import { useKeys } from "../keys.js";
import { href, setQuery } from "../router.js";
import { useLoad } from "../store.js";
import { exact, t } from "../text.js";
import { Score, Tags, Verdict } from "../ui/badge.js";
import { Cli, Ends, Id } from "../ui/copy.js";
import { Empty, Loaded } from "../ui/empty.js";
import { Filters } from "../ui/filters.js";
import { Button } from "../ui/form.js";
import { Note, Page, Section, useHere } from "../ui/page.js";
import { keep, kept } from "../ui/place.js";
import { Table } from "../ui/table.js";
import { Time, ZonedTime } from "../ui/time.js";
import { useAttempt } from "../ui/toast.js";
import { Views } from "../ui/views.js";
import "./text.js";

const PAGE = 100;
const MOST_AT_ONCE = 200;
const LIVE_MS = 5000;
const MOST_IN_USER = 18;
const FILTER_NAMES = ["userId", "eventType", "verdict", "tag", "minScore", "maxScore",
    "since", "until"];

const fields = () => [
	{ name: "userId", label: t("decisions.user"), kind: "text" },
	{ name: "eventType", label: t("decisions.type"), kind: "choice",
	    options: eventTypes.map((type) => [type, type]) },
	{ name: "verdict", label: t("decisions.verdict"), kind: "choice",
	    options: verdicts.map((one) => [one, t(`verdict.${one}`)]) },
	{ name: "tag", label: t("decisions.tag"), kind: "text" },
	{ name: "since", label: t("decisions.since"), kind: "time" },
	{ name: "until", label: t("decisions.until"), kind: "time" },
	{ name: "minScore", label: t("decisions.minScore"), kind: "number", min: 0,
	    max: 100 },
	{ name: "maxScore", label: t("decisions.maxScore"), kind: "number", min: 0,
	    max: 100 },
];

const FIRST_FIELDS = 3;

const columns = () => [
	{ id: "time", label: t("time"), zoned: true, decides: true,
	    cell: ({ decidedAt }) => html`<${Time} at=${decidedAt} />` },
	{ id: "event", label: t("decisions.event"), main: true, long: true,
	    cell: ({ eventId }) => html`<code><${Ends} text=${exact(eventId)} /></code>` },
	{ id: "type", label: t("decisions.type"), long: true,
	    cell: ({ eventType }) => html`<${Ends} text=${eventType} />` },
	{ id: "user", label: t("decisions.user"), long: true, cell: ({ request }) =>
	    html`<${Id} id=${request.subject.userId} href=${href("/decisions", {},
		{ userId: request.subject.userId })} most=${MOST_IN_USER} />` },
	{ id: "amount", label: t("decisions.amount"), align: "end", decides: true,
	    cell: ({ request }) => amount(request.amount, request.currency) },
	{ id: "verdict", label: t("decisions.verdict"), decides: true,
	    cell: ({ verdict }) => html`<${Verdict} verdict=${verdict} />` },
	{ id: "score", label: t("decisions.score"), decides: true,
	    cell: ({ score, verdict }) => html`<${Score} ...${{ score, verdict }} />` },
	{ id: "tags", label: t("decisions.tags"), long: true, cell: ({ reasons }) =>
	    html`<${Tags} tags=${reasons.map(({ tag }) => tag)} />` },
];

function wanted(query) {
	return Object.fromEntries(FILTER_NAMES.map((name) => [name, query[name]]));
}

async function page(query, before, signal, limit = PAGE) {
	const { data, headers } = await send("GET /v1/activity",
	    { query: { ...wanted(query), before, limit }, signal });
	return { rows: data, full: data.length === limit,
	    until: headers.get("assay-read-until") };
}

// usePages QUERY LIVE: the newest page, which live loads again and again, and the
// older ones that were asked for.  The way back loads as many again as one request gives.
function usePages(query, live) {
	const list = JSON.stringify(wanted(query));
	const [first] = useState(() => Math.min(kept("rows") ?? PAGE, MOST_AT_ONCE));
	const load = useLoad((signal) => page(query, null, signal, first), [list, live],
	    { every: live ? LIVE_MS : 0, keep: list });
	const [older, setOlder] = useState([]);
	const [busy, attempt] = useAttempt({ reads: true });
	useLayoutEffect(() => setOlder([]), [list, live]);
	const pages = [...load.data ? [load.data] : [], ...older];
	const last = pages.at(-1);
	const here = useHere(), shown = useRef(null);
	shown.current = list;
	async function more() {
		const next = await attempt(() => page(query, last.rows.at(-1).id));
		if (next && here() && shown.current === list) {
			setOlder([...older, next]);
			keep("rows", (pages.length + 1) * PAGE);
		}
	}
	return { load, last, busy, more: last?.full ? more : null,
	    rows: pages.flatMap(({ rows }) => rows)
		.filter(({ mode }) => mode === "live") };
}

function cliOptions(query) {
	return { user: query.userId, type: query.eventType, verdict: query.verdict,
	    tag: query.tag, "min-score": query.minScore,
	    "max-score": query.maxScore, since: query.since, until: query.until };
}

function Cut({ last }) {
	return html`<${Note} actions=${html`<${Button} onClick=${() =>
	    setQuery({ until: last.until })}>${t("decisions.goOn")}</${Button}>`}>
		${t("decisions.cut")} <${ZonedTime} at=${last.until} /></${Note}>`;
}

export default function Decisions({ query }) {
	const live = query.live === "1";
	const { load, rows, last, more, busy } = usePages(query, live);
	const toggle = () => setQuery({ live: live ? null : "1" });
	useKeys({ "decisions.live": toggle, "decisions.reload": load.reload });
	return html`<${Page} title=${t("nav.decisions")} actions=${html`
		<${Cli} words="activity" options=${cliOptions(query)} />
		<${Button} icon="refresh-cw" command="decisions.reload"
			busy=${load.loading && !live} onClick=${load.reload}>
			${t("decisions.reload")}</${Button}>
		<${Button} aria-pressed=${live ? "true" : "false"}
			class=${live ? "live" : ""} command="decisions.live"
			onClick=${toggle}>${t("decisions.live")}</${Button}>`}>
		<${Filters} label=${t("decisions.filters")} fields=${fields()}
			query=${query} first=${FIRST_FIELDS} end=${html`<${Views} screen="decisions"
			address="/decisions" query=${query} />`} />
		<${Section} class="flush"><${Loaded} load=${load} lines=${12}>${() =>
		    html`<${Table} label=${t("nav.decisions")} columns=${columns()}
			rows=${rows} keyOf=${({ id }) => id}
			href=${({ eventId }) => href("/decisions/:id", { id: eventId })}
			more=${more && !live ? { load: more, busy } : undefined}
			empty=${html`<${Empty} icon="scroll-text"
				title=${t("decisions.none")}>
				${t("decisions.none.text")}</${Empty}>`} />`}
		</${Loaded}></${Section}>
		${last?.until && !last.full && html`<${Cut} last=${last} />`}
		<p class="hidden" role="status">${load.data && !load.kept && !live &&
		    t("decisions.count", { n: rows.length })}</p>
	</${Page}>`;
}
