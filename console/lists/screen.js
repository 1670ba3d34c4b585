// SPDX-License-Identifier: ISC
// The entries that block, allow or watch events.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { number } from "../format.js";
import { href } from "../router.js";
import { can } from "../session.js";
import { useLoad } from "../store.js";
import { exact, t } from "../text.js";
import "./text.js";
import { Badge } from "../ui/badge.js";
import { useChange } from "../ui/change.js";
import { Cli, Copy, Ends } from "../ui/copy.js";
import { Empty, known, Loaded, LoadNote } from "../ui/empty.js";
import { Filters } from "../ui/filters.js";
import { Button, Form, Select, TextField } from "../ui/form.js";
import { EntryDialog } from "./entry.js";
import { ImportDialog } from "./import.js";
import { LIST_KINDS, KIND_TONES, SUBJECTS, choices } from "./words.js";
import { Note, Page, Section, Stat } from "../ui/page.js";
import { Pages } from "../ui/pages.js";
import { Table } from "../ui/table.js";
import { Age, Time } from "../ui/time.js";

const PAGE = 100;
const SOON_DAYS = 7;
const EXPIRY_DAYS = [SOON_DAYS, 30, 90];

const fields = () => [
	{ name: "kind", label: t("lists.kind"), kind: "choice",
	    options: choices("kind", LIST_KINDS) },
	{ name: "subject", label: t("lists.subject"), kind: "choice",
	    options: choices("subject", SUBJECTS) },
	{ name: "expiring", label: t("lists.expires"), kind: "choice",
	    options: EXPIRY_DAYS.map((n) => [String(n), t("lists.within", { n })]) },
	{ name: "createdBy", label: t("lists.by"), kind: "text" },
];

function columns(change, remove) {
	return [
		{ id: "value", label: t("lists.value"), cell: ({ value }) =>
		    html`<span class="id"><code><${Ends} text=${exact(value)}
			most=${Infinity} /></code><${Copy} text=${value} />
		    </span>` },
		{ id: "subject", label: t("lists.subject"),
		    cell: ({ subject }) => t(`subject.${subject}`) },
		{ id: "kind", label: t("lists.kind"), cell: ({ kind }) =>
		    html`<${Badge} tone=${KIND_TONES[kind]}>${
		    t(`kind.${kind}`)}</${Badge}>` },
		{ id: "reason", label: t("lists.reason"), align: "prose",
		    cell: ({ reason }) => reason ?? "" },
		{ id: "expires", zoned: true, label: t("lists.expires"),
		    cell: ({ expiresAt }) => expiresAt ?
			html`<${Time} at=${expiresAt} />` : t("lists.never") },
		{ id: "by", label: t("lists.by"), cell: ({ createdBy }) => createdBy },
		{ id: "age", label: t("lists.age"), align: "end",
		    cell: ({ createdAt }) => html`<${Age} at=${createdAt} />` },
		...remove === null ? [] : [{ id: "remove", label: t("lists.actions"),
		    align: "end", cell: (row) => html`<div class="buttons">
			<${Button} kind="quiet" icon="pencil"
				label=${t("lists.edit.one", row)}
				onClick=${() => change(row)} />
			<${Cli} words="lists remove" operands=${[row.id]} />
			<${Button} kind="quiet" icon="x"
			label=${t("lists.remove.one", row)}
			onClick=${() => remove(row)} /></div>` }],
	];
}

// The entries of one value.  The value goes into a body, never into an address.
function Search({ onFind, onClear, found }) {
	const [subject, setSubject] = useState("user");
	const [value, setValue] = useState("");
	return html`<${Form} class="filters" onSubmit=${() => value.trim() !== "" &&
	    onFind({ subject, value: value.trim() })}>
		<${Select} label=${t("lists.search.subject")} value=${subject}
			options=${choices("subject", SUBJECTS)} onInput=${setSubject} />
		<${TextField} label=${t("lists.search.value")} value=${value}
			onInput=${setValue} />
		<${Button} type="submit" icon="search">${t("lists.search")}</${Button}>
		${found && html`<${Button} kind="quiet" icon="x" onClick=${onClear}>
			${t("lists.search.clear")}</${Button}>`}
	</${Form}>`;
}

