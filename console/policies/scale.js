// SPDX-License-Identifier: ISC
// The bands of a policy as one scale, over the scores of recent decisions.
import { html, useRef } from "../../third_party/preact/preact.js";
import { number } from "../format.js";
import { t } from "../text.js";
import { verdictTone } from "../ui/badge.js";
import { Figure, useWidth } from "../ui/chart.js";
import { countsOf, HIGHEST, moveEdge } from "./bands.js";

const HEIGHT = 168, BASE = 118, BAND = 26, SIDE = 12;
const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1,
    PageDown: -10, PageUp: 10, Home: -HIGHEST, End: HIGHEST };

function Counts({ scores, bands, xOf, slot }) {
	// Few scores have most decisions: the root keeps the others visible.
	const top = Math.sqrt(Math.max(...scores, 1));
	return scores.map((count, score) => {
		const height = count === 0 ? 0 :
		    Math.max(2, Math.sqrt(count) / top * (BASE - 8));
		const band = bands.find(({ max }) => score <= max);
		return html`<rect key=${score} x=${xOf(score) + slot * 0.1}
			width=${slot * 0.8} y=${BASE - height} height=${height}
			class=${`fill ${verdictTone(band.verdict)}`}><title>${
			t("bands.score", { score, n: number(count) })}</title></rect>`;
	});
}

// One edge: it is dragged, or moved with the arrow keys.
function Edge({ band, next, x, onMove, scoreAt }) {
	const held = useRef(false);
	function down(event) {
		held.current = true;
		event.currentTarget.setPointerCapture(event.pointerId);
	}
	function press(event) {
		const step = STEPS[event.key];
		if (step === undefined)
			return;
		event.preventDefault();
		onMove(band.max + step);
	}
	return html`<g class="edge" role="slider" tabindex="0" data-own-arrows
		aria-label=${t("bands.edge", { from: t(`verdict.${band.verdict}`),
		    to: t(`verdict.${next.verdict}`) })} aria-valuemin=${band.min}
		aria-valuemax=${next.max - 1} aria-valuenow=${band.max}
		onKeyDown=${press} onPointerDown=${down}
		onPointerMove=${(event) => held.current && onMove(scoreAt(event))}
		onPointerUp=${() => { held.current = false; }}>
		<rect class="hit" x=${x - 12} width="24" y="0" height=${HEIGHT} />
		<line x1=${x} x2=${x} y1="4" y2=${BASE + BAND} />
		<rect class="grip" x=${x - 5} width="10" rx="3" y=${BASE + 3}
			height=${BAND - 6} />
		<text x=${x} y=${HEIGHT - 6} text-anchor="middle">${band.max}</text></g>`;
}

// Scale bands scores onChange: scores are 101 counts, or null.
export function Scale({ bands, scores, onChange }) {
	const [ref, width] = useWidth();
	const slot = (width - 2 * SIDE) / (HIGHEST + 1);
	const xOf = (score) => SIDE + score * slot;
	const counts = scores === null ? null : countsOf(bands, scores);
	const scoreAt = (event) => Math.floor((event.clientX -
	    ref.current.getBoundingClientRect().left - SIDE) / slot);
	return html`<${Figure} label=${t("bands.scale")}
		head=${[t("bands.verdict"), t("bands.from"), t("bands.to"),
		    t("bands.count")]}
		rows=${bands.map(({ verdict, min, max }, i) =>
		    [t(`verdict.${verdict}`), min, max, counts === null ? "" :
			number(counts[i])])}>
		<div ref=${ref}><svg class="scale" width=${width} height=${HEIGHT}>
			${scores && html`<${Counts} ...${{ scores, bands, xOf, slot }} />`}
			${bands.map(({ verdict, min, max }) => html`<g key=${min}>
				<rect class=${`fill ${verdictTone(verdict)}`} y=${BASE}
					x=${xOf(min)} width=${(max - min + 1) * slot}
					height=${BAND} />
				${(max - min + 1) * slot > 60 && html`<text class="on"
					x=${xOf((min + max + 1) / 2)} y=${BASE + 17}
					text-anchor="middle">${t(`verdict.${verdict}`)}</text>`}
			</g>`)}
			${onChange && bands.slice(0, -1).map((band, i) => html`<${Edge}
				key=${i} band=${band} next=${bands[i + 1]}
				x=${xOf(band.max + 1)} scoreAt=${scoreAt}
				onMove=${(score) => onChange(moveEdge(bands, i, score))} />`)}
			<text x=${SIDE} y=${HEIGHT - 6}>0</text>
			<text x=${width - SIDE} y=${HEIGHT - 6} text-anchor="end">
				${HIGHEST}</text>
		</svg></div></${Figure}>`;
}

// Bar bands: the scale without edges, in a row of a table.
export function BandBar({ bands }) {
	return html`<svg class="split" width="100%" height="12" role="img"
		aria-label=${bands.map(({ verdict, min, max }) =>
		    `${min}–${max} ${t(`verdict.${verdict}`)}`).join(", ")}>
		${bands.map(({ verdict, min, max }) => html`<rect key=${min} height="12"
			class=${`fill ${verdictTone(verdict)}`}
			x=${`${min / (HIGHEST + 1) * 100}%`}
			width=${`${(max - min + 1) / (HIGHEST + 1) * 100}%`}><title>${
			min}–${max} ${t(`verdict.${verdict}`)}</title></rect>`)}</svg>`;
}
