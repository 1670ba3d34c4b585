// SPDX-License-Identifier: ISC
// What fits into the window, with values as long as they can be, and where the operator
// comes back to:
//
//	node fits.mjs MODULES CHROMIUM URL [FOLDER] < CREDENTIALS
//
// CREDENTIALS is the body of a login, with the id "user" and the id "event" that are
// long, and the id of a "backtest" with verdicts that differ.  With FOLDER the script
// saves pictures there.  Prints "ok STEP" or "not ok STEP: WHY" for each step and stops
// at the first that fails.
import { readFileSync } from "node:fs";
import { launch, partOf, show, signIn, steps, want, watch } from "./page.mjs";

const [modules, program, base, folder] = process.argv.slice(2);
const { email, password, user, event, backtest } = JSON.parse(readFileSync(0, "utf8"));
const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };
// Screens with rows, and what the cards of each show.  No list follows one of the same
// screen, which would still show the rows of the other for a moment.
const LISTS = [
	["/cases", "#/cases", ["Verdict", "Score", "Amount", "Age"]],
	["/decisions", "#/decisions", ["Verdict", "Score", "Amount", "Time"]],
	["/cases", "#/cases?state=assigned", ["Verdict", "Score", "Amount", "Age", "State"]],
	["/deliveries", "#/deliveries", ["State"]],
	["/audit", "#/audit", ["Time", "Who", "Did what", "Status"]],
	[`/backtests/${backtest}`, `#/backtests/${backtest}`,
	    ["Time", "Active", "Candidate", "Amount"]],
];

const browser = await launch(modules, program);
const context = await browser.newContext({ viewport: WIDE, reducedMotion: "reduce",
    timezoneId: "Asia/Kathmandu" });
const page = await context.newPage();
const seen = await watch(page, base);
const step = steps(browser);
await signIn(page, base, email, password);
// The browser reports that there was no session before.
seen.errors = [];

const rowsOf = (path) => partOf(page, path, "tr[data-row]");
const settled = (check, ...values) => page.waitForFunction(check, ...values);

async function picture(name) {
	if (folder)
		await page.screenshot({ path: `${folder}/${name}.png` });
}

// The cells that decide and that the window or the box of the table cuts off.
function cutOff() {
	const most = document.documentElement.clientWidth;
	return [...document.querySelectorAll("main td:is(.decides, [data-main])")]
	    .filter((cell) => {
		const box = cell.closest(".table-box").getBoundingClientRect();
		const texts = document.createRange();
		texts.selectNodeContents(cell);
		const { left, right } = texts.getBoundingClientRect();
		return cell.textContent !== "" && (left < box.left ||
		    right > Math.min(most, box.right));
	    }).map((cell) => `${cell.dataset.label} ${cell.textContent}`);
}

// What the cards of these rows do not show, of the cells with these labels.  A login has
// no amount.
function lacking(rows, labels) {
	return rows.flatMap((row) => labels.filter((label) => {
		const cell = row.querySelector(`td[data-label="${label}"]`);
		return cell === null || cell.textContent !== "" &&
		    !cell.checkVisibility();
	}));
}

// Open each list in a window of this size, and look at it.
async function onEachList(size, name, look) {
	await page.setViewportSize(size);
	for (const [path, hash, labels] of LISTS) {
		await show(page, hash, "tr[data-row]");
		await picture(`${name}${hash.replace(/\W+/g, "-")}`);
		await look(path, labels);
	}
}

await step("at 1280 pixels no long value pushes a cell that decides out of view",
    () => onEachList(WIDE, "wide", async () =>
	want((await page.evaluate(cutOff)).join("; "), "")));
await step("at 360 pixels each row is a card with what decides", () =>
    onEachList(PHONE, "phone", async (path, labels) => {
	await settled(() => [...document.querySelectorAll("main table:has(tr[data-row]) thead " +
	    "th:not(.select)")]
	    .every((head) => head.getClientRects().length === 0));
	want((await page.evaluate(cutOff)).join("; "), "");
	want((await rowsOf(path).evaluateAll(lacking, labels)).join("; "), "");
    }));
