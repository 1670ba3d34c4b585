// SPDX-License-Identifier: ISC
import assert from "node:assert/strict";
import { test } from "node:test";
import { bandOf, candidateOf, countsOf, decide, moveEdge, remove, split, textOf }
    from "../../console/policies/bands.js";

const BANDS = [{ verdict: "allow", min: 0, max: 39 },
    { verdict: "review", min: 40, max: 79, reviewQueue: "fraud" },
    { verdict: "deny", min: 80, max: 100 }];

function covers(bands) {
	assert.equal(bands[0].min, 0);
	assert.equal(bands.at(-1).max, 100);
	for (const [i, band] of bands.entries()) {
		assert.ok(band.min <= band.max);
		assert.equal(band.min, i === 0 ? 0 : bands[i - 1].max + 1);
	}
}

test("whatever is moved, split or removed, the bands cover every score once", () => {
	let seed = 11;
	const random = (n) => (seed = seed * 16807 % 2147483647) % n;
	for (let round = 0, bands = BANDS; round < 2000; round++) {
		const i = random(bands.length);
		const step = random(3);
		if (step === 0 && i < bands.length - 1)
			bands = moveEdge(bands, i, random(160) - 30);
		else if (step === 1)
			bands = split(bands, i);
		else
			bands = remove(bands, i);
		covers(bands);
	}
});

test("an edge does not push its neighbours away", () => {
	assert.deepEqual(moveEdge(BANDS, 0, 95).map(({ max }) => max), [78, 79, 100]);
	assert.deepEqual(moveEdge(BANDS, 1, 3).map(({ max }) => max), [39, 40, 100]);
	assert.deepEqual(moveEdge(BANDS, 0, 49.6).map(({ max }) => max),
	    [50, 79, 100]);
});

test("the first band goes to the next one, any other to the one before", () => {
	assert.deepEqual(remove(BANDS, 0)[0], { ...BANDS[1], min: 0 });
	assert.deepEqual(remove(BANDS, 2).at(-1), { ...BANDS[1], max: 100 });
	assert.deepEqual(remove([BANDS[0]], 0), [BANDS[0]]);
});

test("a band of one score is not split", () => {
	const one = [{ verdict: "allow", min: 0, max: 0 },
	    { verdict: "deny", min: 1, max: 100 }];
	assert.deepEqual(split(one, 0), one);
});

test("a queue belongs to review only", () => {
	assert.equal(decide(BANDS, 0, "review")[0].reviewQueue, "risk-ops");
	assert.equal("reviewQueue" in decide(BANDS, 1, "deny")[1], false);
	assert.equal(decide(BANDS, 1, "review")[1].reviewQueue, "fraud");
});

test("a score between two bands belongs to the lower one", () => {
	assert.equal(bandOf(BANDS, 39).verdict, "allow");
	assert.equal(bandOf(BANDS, 39.5).verdict, "allow");
	assert.equal(bandOf(BANDS, 40).verdict, "review");
	assert.equal(bandOf(BANDS, 100).verdict, "deny");
});

test("counts of scores add up by band", () => {
	const scores = Array(101).fill(1);
	assert.deepEqual(countsOf(BANDS, scores), [40, 40, 21]);
});

test("the text of a policy has one band a line", () => {
	assert.equal(textOf({ bands: BANDS, onError: "fail_open" }), "0-39 allow\n" +
	    "40-79 review fraud\n80-100 deny\non error: fail_open");
	assert.equal(candidateOf({ onError: "fail_open", bands: [{ verdict: "review",
	    min: 0, max: 100, reviewQueue: null }] }).bands[0].reviewQueue,
	    "risk-ops");
});
