// SPDX-License-Identifier: ISC
// Bundles that arrive when the page needs them.
import assert from "node:assert/strict";
import test from "node:test";
import { bring as bringBeside, bringer } from "../../console/bring.js";

// The addresses that are loaded, the bundles that make their modules, and a bring();
// these addresses fail.
function begin(...failing) {
	const loaded = [], made = [];
	return { loaded, made, bring: bringer(async (address) => {
		loaded.push(address);
		if (failing.includes(address))
			throw new Error(address);
		return { default: () => made.push(address) };
	}) };
}

test("bundles are loaded together and make their modules once, in their order",
    async () => {
	const { loaded, made, bring } = begin();
	await Promise.all([bring("a.js", "b.js"), bring("a.js", "c.js")]);
	await bring("c.js");
	assert.deepEqual(loaded, ["./a.js", "./b.js", "./c.js"]);
	assert.deepEqual(made.toSorted(), ["./a.js", "./b.js", "./c.js"]);
	assert.ok(made.indexOf("./a.js") < made.indexOf("./b.js"));
});
test("a bundle that has failed is loaded from another address, again and again",
    async () => {
	const { loaded, made, bring } = begin("./a.js", "./a.js?again=1");
	await assert.rejects(bring("a.js", "b.js"), /a\.js$/);
	await assert.rejects(bring("a.js", "b.js"), /a\.js\?again=1$/);
	await bring("a.js", "b.js");
	assert.deepEqual(loaded, ["./a.js", "./b.js", "./a.js?again=1",
	    "./a.js?again=2"]);
	assert.deepEqual(made, ["./a.js?again=2", "./b.js"]);
});
test("a bundle that two parts of the page wait for is loaded again once", async () => {
	const { loaded, bring } = begin("./a.js");
	await Promise.allSettled([bring("a.js"), bring("a.js")]);
	await Promise.all([bring("a.js"), bring("a.js")]);
	assert.deepEqual(loaded, ["./a.js", "./a.js?again=1"]);
});
test("a bundle is a file beside the one that brings it", async () => {
	await assert.rejects(bringBeside("none.js"), /console\/none\.js/);
});
