// SPDX-License-Identifier: ISC
// Charts as SVG, each with its numbers as a table behind it.  A tone is good, warn,
// bad, info, accent or plain; the colours are in css/screens.css.
import { html, useLayoutEffect, useRef, useState } from
    "../../third_party/preact/preact.js";
import { number, percent } from "../format.js";
import { t } from "../text.js";
import "./chart-text.js";
import { compact, every, linear, ticks } from "./scale.js";

const LEFT = 40, BOTTOM = 20, TOP = 20, RIGHT = 8;
const WIDEST_BAR = 44;

// useWidth(): [ref, width]: the width of an element in pixels.
export function useWidth() {
	const ref = useRef(null);
	const [width, setWidth] = useState(600);
	useLayoutEffect(() => {
		const watch = new ResizeObserver(([{ contentRect }]) =>
		    setWidth(Math.max(160, Math.round(contentRect.width))));
		watch.observe(ref.current);
		return () => watch.disconnect();
	}, []);
	return [ref, width];
}

// Figure: title, legend, the drawing and the table.  head and rows are the cells
// of the table.
export function Figure({ label, legend, children, head, rows }) {
	return html`<figure class="chart" aria-label=${label}>
		${legend && html`<figcaption class="legend">${legend.map(
		    ({ name, tone, line }) => html`<span key=${name}>
			<svg width="10" height="10" aria-hidden="true"><rect y=${line ? 4 : 0}
				width="10" height=${line ? 3 : 10} rx="2"
				class=${`fill ${tone}`} /></svg>${name}</span>`)}
		</figcaption>`}
		${children}
		<details class="behind"><summary>${t("chart.table")}</summary>
		<div class="table-box" tabindex="0" role="region"
			aria-label=${label}><table>
			<thead><tr>${head.map((cell, i) => html`<th scope="col"
				class=${i > 0 ? "end" : ""}>${cell}</th>`)}</tr></thead>
			<tbody>${rows.map((row) => html`<tr>${row.map((cell, i) =>
			    html`<td class=${i > 0 ? "end" : ""}>${cell}</td>`)}</tr>`)}
			</tbody></table></div></details>
	</figure>`;
}

function YAxis({ at, marks, width, unit, show = compact }) {
	return html`<g class="axis">
		${marks.map((value) => html`<g key=${value}>
			<line x1=${LEFT} x2=${width - RIGHT} y1=${at(value)}
				y2=${at(value)} />
			<text x=${LEFT - 6} y=${at(value) + 4} text-anchor="end">${
			    show(value)}</text></g>`)}
		${unit && html`<text x="0" y="9" class="unit">${unit}</text>`}
	</g>`;
}

// The labels under the x axis, as many as fit.
function XLabels({ items, at, y, room }) {
	const step = every(items.length, Math.floor(room / 56));
	return html`<g class="axis">${items.map((text, i) => i % step === 0 &&
	    html`<text key=${i} x=${at(i)} y=${y} text-anchor="middle">${text}
	</text>`)}</g>`;
}

function Bar({ item, x, width, at, base }) {
	const thick = Math.min(WIDEST_BAR, Math.max(1, width * 0.8));
	let sum = 0;
	return html`<g><title>${item.title ?? item.label}${"\n"}${item.parts.map(
	    ({ name, value }) => `${name}: ${number(value)}`).join("\n")}</title>
		<rect class="hit" x=${x} y=${TOP} width=${width}
			height=${base - TOP} />
		${item.parts.map(({ name, value, tone }) => {
			const y = at(sum + value), height = at(sum) - y;
			sum += value;
			return value > 0 && html`<rect key=${name} class=${`fill ${tone}`}
				x=${x + (width - thick) / 2} width=${thick}
				y=${y} height=${Math.max(1, height)} />`;
		})}</g>`;
}

// Bars: columns of stacked parts.  items are { label, title, parts: [{ name, value,
// tone }] }; marks are vertical lines { at: index, label }.
export function Bars({ label, unit, xLabel, items, height = 190, marks = [] }) {
	const [ref, width] = useWidth();
	const base = height - BOTTOM;
	const top = ticks(Math.max(...items.map(({ parts }) =>
	    parts.reduce((sum, { value }) => sum + value, 0)), 0));
	const at = linear([0, top.at(-1)], [base, TOP]);
	const slot = (width - LEFT - RIGHT) / Math.max(1, items.length);
	const names = items[0]?.parts.map(({ name, tone }) => ({ name, tone })) ?? [];
	return html`<${Figure} label=${label} legend=${names.length > 1 ? names : null}
		head=${[xLabel, ...names.map(({ name }) => name)]}
		rows=${items.map((item) => [item.title ?? item.label,
		    ...item.parts.map(({ value }) => number(value))])}>
		<div ref=${ref}><svg role="img" aria-label=${label} width=${width}
			height=${height}>
			<${YAxis} at=${at} marks=${top} width=${width} unit=${unit} />
			${items.map((item, i) => html`<${Bar} key=${i} item=${item} at=${at}
				base=${base} x=${LEFT + i * slot} width=${slot} />`)}
			${marks.map(({ at: i, label: text }) => html`<g class="mark">
				<line x1=${LEFT + i * slot} x2=${LEFT + i * slot} y1=${TOP}
					y2=${base} /><text x=${LEFT + i * slot + 4}
					y=${TOP + 8}>${text}</text></g>`)}
			<${XLabels} items=${items.map((item) => item.label)} y=${height - 5}
				at=${(i) => LEFT + (i + 0.5) * slot} room=${width - LEFT} />
		</svg></div></${Figure}>`;
}

