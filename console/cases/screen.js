// SPDX-License-Identifier: ISC
// The queue: cases that wait for an analyst, what each is about, and the next one.
import { html, useEffect, useMemo, useRef, useState } from
    "../../third_party/preact/preact.js";
import { eventTypes } from "../events.js";
import { amount } from "../format.js";
import { useDrawn } from "../hold.js";
import { useKeys } from "../keys.js";
import { href, setQuery } from "../router.js";
import { can } from "../session.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Score, Tags, Verdict } from "../ui/badge.js";
import { Clis } from "../ui/clis.js";
import { Ends } from "../ui/copy.js";
import { Empty, Loaded } from "../ui/empty.js";
import { Filters } from "../ui/filters.js";
import { Button, Choice, LinkButton, Select } from "../ui/form.js";
import { NARROW, Note, Page, Section, useMedia } from "../ui/page.js";
import { keep, kept } from "../ui/place.js";
import { Table } from "../ui/table.js";
import { Age } from "../ui/time.js";
import { useAttempt } from "../ui/toast.js";
import { Views } from "../ui/views.js";
import { openNext, take } from "./actions.js";
import { Due, mine, Owner, State } from "./badges.js";
import { Bulk } from "./bulk.js";
import { caseLines, nextLine } from "./commands.js";
import { PAUSE_MS, Preview, useWide } from "./preview.js";
import { caseQuery, cliOptions, orderOf, orders, stateOf, states } from
    "./query.js";
import { Queues } from "./queue-tiles.js";
import { casesOf, PAGE, prefetch, unchanged, worklist } from "./worklist.js";

const EVERY_MS = 15000;
const MOST = 500;
const MOST_IN_QUEUE = 10;
const MOST_IN_EMAIL = 16;

const fields = () => [
	{ name: "eventType", label: t("queue.type"), kind: "choice",
	    options: eventTypes.map((type) => [type, type]) },
	{ name: "tag", label: t("queue.tag"), kind: "text" },
	{ name: "minScore", label: t("queue.minScore"), kind: "number", min: 0,
	    max: 100 },
	{ name: "minAmount", label: t("queue.minAmount"), kind: "number", min: 0 },
	{ name: "maxAmount", label: t("queue.maxAmount"), kind: "number", min: 0 },
	{ name: "currency", label: t("queue.currency"), kind: "text", maxlength: 3 },
	{ name: "assignee", label: t("queue.assignee"), kind: "text" },
	{ name: "userId", label: t("queue.user"), kind: "text" },
	{ name: "openedAfter", label: t("queue.openedAfter"), kind: "time" },
	{ name: "openedBefore", label: t("queue.openedBefore"), kind: "time" },
];
const FIRST_FIELDS = 1;

// What an analyst does with a card, without keys.
function Acts({ row, reload }) {
	const [busy, attempt] = useAttempt();
	const free = can("cases.work") && row.status !== "resolved" && !mine(row);
	return html`<div class="buttons"><${LinkButton} href=${addressOf(row)}>
		${t("queue.open")}</${LinkButton}>
		${free && html`<${Button} busy=${busy}
			onClick=${() => take(attempt, row, reload)}>${t("cases.take")}
		</${Button}>`}</div>`;
}

const addressOf = ({ id }) => href("/cases/:id", { id });

const waits = (query) => stateOf(query) === "waiting";

// Columns that would be the same in each row are left out, but for the verdict of a
// card.  reload: the list is shown as cards, which have buttons.
const columnsOf = (query, due, several, reload) => [
	...reload ? [{ id: "verdict", label: t("queue.verdict"), decides: true,
	    cell: ({ verdict }) => html`<${Verdict} verdict=${verdict} />` }] : [],
	{ id: "score", label: t("queue.score"), decides: true,
	    cell: (row) => html`<${Score} ...${row} />` },
	{ id: "event", label: t("queue.event"), main: true, long: true,
	    cell: ({ eventType, eventId }) => html`<${Ends}
		text=${eventType ?? eventId} />` },
	{ id: "amount", label: t("queue.amount"), align: "end", decides: true,
	    cell: (row) => amount(row.amount, row.currency) },
	{ id: "tags", label: t("queue.tags"), long: true, spare: !waits(query),
	    cell: ({ tags }) => html`<${Tags} tags=${tags} />` },
	{ id: "age", decides: true, label: t(due ? "queue.due" : "queue.age"),
	    cell: ({ openedAt, dueAt }) => dueAt === null ?
		html`<${Age} at=${openedAt} />` : html`<${Due} at=${dueAt} />` },
	...waits(query) ? [] : [{ id: "state", label: t("queue.state"), decides: true,
	    cell: (row) => html`<div class="state"><${State} row=${row} />
		<small><${Owner} email=${row.assignedTo} most=${MOST_IN_EMAIL} />
		</small></div>` }],
	...several ? [{ id: "queue", label: t("queue.queue"), decides: true,
	    cell: ({ queue }) => html`<code><${Ends} text=${queue}
		most=${MOST_IN_QUEUE} /></code>` }] : [],
	...reload ? [{ id: "acts", label: "", cell: (row) => html`<${Acts}
	    ...${{ row, reload }} />` }] : [],
];

function Bar({ query }) {
	return html`<${Filters} label=${t("queue.filters")} query=${query}
		fields=${fields()} first=${FIRST_FIELDS} end=${html`<${Views}
			screen="cases" address="/cases" query=${query} />`}>
		<${Choice} label=${t("queue.state")} value=${stateOf(query)}
			options=${states.map((one) => [one, t(`queue.is.${one}`)])}
			onInput=${(state) => setQuery({ state, order: null,
			    after: null })} />
		<${Select} label=${t("queue.order")} value=${orderOf(query)}
			options=${orders.map((one) => [one, t(`queue.order.${one}`)])}
			onInput=${(order) => setQuery({ order, after: null })} />
	</${Filters}>`;
}

