// SPDX-License-Identifier: ISC
// A drawing of the entities around one entity.  It is for the eye: show a table of
// the same links beside it.
import { html } from "../../third_party/preact/preact.js";
import { shortId } from "../format.js";

const SIZE = 420;
const MIDDLE = SIZE / 2;
const RINGS = [110, 170];
export const MOST_NODES = 36;

// places COUNT: points on one ring, or on two if there are many.
export function places(count) {
	const inner = count <= 14 ? count : Math.ceil(count / 3);
	return Array.from({ length: count }, (_, i) => {
		const first = i < inner;
		const [at, of] = first ? [i, inner] : [i - inner, count - inner];
		const angle = (at + (first ? 0 : 0.5)) / Math.max(1, of) * 2 * Math.PI -
		    Math.PI / 2;
		const radius = RINGS[first ? 0 : 1];
		return { x: MIDDLE + radius * Math.cos(angle),
		    y: MIDDLE + radius * Math.sin(angle) };
	});
}

// The size of a label: its letters have about this width and height.
const LETTER = 6.2;
const LINE = 12;

// labelAt(POINT, TEXT): { x, y, side, left, right }: a label is beside its node, above
// or below it in the middle.
export function labelAt({ x, y }, text) {
	const side = x < MIDDLE - 20 ? "end" : x > MIDDLE + 20 ? "start" : "middle";
	const at = x + { end: -11, start: 11, middle: 0 }[side];
	const width = LETTER * text.length;
	const left = at - { end: width, start: 0, middle: width / 2 }[side];
	return { x: at, y: y + (side === "middle" ? (y < MIDDLE ? -12 : 20) : 4), side,
	    left, right: left + width };
}

// readable(LABELS): those that cover no earlier one, else null.
export function readable(labels) {
	const kept = [];
	return labels.map((one) => {
		const covers = kept.some((other) => Math.abs(one.y - other.y) < LINE &&
		    one.left < other.right && other.left < one.right);
		if (!covers)
			kept.push(one);
		return covers ? null : one;
	});
}

function Node({ at: { x, y }, label, kind, text, href, title, tone = "" }) {
	const drawn = html`<title>${title}</title>
		<circle cx=${x} cy=${y} r="7" class=${`node kind-${kind} ${tone}`} />
		${tone === "bad" && html`<circle cx=${x} cy=${y} r="10" class="halo" />`}
		${label && html`<text x=${label.x} y=${label.y}
			text-anchor=${label.side}>${text}</text>`}`;
	return href ? html`<a href=${href} aria-label=${title}>${drawn}</a>` :
	    html`<g>${drawn}</g>`;
}

// Graph: centre is { kind, text, title }; nodes are { kind, id, text, title, href, tone,
// weight }, of which the first MOST_NODES are drawn, with a ring if the tone is bad, and
// without the text that would cover another; edges are [i, j] of nodes.
export function Graph({ label, centre, nodes, edges = [] }) {
	const drawn = nodes.slice(0, MOST_NODES).map((node) =>
	    ({ ...node, text: shortId(node.text, 11) }));
	const at = places(drawn.length);
	const labels = readable(drawn.map(({ text }, i) => labelAt(at[i], text)));
	return html`<svg class="graph" role="group" aria-label=${label}
		viewBox=${`-70 0 ${SIZE + 140} ${SIZE}`}>
		${edges.filter(([a, b]) => a < drawn.length && b < drawn.length)
		    .map(([a, b]) => html`<line key=${`${a} ${b}`} class="between"
			x1=${at[a].x} y1=${at[a].y} x2=${at[b].x} y2=${at[b].y} />`)}
		${drawn.map(({ weight = 1 }, i) => html`<line key=${i} class="spoke"
			x1=${MIDDLE} y1=${MIDDLE} x2=${at[i].x} y2=${at[i].y}
			stroke-width=${Math.min(4, 1 + Math.log2(weight))} />`)}
		<circle cx=${MIDDLE} cy=${MIDDLE} r="13"
			class=${`node centre kind-${centre.kind}`}>
			<title>${centre.title}</title></circle>
		${drawn.map((node, i) => html`<${Node} key=${`${node.kind} ${node.id}`}
			...${node} at=${at[i]} label=${labels[i]} />`)}
	</svg>`;
}
