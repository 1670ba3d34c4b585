// SPDX-License-Identifier: ISC
// Loading data: a late answer, an error, polling and leaving.
import assert from "node:assert/strict";
import test from "node:test";
import { loader } from "../../console/store.js";

// A load whose answers the test gives: answers[i].done(data) or .fail(error).
function byHand() {
	const answers = [];
	return { answers, load: (abort) => new Promise((done, fail) =>
	    answers.push({ done, fail, abort })) };
}
const soon = () => new Promise((done) => setTimeout(done, 5));

test("data arrives, and stays while it is loaded again", async () => {
	const { answers, load } = byHand();
	const mine = loader(load);
	mine.reload();
	assert.equal(mine.state.value.loading, true);
	answers[0].done(1);
	await soon();
	assert.equal(mine.state.value.data, 1);
	mine.reload();
	assert.deepEqual([mine.state.value.data, mine.state.value.loading],
	    [1, true]);
});
test("an earlier answer that comes late is dropped", async () => {
	const { answers, load } = byHand();
	const mine = loader(load);
	mine.reload();
	mine.reload();
	assert.equal(answers[0].abort.aborted, true);
	answers[1].done("new");
	await soon();
	answers[0].done("old");
	await soon();
	assert.equal(mine.state.value.data, "new");
});
test("an error keeps the old data, and the next answer removes it", async () => {
	const { answers, load } = byHand();
	const mine = loader(load);
	mine.set("old");
	mine.reload();
	answers[0].fail(new Error("away"));
	await soon();
	assert.deepEqual([mine.state.value.data, mine.state.value.error.message],
	    ["old", "away"]);
	mine.reload();
	answers[1].done("new");
	await soon();
	assert.deepEqual([mine.state.value.data, mine.state.value.error],
	    ["new", null]);
});
test("old data keeps the time of its answer", async () => {
	const { answers, load } = byHand();
	const mine = loader(load);
	mine.reload();
	answers[0].done("old");
	await soon();
	const { asOf } = mine.state.value;
	assert.match(asOf, /^\d{4}-\d\d-\d\dT/);
	mine.reload();
	answers[1].fail(new Error("away"));
	await soon();
	assert.equal(mine.state.value.asOf, asOf);
});
test("data that answers another question ends with the next answer or error",
    async () => {
	for (const end of ["done", "fail"]) {
		const { answers, load } = byHand();
		const mine = loader(load, { begin: { data: "before",
		    kept: true } });
		mine.reload();
		assert.deepEqual([mine.state.value.data, mine.state.value.kept],
		    ["before", true]);
		answers[0][end]("now");
		await soon();
		assert.deepEqual([mine.state.value.data, mine.state.value.kept],
		    [end === "done" ? "now" : undefined, false]);
	}
});
test("polling loads again until it is stopped", async () => {
	let count = 0;
	const mine = loader(async () => ++count, { every: 20 });
	await new Promise((third) => {
		mine.state.subscribe(({ data }) => data === 3 && third());
		mine.reload();
	});
	mine.stop();
	await new Promise((done) => setTimeout(done, 60));
	assert.equal(count, 3);
});
test("leaving aborts the request and changes nothing later", async () => {
	const { answers, load } = byHand();
	const mine = loader(load);
	mine.reload();
	mine.stop();
	assert.equal(answers[0].abort.aborted, true);
	answers[0].done("late");
	await soon();
	assert.equal(mine.state.value.data, undefined);
});
