// SPDX-License-Identifier: ISC
// Times, amounts and ids as the console writes them, in the zone of TZ.
import assert from "node:assert/strict";
import test from "node:test";
import { readFileSync } from "node:fs";
import { masked } from "../../console/entity/masks.js";
import * as format from "../../console/format.js";

const AT = "2026-11-23T23:35:02.125Z";

test("a time is written in UTC and in the zone of the machine", () => {
	const local = { UTC: "2026-11-23 23:35:02",
	    "Asia/Kathmandu": "2026-11-24 05:20:02",
	    "America/St_Johns": "2026-11-23 20:05:02" }[process.env.TZ];
	assert.equal(format.time(AT, "utc"), "2026-11-23 23:35:02");
	assert.equal(format.time(AT, "local"), local);
	assert.equal(format.time(null, "utc"), "");
	assert.equal(format.time("soon", "utc"), "");
});
test("midnight is 00 and not 24", () => {
	assert.equal(format.time("2026-11-23T00:00:00Z", "utc"),
	    "2026-11-23 00:00:00");
});
test("a zone has a name", () => {
	assert.equal(format.zoneName("utc"), "UTC");
	assert.match(format.zoneName("local"), /^[A-Z]/);
	for (const zone of ["utc", "local"])
		assert.equal(format.zoneName(zone, NaN), "");
});
test("a zone has an offset without a name", () => {
	const offset = { UTC: "UTC+0", "Asia/Kathmandu": "UTC+5:45",
	    "America/St_Johns": "UTC-3:30" }[process.env.TZ];
	assert.equal(format.zoneOffset(AT), offset);
});
test("a number has separators from a thousand on", () => {
	for (const [value, text] of [[0, "0"], [999, "999"], [1000, "1,000"],
	    [-1000, "-1,000"], [0.5, "0.5"], [null, ""], [undefined, ""]])
		assert.equal(format.number(value), text);
});
test("a duration has its largest whole unit", () => {
	for (const [seconds, text] of [[0, "0 s"], [59.9, "59 s"], [60, "1 min"],
	    [7199, "1 h"], [86400, "1 d"], [-5, "0 s"]])
		assert.equal(format.duration(seconds), text);
	assert.equal(format.age(AT, Date.parse(AT) + 3 * 3600e3), "3 h");
	assert.equal(format.age(undefined, 0), "");
});
test("an amount has its currency and its digits", () => {
	assert.equal(format.amount(1000.01, "EUR"), "EUR 1,000.01");
	assert.equal(format.amount(1000, "JPY"), "JPY 1,000");
	assert.equal(format.amount(5, null), "5");
	assert.equal(format.amount(null, "EUR"), "");
});
test("an amount is not rounded", () => {
	assert.equal(format.amount(999999999999.99, "JPY"), "JPY 999,999,999,999.99");
	assert.equal(format.amount(0.125, "EUR"), "EUR 0.125");
	assert.equal(format.amount(1234.5678, null), "1,234.5678");
});
test("of a long text the two ends stay", () => {
	for (const [text, most, shown] of [["", 5, ""], ["abcde", 5, "abcde"],
	    ["abcdef", 5, "ab…ef"], ["abcdefg", 6, "abc…fg"],
	    ["👍👍👍👍👍👍", 5, "👍👍…👍👍"], ["abc", Infinity, "abc"]])
		assert.equal(format.cut(text, most), shown);
});
test("a share is a percentage that hides no small share", () => {
	assert.equal(format.percent(0), "0.0 %");
	assert.equal(format.percent(0.0004), "<0.1 %");
	assert.equal(format.percent(0.1234), "12.3 %");
	assert.equal(format.percent(1), "100 %");
	assert.equal(format.percent(null), "");
});
test("a country has its name, and an unknown code stays", () => {
	assert.equal(format.country("DE"), "Germany");
	assert.equal(format.country("x<"), "x<");
	assert.equal(format.country(null), "");
});
test("a short id keeps its prefix and its end", () => {
	assert.equal(format.shortId("cse_01234567890abcdefgh"), "cse_…abcdefgh");
	assert.equal(format.shortId("u-0001"), "u-0001");
});
test("a day of UTC stays that day in every zone", () => {
	assert.equal(format.day("2026-11-23"), "23 Nov");
});
test("an assayctl line quotes what a shell would read otherwise", () => {
	assert.equal(format.cliLine("cases resolve", ["cse_1", "fraud"],
	    { note: "it's $HOME", force: true, no: null }),
	    "assayctl cases resolve --note 'it'\\''s $HOME' --force cse_1 fraud");
	assert.equal(format.cliLine("audit", [""]), "assayctl audit ''");
});
test("an address and a phone are masked as the service masks them", () => {
	const rows = [...readFileSync(new URL("../unit/masks.tbl", import.meta.url), "utf8")
	    .matchAll(/^MASK\((\w+), "(.*)", "(.*)"\)$/gm)];
	assert.ok(rows.length > 10);
	for (const [, kind, id, want] of rows)
		assert.equal(masked(kind, id), want);
});
test("what is no address or phone shows nothing, and other ids stay", () => {
	for (const [kind, id, want] of [["ip", "1.2.3", "•"], ["ip", "host", "•"],
	    ["ip", "1:2:3", "•"], ["ip", "1:2:3:4:5:6:7::8", "•"],
	    ["ip", "1::2::3", "•"], ["ip", "g::1", "•"], ["ip", "", "•"],
	    ["ip", "1.2.3.0/24", "1.2.•.•/24"],
	    ["ip", "2001:db8:1:2::/64", "2001:db8:•/64"], ["phone", "", "•••••"],
	    ["phone", "+251 911-234-544", "+2519•••••44"], ["user", "1.2.3.4", "1.2.3.4"]])
		assert.equal(masked(kind, id), want);
});
