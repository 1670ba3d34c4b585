// SPDX-License-Identifier: ISC
// Tables of rows: j and k move through the rows, Enter opens, x selects.
import { html, useRef } from "../../third_party/preact/preact.js";
import { useKeys } from "../keys.js";
import { t } from "../text.js";
import { Button } from "./form.js";
import { Icon } from "../icons.js";

// The element of a row that takes the focus.
function handleIn(row) {
	return row?.querySelector("[data-main] a, [data-main] button") ??
	    row?.querySelector("a, button, input");
}

// Move the focus by this many rows from the row that has it.
function move(box, by) {
	const rows = [...box.querySelectorAll("tbody > tr[data-row]")];
	const at = rows.indexOf(document.activeElement?.closest("tr[data-row]"));
	const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) :
	    Math.min(Math.max(at + by, 0), rows.length - 1)];
	handleIn(next)?.focus();
	next?.scrollIntoView({ block: "nearest" });
}

function currentKey(box) {
	const row = document.activeElement?.closest("tr[data-row]");
	return row !== null && row !== undefined && box.contains(row) ?
	    row.dataset.row : null;
}

// The keys of a selection: add or remove one, or all from the last one to it.
function select(selection, keys, key, range) {
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

function Head({ columns, selection, keys, sort }) {
	const all = keys.length > 0 && selection?.chosen.size === keys.length;
	return html`<thead><tr>
		${selection && html`<th class="select"><input type="checkbox"
			aria-label=${t("table.all")} checked=${all}
			onChange=${() => selection.onChange({ last: null,
			    chosen: new Set(all ? [] : keys) })} /></th>`}
		${columns.map(({ id, label, align = "", sortable }) => html`<th
			key=${id} scope="col" class=${align}
			aria-sort=${sort?.by === id ?
			    (sort.down ? "descending" : "ascending") : undefined}>
			${sortable ? html`<button type="button" class="sort"
				onClick=${() => sort.onChange(id)}>${label}
				${sort?.by === id && html`<${Icon} size=${12}
					name="chevron-down" />`}</button>` : label}
		</th>`)}</tr></thead>`;
}

function Row({ row, id, columns, href, selection, keys, onCurrent, current }) {
	function click(event) {
		if (event.target.closest("a, button, input, label, select") ||
		    getSelection()?.toString() !== "")
			return;
		if (href)
			location.hash = href(row);
		else
			handleIn(event.currentTarget)?.focus();
	}
	const chosen = selection?.chosen.has(id);
	return html`<tr data-row=${id} onClick=${click}
		class=${`${href ? "opens" : ""} ${chosen ? "chosen" : ""} ${
		    current === id ? "current" : ""}`}
		onFocusIn=${() => onCurrent?.(row)}>
		${selection && html`<td class="select"><input type="checkbox"
			aria-label=${t("table.one", { id })} checked=${chosen}
			onClick=${(event) => select(selection, keys, id,
			    event.shiftKey)} /></td>`}
		${columns.map(({ id: column, cell, align = "", main }) => html`<td
			key=${column} class=${align} data-main=${main ? "" : undefined}>
			${main && href ? html`<a href=${href(row)}>${cell(row)}</a>` :
			    cell(row)}</td>`)}</tr>`;
}

// Table: label names it for screen readers.  columns are { id, label, cell(row),
// align: "end", main, sortable }; the cell of the main column becomes the link of
// href(row).  keyOf(row) is the id of a row.
//
//	selection	{ chosen: Set, last, onChange({ chosen, last }) }
//	sort		{ by, down, onChange(column) }
//	onCurrent	called with the row that gets the focus; current: its id
//	more		{ load(), busy } if there are further rows
//	empty		shown instead of rows
export function Table({ label, columns, rows, keyOf, href, selection, sort,
    onCurrent, current, more, empty }) {
	const box = useRef(null);
	const keys = rows.map(keyOf);
	const mark = (range) => () => {
		const key = currentKey(box.current);
		if (key !== null)
			select(selection, keys, key, range);
	};
	useKeys({
		"list.next": () => move(box.current, 1),
		"list.previous": () => move(box.current, -1),
		"list.open": () => document.activeElement?.click(),
		"list.select": selection && mark(false),
		"list.range": selection && mark(true),
		"list.more": more && more.load,
	});
	if (rows.length === 0)
		return empty ?? null;
	return html`<div class="table-box" ref=${box} tabindex="0" role="region"
		aria-label=${label}>
		<table><${Head} ...${{ columns, selection, keys, sort }} />
		<tbody>${rows.map((row) => html`<${Row} key=${keyOf(row)}
			id=${keyOf(row)} ...${{ row, columns, href, selection, keys,
			    onCurrent, current }} />`)}</tbody></table>
		${more && html`<p class="more"><${Button} busy=${more.busy}
			command="list.more" onClick=${more.load}>${t("table.more")}
		</${Button}></p>`}
	</div>`;
}
