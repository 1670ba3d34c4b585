// SPDX-License-Identifier: ISC
// Tables of rows: j and k move through the rows, Enter opens, x selects.
import { Component, html, useEffect, useRef, useState } from
    "../../third_party/preact/preact.js";
import { useKeys } from "../keys.js";
import { t } from "../text.js";
import { Button } from "./form.js";
import { Icon } from "../icons.js";
import { keep, kept } from "./place.js";
import { TimeHead } from "./time.js";

const FIRST_ROWS = 20;

// The element of a row that takes the focus.
function handleIn(row) {
	return row?.querySelector("[data-main] a, [data-main] button") ??
	    row?.querySelector("a, button, input");
}

function rowsIn(box) {
	return [...box?.querySelectorAll("tbody > tr[data-row]") ?? []];
}

// The row that is marked as current: without a focus in the table, keys mean it.
const markedIn = (box) => box?.querySelector("tr.current") ?? null;

// Move the focus by this many rows from the row that has it.
function move(box, by) {
	const rows = rowsIn(box);
	const at = rows.indexOf(document.activeElement?.closest("tr[data-row]"));
	const next = at < 0 ? markedIn(box) ?? rows.at(by > 0 ? 0 : -1) :
	    rows[Math.min(Math.max(at + by, 0), rows.length - 1)];
	handleIn(next)?.focus();
	next?.scrollIntoView({ block: "nearest" });
}

function currentKey(box) {
	const row = document.activeElement?.closest("tr[data-row]");
	return (box?.contains(row) ? row : markedIn(box))?.dataset.row ?? null;
}

// Press what has the focus, or open the marked row if nothing has it that acts: to press
// a choice that is made changes nothing.
function open(box) {
	const focused = document.activeElement;
	(focused?.matches("a, button, input:not([type=radio]), select, summary") ? focused :
	    handleIn(markedIn(box)))?.click();
}

// The keys of a selection: add or remove one, or all from the last one to it.
function select({ selection, keys }, key, range) {
	const chosen = new Set(selection.chosen);
	const from = keys.indexOf(selection.last), to = keys.indexOf(key);
	if (range && from >= 0) {
		for (const one of keys.slice(Math.min(from, to),
		    Math.max(from, to) + 1))
			chosen.add(one);
	} else if (!chosen.delete(key)) {
		chosen.add(key);
	}
	selection.onChange({ chosen, last: key });
}

const classesOf = ({ align = "", decides, long, spare }) => `${align} ${
    decides ? "decides" : ""} ${long ? "long" : ""} ${spare ? "spare" : ""}`;

function Head({ columns, selection, keys, sort }) {
	const all = keys.length > 0 && selection?.chosen.size === keys.length;
	return html`<thead><tr>
		${selection && html`<th class="select"><input type="checkbox"
			aria-label=${t("table.all")} checked=${all}
			onChange=${() => selection.onChange({ last: null,
			    chosen: new Set(all ? [] : keys) })} /></th>`}
		${columns.map(({ id, label, zoned, sortable, ...rest }) => html`<th
			key=${id} scope="col" class=${classesOf(rest)}
			aria-sort=${sort?.by === id ?
			    (sort.down ? "descending" : "ascending") : undefined}>
			${sortable ? html`<button type="button" class="sort"
				onClick=${() => sort.onChange(id)}>${label}
				${sort?.by === id && html`<${Icon} size=${12}
					name="chevron-down" />`}</button>` :
			    zoned ? html`<${TimeHead} label=${label} />` : label}
		</th>`)}</tr></thead>`;
}

// A row is written again only when something that it shows has changed.  latest
// holds what it needs only when the operator acts.
class Row extends Component {
	shouldComponentUpdate(next) {
		return Object.keys(next).some((name) =>
		    next[name] !== this.props[name]);
	}

