// SPDX-License-Identifier: ISC
// t/node/clears.mjs knows every text that may say that there is nothing.
import assert from "node:assert/strict";
import test from "node:test";
import { t } from "../../console/text.js";
import { CLEARS, clearPatterns, DENIES, isQuestion, OTHERS, readTexts }
    from "../node/clears.mjs";

const keys = await readTexts();

test("a text that denies something is an all-clear, or is known to be none", () => {
	const denying = keys.filter((key) => DENIES.test(`${t(key, { n: 1 })} ${
	    t(key, { n: 2 })}`));
	const known = [...CLEARS, ...OTHERS];
	assert.deepEqual(denying.filter((key) =>
	    !known.includes(key) && !isQuestion(key)), []);
});
test("each all-clear is a text of the console, in one table and once", () => {
	const known = [...CLEARS, ...OTHERS];
	assert.deepEqual(known.filter((key) => !keys.includes(key)), []);
	assert.equal(new Set(known).size, known.length);
});
test("an all-clear is found in a line, and a figure of 0 at its beginning", () => {
	const all = new RegExp(clearPatterns().join("|"));
	for (const line of ["0 waiting", "0", "All queues nothing waits", "no labels",
	    "No list contains this value.", "3 rules without a mistake."])
		assert.match(line, all);
	for (const line of ["– waiting", "10", "0.5", "Score from 0", "now", "nobody"])
		assert.doesNotMatch(line, all);
});
