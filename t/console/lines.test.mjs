// SPDX-License-Identifier: ISC
// The assayctl commands that the console shows beside its actions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { caseLines, nextLine } from "../../console/cases/commands.js";
import { cliLine } from "../../console/format.js";

const said = ({ words, operands, options }) => cliLine(words, operands, options);

test("each act on a case has its command", () => {
	assert.equal(said(caseLines.take("cse_1")), "assayctl cases assign cse_1");
	assert.equal(said(caseLines.handOver("cse_1", "bob@example.com")),
	    "assayctl cases hand-over cse_1 bob@example.com");
	assert.equal(said(caseLines.handOver("cse_1")),
	    "assayctl cases hand-over cse_1 EMAIL");
	assert.equal(said(caseLines.reopen("cse_1", "a mistake")),
	    "assayctl cases reopen --note 'a mistake' cse_1");
	assert.equal(said(caseLines.note("cse_1", "it's his card")),
	    "assayctl cases note cse_1 'it'\\''s his card'");
});

test("a case is snoozed for days, or until a time", () => {
	assert.equal(said(caseLines.snooze("cse_1", 72)),
	    "assayctl cases snooze --days 3 cse_1");
	const { options } = caseLines.snooze("cse_1", 4);
	const hours = (Date.parse(options.until) - Date.now()) / 3600000;
	assert.ok(hours > 3.9 && hours <= 4, `${hours} hours`);
});

test("the next case is that of the list", () => {
	assert.equal(said(nextLine({})), "assayctl cases next --most 5");
	assert.equal(said(nextLine({ queue: "vip", order: "score" })),
	    "assayctl cases next --queue vip --order score --most 5");
});
