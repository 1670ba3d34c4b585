// SPDX-License-Identifier: ISC
// The bands of a policy: they cover the scores from 0 to 100 in ascending order.
// Every function returns new bands.

export const HIGHEST = 100;
// The queue of a band without one.
export const QUEUE = "risk-ops";

const at = (bands, i, change) => bands.map((band, j) =>
    j === i ? { ...band, ...change } : band);

// moveEdge(bands, i, score): band i ends at the score, as far as the bands on both
// sides keep at least one score.
export function moveEdge(bands, i, score) {
	const max = Math.min(Math.max(Math.round(score), bands[i].min),
	    bands[i + 1].max - 1);
	return at(at(bands, i, { max }), i + 1, { min: max + 1 });
}

// split(bands, i): two bands of the halves; a band of one score stays.
export function split(bands, i) {
	const { min, max } = bands[i];
	const middle = Math.floor((min + max) / 2);
	return min === max ? bands : [...bands.slice(0, i),
	    { ...bands[i], max: middle }, { ...bands[i], min: middle + 1 },
	    ...bands.slice(i + 1)];
}

// remove(bands, i): the band before it takes its scores, or the one after the first.
export function remove(bands, i) {
	if (bands.length === 1)
		return bands;
	const { min, max } = bands[i];
	return (i === 0 ? at(bands, 1, { min }) : at(bands, i - 1, { max }))
	    .filter((_, j) => j !== i);
}

// decide(bands, i, verdict): only the verdict review has a queue.
export function decide(bands, i, verdict) {
	const { min, max, reviewQueue } = bands[i];
	return bands.map((band, j) => j !== i ? band : verdict === "review" ?
	    { verdict, min, max, reviewQueue: reviewQueue ?? QUEUE } :
	    { verdict, min, max });
}

export function queueFor(bands, i, reviewQueue) {
	return at(bands, i, { reviewQueue });
}

// bandOf(bands, score): the band that decides; a score between two bands belongs to
// the lower one.
export function bandOf(bands, score) {
	return bands.findLast(({ min }) => score >= min) ?? bands[0];
}

// countsOf(bands, scores): how many of the 101 counts fall into each band.
export function countsOf(bands, scores) {
	return bands.map(({ min, max }) => scores.slice(min, max + 1)
	    .reduce((sum, n) => sum + n, 0));
}

// candidateOf POLICY: the members that the service takes.
export function candidateOf({ bands, onError }) {
	return { onError, bands: bands.map(({ verdict, min, max, reviewQueue }) =>
	    verdict === "review" ? { verdict, min, max,
		reviewQueue: reviewQueue || QUEUE } : { verdict, min, max }) };
}

// textOf POLICY: one band a line, to compare.
export function textOf(policy) {
	const { bands, onError } = candidateOf(policy);
	return [...bands.map(({ verdict, min, max, reviewQueue }) =>
	    [`${min}-${max}`, verdict, reviewQueue].filter(Boolean).join(" ")),
	    `on error: ${onError}`].join("\n");
}
