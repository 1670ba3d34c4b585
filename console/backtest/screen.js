// SPDX-License-Identifier: ISC
// Backtests on recorded samples, and shadows beside live decisions.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { number, percent } from "../format.js";
import { href, setQuery } from "../router.js";
import { can } from "../session.js";
import { useLoad, useSignal } from "../store.js";
import { t } from "../text.js";
import { Badge } from "../ui/badge.js";
import { Cli } from "../ui/copy.js";
import { Empty, Loaded, Problem } from "../ui/empty.js";
import { Button } from "../ui/form.js";
import { Page, Section, Tabs } from "../ui/page.js";
import { Table } from "../ui/table.js";
import { Time, ZonedTime } from "../ui/time.js";
import { useAttempt } from "../ui/toast.js";
import { Candidate } from "./candidate.js";
import { Result } from "./result.js";
import { dropRun, runs, stopRun } from "./runs.js";
import "./text.js";

const EVERY_MS = 2000;
const SHADOWS_MS = 10000;

function Progress({ samples, of }) {
	const share = of > 0 ? Math.min(1, samples / of) : 0;
	return html`<span class="progress"><progress max="1" value=${share}
		aria-label=${t("backtest.progress")}></progress>
		${t("backtest.samples.of", { n: samples, of })}</span>`;
}

const runningColumns = () => [
	{ id: "type", label: t("backtest.type"), main: true,
	    cell: (row) => row.eventType },
	{ id: "progress", label: t("backtest.progress"),
	    cell: (row) => html`<${Progress} ...${row} />` },
	{ id: "seconds", label: t("backtest.seconds"), align: "end",
	    cell: (row) => number(Math.round(row.seconds)) },
	{ id: "cancel", label: html`<span class="hidden">${t("backtest.cancel")}
		</span>`, align: "end", cell: (row) => html`<${Cancel} id=${row.id} />` },
];

const keptColumns = () => [
	{ id: "type", label: t("backtest.type"), main: true,
	    cell: (row) => row.eventType },
	{ id: "at", zoned: true, label: t("backtest.finished"),
	    cell: (row) => html`<${Time} at=${row.finishedAt} />` },
	{ id: "author", label: t("backtest.author"), cell: (row) => row.author },
	{ id: "samples", label: t("backtest.size"), align: "end",
	    cell: (row) => number(row.sampleSize) },
];

function Cancel({ id }) {
	const [busy, attempt] = useAttempt();
	return html`<${Cli} words="backtests cancel" operands=${[id]} />
	<${Button} kind="quiet" busy=${busy} onClick=${() => attempt(() =>
	    call("POST /v1/backtest/{id}/cancel", { path: { id } }),
	    { done: t("backtest.cancelled") })}>${t("backtest.cancel")}</${Button}>`;
}

// The backtests that the answering host runs, and the results that the service keeps,
// of all operators.
function Others() {
	const load = useLoad((signal) => call("GET /v1/backtest", { signal }), [],
	    { every: EVERY_MS });
	return html`<${Loaded} load=${load} lines=${2}>${({ running, kept }) => html`
	${running.length > 0 && html`<${Section} class="flush"
		title=${t("backtest.running")}><${Table} label=${t("backtest.running")}
			rows=${running} columns=${runningColumns()}
			keyOf=${(row) => row.id} /></${Section}>`}
	${kept.length > 0 && html`<${Section} title=${t("backtest.kept")}
		class="flush" actions=${html`<${Cli} words="backtests list" />`}>
		<${Table} label=${t("backtest.kept")} rows=${kept}
			columns=${keptColumns()} keyOf=${(row) => row.id}
			href=${(row) => href("/backtests/:id", { id: row.id })}
		/></${Section}>`}`}</${Loaded}>`;
}