	render({ row, id, columns, href, chosen, current, latest }) {
		const stay = ({ currentTarget }) => keep("row", { table: latest.current.label,
		    id, top: currentTarget.getBoundingClientRect().top,
		    at: latest.current.keys.indexOf(id) });
		const click = (event) => {
			stay(event);
			if (event.target.closest("a, button, input, label, select") ||
			    getSelection()?.toString() !== "")
				return;
			if (href)
				location.hash = href(row);
			else
				handleIn(event.currentTarget)?.focus();
		};
		return html`<tr data-row=${id} onClick=${click}
			class=${`${href ? "opens" : ""} ${chosen ? "chosen" : ""} ${
			    current ? "current" : ""}`}
			onFocusIn=${(event) => {
			    stay(event);
			    latest.current.onCurrent?.(row);
			}}>
			${chosen !== undefined && html`<td class="select"><input
				type="checkbox" aria-label=${t("table.one", { id })}
				checked=${chosen} onClick=${({ shiftKey }) =>
				    select(latest.current, id, shiftKey)} /></td>`}
			${columns.map(({ id: column, label, cell, main, ...rest }) => html`<td
				key=${column} class=${classesOf(rest)}
				data-label=${typeof label === "string" ? label : undefined}
				data-main=${main ? "" : undefined}>
				${main && href ? html`<a href=${href(row)}>
					${cell(row)}</a>` : cell(row)}</td>`)}</tr>`;
	}
}

// useGrowth(rows): at first those that fill a window, and the others after these are
// painted, so that the first row is there early.
function useGrowth(rows) {
	const [all, setAll] = useState(rows.length <= FIRST_ROWS);
	useEffect(() => setAll(true), []);
	return all ? rows : rows.slice(0, FIRST_ROWS);
}

// useReturn(box, label, whole): when the operator comes back to the table and it is
// whole, the row that was left is where it was and has the focus.  If the row has gone,
// that is the row in its place.
function useReturn(box, label, whole) {
	const [memory] = useState(() => ({ left: kept("row") }));
	useEffect(() => {
		const { left } = memory;
		if (!whole || left?.table !== label)
			return undefined;
		memory.left = undefined;
		// After the shell has shown the top of the page.
		const timer = setTimeout(() => {
			const rows = rowsIn(box.current);
			const row = rows.find(({ dataset }) => dataset.row === left.id) ??
			    rows[Math.min(left.at, rows.length - 1)];
			if (!row || !document.activeElement.matches("body, main"))
				return;
			handleIn(row)?.focus({ preventScroll: true });
			scrollBy(0, row.getBoundingClientRect().top - left.top);
			row.scrollIntoView({ block: "nearest" });
		});
		return () => clearTimeout(timer);
	}, [whole]);
}

// Table: label names it for screen readers.  columns are { id, label, cell(row),
// align: "end", main, sortable, zoned, decides, long, spare }; the cell of the main
// column becomes the link of href(row).  zoned: the label has the zone of the times.
// Where there is little room each row is a card.  decides: the cell is not wrapped and
// comes first on a card.  long: the cell has the room that is left.  spare: a table
// without much room leaves the column out.  keyOf(row) is the id of a row.
//
//	selection	{ chosen: Set, last, onChange({ chosen, last }) }
//	sort		{ by, down, onChange(column) }
//	onCurrent	called with the row that gets the focus; current: its id
//	more		{ load(), busy } if there are further rows
//	empty		shown instead of rows
//
// With the same columns and href as before, only rows that change are written again.
export function Table({ label, columns, rows, keyOf, href, selection, sort,
    onCurrent, current, more, empty }) {
	const box = useRef(null);
	const latest = useRef(null);
	const shown = useGrowth(rows);
	const keys = rows.map(keyOf);
	latest.current = { label, keys, selection, onCurrent };
	useReturn(box, label, rows.length > 0 && shown === rows);
	const mark = (range) => () => {
		const key = currentKey(box.current);
		if (key !== null)
			select(latest.current, key, range);
	};
	useKeys({
		"list.next": () => move(box.current, 1),
		"list.previous": () => move(box.current, -1),
		"list.open": () => open(box.current),
		"list.select": selection && mark(false),
		"list.range": selection && mark(true),
		"list.more": more && more.load,
	});
	if (rows.length === 0)
		return empty ?? null;
	return html`<div class="table-box" ref=${box} tabindex="0" role="region"
		aria-label=${label}>
		<table class="rows"><${Head} ...${{ columns, selection, keys, sort }} />
		<tbody>${shown.map((row, at) => html`<${Row} key=${keys[at]}
			...${{ row, id: keys[at], columns, href, latest,
			    chosen: selection?.chosen.has(keys[at]),
			    current: keys[at] === current }} />`)}</tbody></table>
		${more && shown === rows && html`<p class="more"><${Button} busy=${more.busy}
			command="list.more" onClick=${more.load}>${t("table.more")}
		</${Button}></p>`}
	</div>`;
}