// The rows that the analyst marks end when they leave the list, or with the list.
function useMarks(rows, list) {
	const [marks, setMarks] = useState({ list });
	const { chosen = [], last = null } = marks.list === list ? marks : {};
	const ids = new Set(rows.map(({ id }) => id));
	return { chosen: new Set([...chosen].filter((id) => ids.has(id))), last,
	    onChange: (change) => setMarks({ list, ...change }) };
}

function useRows(query, limit) {
	const list = JSON.stringify(caseQuery(query, 0));
	const load = useLoad(async (signal) => {
		const { data, headers } = await casesOf(query, limit, signal);
		return { rows: unchanged(data),
		    until: headers.get("assay-read-until") };
	}, [list, limit], { every: EVERY_MS, keep: list });
	const rows = load.data?.rows ?? [];
	useEffect(() => {
		worklist.value = { query, rows };
	}, [load.data]);
	return { list, load, rows };
}

// useCurrent ROWS LIST KEPT: [row, choose]: the row that keys mean, at first the first
// one.  It stays that row when others come above it.  If it leaves the list, the one
// that takes its place follows.  kept: the rows are still those of another list.
function useCurrent(rows, list, kept) {
	const [current, choose] = useState(null);
	const place = useRef({ at: 0 });
	const before = place.current.list === list ? place.current : { at: 0 };
	const found = [current?.id, before.id].map((one) => rows.findIndex(({ id }) =>
	    id === one)).find((at) => at >= 0);
	const at = found ?? Math.max(0, Math.min(before.at, rows.length - 1));
	const row = rows[at];
	place.current = { list, at, id: kept ? undefined : row?.id };
	useDrawn(row?.id);
	return [row, choose];
}

function Rows({ query, data, marks, limit, setLimit, busy, current, setCurrent,
    reload }) {
	const { rows, until } = data;
	const due = rows.some(({ dueAt }) => dueAt !== null);
	const several = rows.some(({ queue }) => queue !== rows[0].queue);
	const cards = useMedia(NARROW) && reload;
	const columns = useMemo(() => columnsOf(query, due, several, cards),
	    [query, due, several, cards]);
	return html`<${Table} label=${t("nav.queue")} columns=${columns}
		rows=${rows} keyOf=${({ id }) => id} current=${current?.id}
		href=${addressOf} selection=${can("cases.work") ? marks : undefined}
		onCurrent=${setCurrent}
		more=${rows.length === limit && limit < MOST ? { busy,
		    load: () => setLimit(Math.min(MOST, limit + PAGE)) } : undefined}
		empty=${html`<${Empty} title=${t("queue.none")}>
			${t("queue.none.text")}</${Empty}>`} />
		${rows.length < limit && until && html`<${Note} actions=${html`<${Button}
			onClick=${() => setQuery({ after: until })}>${t("queue.goOn")}
		</${Button}>`}>${t("queue.cut")}</${Note}>`}
		${rows.length >= MOST && html`<${Note}>${t("queue.most",
		    { n: MOST })}</${Note}>`}`;
}

// Load what the analyst will most likely open next: the case of this row, and once
// the screen that shows it.
function usePrefetch(row) {
	useEffect(() => {
		const timer = row && setTimeout(() => {
			import("./case-screen.js").catch(() => {});
			prefetch(row);
		}, PAUSE_MS);
		return () => clearTimeout(timer);
	}, [row?.id]);
}

// The commands of the list, of the next case, and of the row that "take" means.
function linesOf(query, shown) {
	return [{ name: t("nav.queue"), words: "cases list",
	    options: cliOptions(query) },
	...shown === undefined ? [] : [
	    { name: t("queue.next"), ...nextLine(query) },
	    { name: t("cases.take"), ...caseLines.take(shown.id) }]];
}

export default function Queue({ query }) {
	const [limit, setLimit] = useState(() => kept("limit") ?? PAGE);
	useEffect(() => keep("limit", limit), [limit, query]);
	const { list, load, rows } = useRows(query, limit);
	const [shown, setCurrent] = useCurrent(rows, list, load.kept);
	const marks = useMarks(rows, list);
	const [busy, attempt] = useAttempt();
	const wide = useWide();
	const work = can("cases.work");
	const next = () => openNext(attempt, query);
	usePrefetch(shown);
	useKeys({
		"case.next": work && next,
		"case.take": work && shown && (() => take(attempt, shown, load.reload)),
	});
	return html`<${Page} title=${t("nav.queue")} actions=${html`
		<${Clis} lines=${linesOf(query, work ? shown : undefined)} />
		${work && html`<${Button} kind="primary" busy=${busy} icon="arrow-right"
			command="case.next" onClick=${next}>${t("queue.next")}
		</${Button}>`}`}>
		<${Queues} query=${query} at=${load.at} />
		<${Bar} query=${query} />
		${work && html`<${Bulk} marks=${marks} rows=${rows} shown=${shown}
			reload=${load.reload} />`}
		<div class=${wide && shown ? "split-view" : ""}>
			<${Section} class="flush"><${Loaded} load=${load} lines=${12} awaited>
				${(data) => html`<${Rows} ...${{ query, data, marks, limit,
				    setLimit, current: shown, setCurrent,
				    busy: load.loading, reload: load.reload }} />`}
			</${Loaded}></${Section}>
			${wide && shown && html`<${Preview} row=${shown} />`}
		</div>
		<p class="hidden" role="status">${load.data && !load.kept && t("queue.count",
		    { n: rows.length })}</p>
	</${Page}>`;
}