// Lines: series are { name, tone, points: [[x, y], ...], dashed }; x and y are
// { min, max, show(value), label, unit }.  diagonal: true draws y = x.
export function Lines({ label, series, x, y, height = 210, diagonal = false }) {
	const [ref, width] = useWidth();
	const base = height - BOTTOM;
	const atX = linear([x.min, x.max], [LEFT, width - RIGHT]);
	const marks = ticks(y.max);
	const atY = linear([0, marks.at(-1)], [base, TOP]);
	const showX = x.show ?? number, showY = y.show ?? compact;
	const count = Math.min(6, Math.floor((width - LEFT) / 70));
	const xs = ticks(x.max - x.min, count).map((value) => x.min + value)
	    .filter((value) => value <= x.max);
	return html`<${Figure} label=${label} legend=${series.length > 1 ?
	    series.map(({ name, tone }) => ({ name, tone, line: true })) : null}
		head=${[x.label ?? "", t("chart.series"), y.label ?? y.unit ?? ""]}
		rows=${series.flatMap(({ name, points }) => points.map(([a, b]) =>
		    [showX(a), name, showY(b)]))}>
		<div ref=${ref}><svg role="img" aria-label=${label} width=${width}
			height=${height}>
			<${YAxis} at=${atY} marks=${marks} width=${width} unit=${y.unit}
				show=${showY} />
			${diagonal && html`<line class="diagonal" x1=${atX(x.min)}
				y1=${atY(x.min)} x2=${atX(x.max)} y2=${atY(x.max)} />`}
			${series.map(({ name, tone, points, dashed }) => html`<g key=${name}>
				<polyline class=${`stroke ${tone} ${dashed ? "dashed" : ""}`}
					points=${points.map(([a, b]) =>
				    `${atX(a)},${atY(b)}`).join(" ")} />
				${points.length <= 40 && points.map(([a, b], i) =>
				    html`<circle key=${i} class=${`fill ${tone}`} r="3"
					cx=${atX(a)} cy=${atY(b)}><title>${name}${"\n"}${
					showX(a)}: ${showY(b)}</title></circle>`)}</g>`)}
			<g class="axis">${xs.map((value) => html`<text key=${value}
				x=${atX(value)} y=${height - 5} text-anchor=${
				value === x.max ? "end" : "middle"}>${showX(value)}</text>`)}
			</g></svg></div></${Figure}>`;
}

// Split: one bar that is divided by parts { name, value, tone }; nothing without any.
export function Split({ label, parts }) {
	const sum = parts.reduce((total, { value }) => total + value, 0);
	let from = 0;
	if (sum === 0)
		return null;
	return html`<${Figure} label=${label} legend=${parts.map((part) => ({
	    ...part, name: `${part.name} ${percent(part.value / sum)}` }))}
		head=${[label, t("chart.count"), t("chart.share")]}
		rows=${parts.map(({ name, value }) => [name, number(value),
		    percent(value / sum)])}>
		<svg class="split" role="img" aria-label=${label} width="100%"
			height="12">${parts.map(({ name, value, tone }) => {
			const x = from, width = value / sum * 100;
			from += width;
			return html`<rect key=${name} class=${`fill ${tone}`} x=${`${x}%`}
				width=${`${width}%`} height="12"><title>${name}: ${
				number(value)}</title></rect>`;
		})}</svg></${Figure}>`;
}

// Ranked: horizontal bars, the longest first; items are { label, title, value, href,
// tone, note }.  most: the value of the longest bar of all charts beside this one.
export function Ranked({ label, items, most = 0, show = number }) {
	const max = Math.max(...items.map(({ value }) => value), most);
	return html`<ol class="ranked" aria-label=${label}>${items.map((item) =>
	    html`<li key=${item.label}>
		<span class="name" title=${item.title}>${item.href ? html`<a href=${item.href}>${
		    item.label}</a>` : item.label}</span>
		<span class="value">${show(item.value)}${item.note &&
		    html` <small>${item.note}</small>`}</span>
		<svg width="100%" height="4" aria-hidden="true"><rect class="track"
			width="100%" height="4" rx="2" /><rect rx="2" height="4"
			class=${`fill ${item.tone ?? "accent"}`}
			width=${`${max ? item.value / max * 100 : 0}%`} /></svg>
	</li>`)}</ol>`;
}