await step("a card takes its case without a key", async () => {
	await show(page, "#/cases", "tr[data-row]");
	const row = rowsOf("/cases").first();
	const id = await row.getAttribute("data-row");
	await row.getByRole("button", { name: "Take" }).click();
	await page.locator(".toast", { hasText: "The case is yours." }).waitFor();
	await page.locator(`tr[data-row="${id}"]`).waitFor({ state: "detached" });
});
await step("on a phone the outcome of a case is in the window", async () => {
	await rowsOf("/cases").first().getByRole("link", { name: "Open" }).click();
	await page.locator(".outcome-bar").waitFor();
	await picture("phone-case");
	for (const name of ["fraud", "legit", "inconclusive", "Resolve + next"]) {
		const { y, height } = await page.getByRole("button", { name })
		    .first().boundingBox();
		want(y >= 0 && y + height <= PHONE.height, true);
	}
	await page.setViewportSize(WIDE);
});
await step("the dialog to hand over a case offers operators that are known", async () => {
	await show(page, "#/cases?state=assigned", "tr[data-row]");
	await rowsOf("/cases").filter({ hasText: "someone" }).first()
	    .locator("td[data-main] a").click();
	await page.locator(".timeline").waitFor();
	await page.keyboard.press("h");
	await page.locator(`dialog option[value="${email}"]`)
	    .waitFor({ state: "attached" });
	await page.keyboard.press("Escape");
});
await step("the dialogs for operators begin in their first field", async () => {
	await show(page, "#/users", "tr[data-row]");
	await page.getByRole("button", { name: "Add an operator" }).click();
	await settled(() => document.activeElement.matches("dialog input[type=email]"));
	await page.keyboard.press("Escape");
});
await step("a long value has its two ends, and all of it as its title", async () => {
	await show(page, "#/decisions", "tr[data-row]");
	const link = page.locator(`main [title="${event}"]`).first();
	want(await link.innerText(), `${event.slice(0, 12)}…${event.slice(-11)}`);
	want((await page.locator(`main a[title="${user}"]`).first().innerText()).length,
	    18);
});
await step("u comes back to the row that was left, where it was", async () => {
	await show(page, "#/cases", "tr[data-row]");
	const row = rowsOf("/cases").nth(25);
	const id = await row.getAttribute("data-row");
	await row.scrollIntoViewIfNeeded();
	const { y } = await row.boundingBox();
	await row.locator("td[data-main] a").click();
	await partOf(page, `/cases/${id}`, ".timeline").waitFor();
	await page.keyboard.press("u");
	await settled((which) => document.activeElement.closest("tr")?.dataset.row ===
	    which, id);
	want(Math.abs((await row.boundingBox()).y - y) < 2, true);
});
await step("u comes back to rows that were loaded later", async () => {
	await show(page, "#/decisions", "tr[data-row]");
	await page.keyboard.press("m");
	const row = rowsOf("/decisions").nth(150);
	const id = await row.getAttribute("data-row");
	await row.locator("td[data-main] a").click();
	await page.locator(".lead .score").waitFor();
	await page.keyboard.press("u");
	await settled((which) => document.activeElement.closest("tr")?.dataset.row ===
	    which, id);
});
await step("a new visit of a list begins at its top", async () => {
	await show(page, "#/audit", "tr[data-row]");
	await page.keyboard.press("g");
	await page.keyboard.press("d");
	await rowsOf("/decisions").first().waitFor();
	await page.waitForLoadState("networkidle");
	want(await page.evaluate(() => scrollY), 0);
});
await step("a filter without a field is seen, and pressing it ends it", async () => {
	await show(page, "#/cases?minScore=1", "tr[data-row]");
	want(await page.getByLabel("Score from", { exact: true }).count(), 0);
	await page.getByRole("button", { name: "More filters" }).click();
	want(await page.getByLabel("Score from", { exact: true }).inputValue(), "1");
	await page.getByRole("button", { name: "Fewer filters" }).click();
	await page.getByRole("button", { name: "End the filter Score from: 1" }).click();
	await settled(() => !location.hash.includes("minScore"));
	want(await page.getByRole("button", { name: "Clear filters" }).count(), 0);
});
await step("a time in a filter is written as times are, in the zone of the page",
    async () => {
	await show(page, "#/audit", "tr[data-row]");
	const field = page.getByLabel("Since (UTC)");
	await field.fill("2026-02-30");
	await field.press("Enter");
	await page.getByText("Write it as YYYY-MM-DD HH:MM.").waitFor();
	await field.fill("2026-01-02 03:04");
	await field.press("Enter");
	await settled(() => decodeURIComponent(location.hash)
	    .includes("since=2026-01-02T03:04:00.000Z"));
	await page.getByRole("button", { name: /^Times in UTC/ }).click();
	want(await page.getByLabel("Since (GMT+5:45)").inputValue(), "2026-01-02 08:49");
	await page.getByRole("button", { name: "Clear filters" }).click();
	await settled(() => !location.hash.includes("since"));
    });
await step("the page had no error", () => want(seen.errors.join("; "), ""));
await browser.close();
