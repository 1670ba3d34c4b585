// SPDX-License-Identifier: ISC
// A small line of scores, from the oldest to the newest, without axes.
import { html } from "../../third_party/preact/preact.js";
import { useWidth } from "./chart.js";
import { linear } from "./scale.js";

const HEIGHT = 44, EDGE = 4, MOST_SCORE = 100;

// Spark: points are { score, tone, title }; label says what the line is.
export function Spark({ label, points }) {
	const [ref, width] = useWidth();
	const atX = linear([0, Math.max(1, points.length - 1)], [EDGE, width - EDGE]);
	const atY = linear([0, MOST_SCORE], [HEIGHT - EDGE, EDGE]);
	return html`<figure class="spark"><figcaption>${label}</figcaption>
		<div ref=${ref}><svg role="img" aria-label=${`${label}: ${points.map(
		    ({ score }) => score).join(", ")}`} width=${width} height=${HEIGHT}>
			${[0, MOST_SCORE].map((score) => html`<line key=${score} class="edge"
				x1="0" x2=${width} y1=${atY(score)} y2=${atY(score)} />`)}
			<polyline class="stroke plain" points=${points.map(({ score }, i) =>
			    `${atX(i)},${atY(score)}`).join(" ")} />
			${points.map(({ score, tone, title }, i) => html`<circle key=${i}
				class=${`fill ${tone}`} r="3" cx=${atX(i)} cy=${atY(score)}>
				<title>${title}</title></circle>`)}
		</svg></div></figure>`;
}
