// SPDX-License-Identifier: ISC
// Small marks: verdicts, scores, tags, states.  Each says in words what its colour
// says.
import { html } from "../../third_party/preact/preact.js";
import { t } from "../text.js";
import { Ends } from "./copy.js";

const VERDICT_TONES = { allow: "good", challenge: "info", review: "warn",
    deny: "bad" };
const MOST_TAGS = 2;
const MOST_IN_TAG = 18;
const OUTCOME_TONES = { fraud: "bad", legit: "good", inconclusive: "plain" };

// Badge: tone is good, warn, bad, info or plain.
export function Badge({ tone = "plain", children, title }) {
	return html`<span class=${`badge ${tone}`} title=${title}>${children}</span>`;
}

export function verdictTone(verdict) {
	return VERDICT_TONES[verdict] ?? "plain";
}

export function Verdict({ verdict }) {
	return html`<span class=${`badge dot ${verdictTone(verdict)}`}>${
	    t(`verdict.${verdict}`)}</span>`;
}

export function Outcome({ outcome }) {
	return html`<span class=${`badge ${OUTCOME_TONES[outcome] ?? "plain"}`}>${
	    t(`outcome.${outcome}`)}</span>`;
}

// A tag of a rule, as the rules write it.
export function Tag({ tag, href }) {
	return href ? html`<a class="tag" href=${href}>${tag}</a>` :
	    html`<span class="tag">${tag}</span>`;
}

// Tags tags: the first ones in a row of a table; the number of the others has them as
// its title.
export function Tags({ tags }) {
	return html`<span class="tags">${tags.slice(0, MOST_TAGS).map((tag) =>
	    html`<${Tag} key=${tag} tag=${html`<${Ends} text=${tag}
		most=${MOST_IN_TAG} />`} />`)}
		${tags.length > MOST_TAGS && html`<span class="muted"
			title=${tags.join(", ")}>+${tags.length - MOST_TAGS}</span>`}
	</span>`;
}

// Score: 0 to 100 with a small bar in the colour of its verdict, which the bands of the
// policy give it; -1 is an event without a score.
export function Score({ score, verdict }) {
	if (score === null || score === undefined || score < 0)
		return html`<span class="score muted">–</span>`;
	return html`<span class="score"><b>${score}</b>
		<svg width="40" height="6" viewBox="0 0 100 6" aria-hidden="true"
			preserveAspectRatio="none" class=${`bar ${verdictTone(verdict)}`}>
			<rect class="track" width="100" height="6" rx="3" />
			<rect class="fill" width=${Math.max(score, 2)} height="6" rx="3" />
		</svg></span>`;
}