function Run({ run }) {
	const { result, error, request } = run;
	return html`<${Section} title=${t("backtest.run", { type: request.eventType,
	    title: run.title })} actions=${html`<span class="muted">
		<${ZonedTime} at=${run.at} />${result && ` · ${t("backtest.done", {
		    n: result.sampleSize, labeled: result.labeled,
		    seconds: Number(result.seconds.toFixed(1)) })}`}</span>
		${result === null && error === null ?
		    html`<${Button} icon="x" onClick=${() => stopRun(run.id)}>
			${t("backtest.cancel")}</${Button}>` :
		    html`<${Button} kind="quiet" icon="x" label=${t("backtest.drop")}
			onClick=${() => dropRun(run.id)} />`}`}>
		${error && html`<${Problem} error=${error} />`}
		${result && html`<${Result} result=${result}
			request=${run.request} />`}
		${!result && !error && html`<p role="status">${t("backtest.waiting")}</p>`}
	</${Section}>`;
}

function Backtests({ query }) {
	const mine = useSignal(runs);
	return html`<${Section} title=${t("backtest.new")}><${Candidate}
		type=${query.type} setType=${(type) => setQuery({ type })}
		onStart=${() => {}} /></${Section}>
	${mine.map((run) => html`<${Run} key=${run.id} run=${run} />`)}
	${mine.length === 0 && html`<${Empty} icon="flask-conical"
		title=${t("backtest.none")}>${t("backtest.none.text")}</${Empty}>`}
	<${Others} />`;
}

const shadowColumns = () => [
	{ id: "type", label: t("backtest.type"), main: true,
	    cell: (row) => row.eventType },
	{ id: "kind", label: t("backtest.kind"),
	    cell: (row) => t(`backtest.kind.${row.kind}`) },
	{ id: "version", label: t("backtest.version"),
	    cell: (row) => html`<code>${row.version.slice(0, 24)}</code>` },
	{ id: "state", label: t("backtest.state"), cell: (row) => html`<${Badge}
		tone=${row.state === "active" ? "info" : "plain"}>${
	    t(`backtest.state.${row.state}`)}</${Badge}>` },
	{ id: "decisions", label: t("backtest.decisions"), align: "end",
	    cell: (row) => number(row.decisions) },
	{ id: "agreement", label: t("backtest.agreement"), align: "end",
	    cell: (row) => row.decisions === 0 ? "–" : percent(row.agreement) },
	...["precision", "recall"].map((name) => ({ id: name, align: "end",
	    label: t(`backtest.${name}.both`), cell: ({ labels, live, shadow }) =>
		labels.fraud + labels.legit === 0 ? "–" :
		`${percent(live[name])} → ${percent(shadow[name])}` })),
];

function Shadows() {
	const load = useLoad((signal) => call("GET /v1/model/shadow", { signal }),
	    [], { every: SHADOWS_MS });
	return html`<${Section} class="flush" title=${t("backtest.shadows")}
		actions=${html`<${Cli} words="shadow list" />`}>
		<${Loaded} load=${load}>${(rows) => html`<${Table}
			label=${t("backtest.shadows")} rows=${rows} columns=${shadowColumns()}
			keyOf=${(row) => `${row.eventType} ${row.id}`}
			href=${(row) => href("/shadows/:type/:id",
			    { type: row.eventType, id: row.id })}
			empty=${html`<${Empty} icon="flask-conical"
				title=${t("backtest.shadows.none")}>
				${t("backtest.shadows.none.text")}</${Empty}>`} />`}
		</${Loaded}></${Section}>`;
}

export default function Backtesting({ query }) {
	const mayRun = can("backtest.run");
	const tab = query.tab === "shadows" || !mayRun ? "shadows" : "backtests";
	return html`<${Page} title=${t("nav.backtests")}>
		${mayRun && html`<${Tabs} label=${t("nav.backtests")} value=${tab} items=${[
		    ["backtests", t("backtest.backtests"), href("/backtests")],
		    ["shadows", t("backtest.shadows"), href("/backtests", {},
			{ tab: "shadows" })]]} />`}
		${tab === "shadows" ? html`<${Shadows} />` :
		    html`<${Backtests} query=${query} />`}</${Page}>`;
}