function Summary({ load }) {
	return html`<div class="stats">
		${LIST_KINDS.map((kind) => html`<${Stat} key=${kind}
			label=${t(`lists.total.${kind}`)} value=${known(load,
			({ byKind }) => number(byKind[kind]))} />`)}
		<${Stat} label=${t("lists.soon", { n: SOON_DAYS })}
			href=${href("/lists", {}, { expiring: SOON_DAYS })}
			value=${known(load, ({ expiringSoon }) =>
			    number(expiringSoon))} /></div>
	<${LoadNote} load=${load} part=${t("lists.totals")} />`;
}

function Actions({ query, may, setOpen }) {
	return html`<${Cli} words="lists show" options=${{ kind: query.kind,
	    subject: query.subject, by: query.createdBy, expiring: query.expiring }} />
		${may && html`<${Button} icon="upload" onClick=${() => setOpen("import")}>
			${t("lists.import")}</${Button}>
		<${Button} kind="primary" icon="plus" onClick=${() => setOpen("add")}>
			${t("lists.add")}</${Button}>`}`;
}

// open: "add", "import", or the entry to change.
function Opened({ open, ...rest }) {
	return open === "import" ? html`<${ImportDialog} ...${rest} />` :
	    open !== null && html`<${EntryDialog} ...${rest}
		row=${open === "add" ? null : open} />`;
}

function useEntries(query) {
	const page = Number(query.after ?? 0);
	const { kind, subject, expiring, createdBy } = query;
	const [wanted, setWanted] = useState(null);
	const load = useLoad((signal) => wanted === null ?
	    call("GET /v1/lists", { signal, query: { kind, subject, expiring,
		createdBy, limit: PAGE, offset: page * PAGE } }) :
	    call("POST /v1/lists/search", { body: wanted, signal, reads: true }),
	[kind, subject, expiring, createdBy, page, wanted], { keep: true });
	return { page, wanted, setWanted, load };
}

export default function Lists({ query }) {
	const { page, wanted, setWanted, load } = useEntries(query);
	const summary = useLoad((signal) => call("GET /v1/lists/summary",
	    { signal }), []);
	const [open, setOpen] = useState(null);
	const [busy, change] = useChange();
	const may = can("lists.write");
	function reload() {
		load.reload();
		summary.reload();
	}
	async function remove(row) {
		if (await change({ subject: "lists", operation: "DELETE /v1/lists/{id}",
		    path: { id: row.id }, about: row, done: t("lists.removed"),
		    cli: { words: "lists remove", operands: [row.id] } }) !== null)
			reload();
	}
	function close() {
		setOpen(null);
		reload();
	}
	return html`<${Page} title=${t("nav.lists")} lead=${t("lists.lead")}
		actions=${html`<${Actions} ...${{ query, may, setOpen }} />`}>
		${!may && html`<${Note}>${t("lists.readonly")}</${Note}>`}
		<${Summary} load=${summary} />
		<${Section} class="flush">
			<div class="filters bar"><${Filters} label=${t("lists.filters")}
				fields=${fields()} query=${query} />
				<${Search} found=${wanted !== null} onFind=${setWanted}
					onClear=${() => setWanted(null)} /></div>
			<${Loaded} load=${load}>${(rows) => html`<${Table}
				label=${t("nav.lists")} rows=${rows} keyOf=${({ id }) => id}
				columns=${columns(setOpen, may && !busy ? remove : null)}
				empty=${html`<${Empty} icon="shield-ban"
					title=${t(wanted ? "lists.none.found" : "lists.none")} />`} />
				${wanted === null && html`<${Pages} at=${page}
					full=${rows.length === PAGE} />`}`}</${Loaded}>
		</${Section}>
		<${Opened} open=${open} onClose=${() => setOpen(null)} onDone=${close} />
	</${Page}>`;
}
