// SPDX-License-Identifier: ISC
// The shift of two analysts in the console, by keyboard alone:
//
//	node shift.mjs MODULES CHROMIUM URL < CREDENTIALS
//
// CREDENTIALS is { password }: that of ana@example.com and bob@example.com, whose
// queue has eight cases about texts that try to be HTML.
import { readFileSync } from "node:fs";
import { launch, partOf, steps, want, watch } from "./page.mjs";

const [modules, program, base] = process.argv.slice(2);
const { password } = JSON.parse(readFileSync(0, "utf8"));
const browser = await launch(modules, program);
const step = steps(browser);

async function signedIn(email) {
	const context = await browser.newContext({ viewport: { width: 1280,
	    height: 800 } });
	const page = await context.newPage();
	const seen = await watch(page, base);
	await page.goto(`${base}/console/`);
	await page.getByRole("heading", { name: "Sign in" }).waitFor();
	await page.keyboard.type(email);
	await page.keyboard.press("Tab");
	await page.keyboard.type(password);
	await page.keyboard.press("Enter");
	await page.getByRole("heading", { name: "Home" }).waitFor();
	return { page, seen };
}
const { page: ana, seen } = await signedIn("ana@example.com");
const { page: bob, seen: seenByBob } = await signedIn("bob@example.com");

// What is wrong with the focus, "" if nothing: who uses the keyboard sees where it is,
// by an outline with a contrast of 3:1.  The page itself has none.
function focusFault() {
	const one = document.activeElement;
	if (one.matches("body, [tabindex='-1']") || !one.matches(":focus-visible"))
		return "";
	const name = one.outerHTML.slice(0, 80);
	const { top, bottom, left, right } = one.getBoundingClientRect();
	if (bottom <= 0 || top >= innerHeight || right <= 0 || left >= innerWidth)
		return `not in view: ${name}`;
	const marked = one.matches(".segments input") ? one.nextElementSibling : one;
	const { outlineStyle, outlineColor } = getComputedStyle(marked);
	const light = (color) => color.match(/[\d.]+/g).slice(0, 3).map((part) =>
	    part / 255).map((c) => c <= 0.04045 ? c / 12.92 :
	    ((c + 0.055) / 1.055) ** 2.4).reduce((sum, c, i) =>
	    sum + c * [0.2126, 0.7152, 0.0722][i], 0.05);
	let behind = marked.parentElement;
	while (/, 0\)$/.test(getComputedStyle(behind).backgroundColor))
		behind = behind.parentElement;
	const [low, high] = [outlineColor, getComputedStyle(behind).backgroundColor]
	    .map(light).sort((a, b) => a - b);
	return outlineStyle !== "none" && high / low >= 3 ? "" :
	    `no outline that one sees: ${name}`;
}

async function press(page, key) {
	await page.keyboard.press(key);
	// A part of the page may arrive just now.
	for (let tries = 0; await page.evaluate(focusFault) !== "" && tries < 20; tries++)
		await page.waitForTimeout(100);
	want(await page.evaluate(focusFault), "");
}
async function keys(page, ...pressed) {
	for (const key of pressed)
		await press(page, key);
}
const rowsOf = (page, path) => partOf(page, path, "tbody tr");
const said = (page, text) => page.locator(".toast").filter({ hasText: text })
    .first().waitFor();
const idOf = (page) => decodeURIComponent(page.url().split("#/cases/")[1] ?? "");
// The page shows the case of the address, and that is another case than not.
const inCase = (page, not = "") => page.waitForFunction((other) => {
	const [, id] = /^#\/cases\/(cse_\w+)/.exec(location.hash) ?? [];
	return id !== undefined && id !== other &&
	    document.querySelector(`.lead [title="${id}"]`) !== null &&
	    document.querySelector(".timeline") !== null;
}, not);
const focused = (page, selector) => page.waitForFunction((which) =>
    document.activeElement.matches(which), selector);
const read = (page, id) => page.evaluate(async (which) => (await fetch(
    `/v1/cases/${which}`, { headers: { "Assay-Session": "cookie" } })).json(), id);

// Press Tab until the focus is on what the selector names.
async function tabTo(page, selector) {
	await page.locator(selector).first().waitFor();
	for (let i = 0; i < 120; i++) {
		await press(page, "Tab");
		if (await page.evaluate((which) =>
		    document.activeElement.matches(which), selector))
			return;
	}
	throw new Error(`Tab does not reach ${selector}`);
}

await step("g c opens the queue, which counts what waits", async () => {
	await keys(ana, "g", "c");
	await rowsOf(ana, "/cases").nth(7).waitFor();
	await ana.locator(".tile .count", { hasText: /^8 waiting$/ }).waitFor();
});
await step("without a focus keys mean the first row of the queue", async () => {
	await keys(ana, "x");
	await ana.locator("tbody tr:first-child.chosen").waitFor();
	await keys(ana, "x");
	await ana.locator("tbody tr.chosen").waitFor({ state: "detached" });
	await keys(ana, "o");
	await inCase(ana);
	await keys(ana, "u");
});
await step("o opens the first row after a click on a state", async () => {
	for (const state of ["Snoozed", "Waiting"])
		await ana.getByRole("radio", { name: state }).check({ force: true });
	await rowsOf(ana, "/cases").nth(7).waitFor();
	await keys(ana, "o");
	await inCase(ana);
	await keys(ana, "u");
});
await step("the row with the focus is shown beside the list", async () => {
	await focused(ana, "tbody tr:first-child a");
	await keys(ana, "k");
	await ana.locator(".case-preview .rules .fired").first().waitFor();
	await focused(ana, "tbody tr:first-child a");
});
await step("Enter opens a case and a takes it", async () => {
	await keys(ana, "j", "Enter");
	await inCase(ana);
	await keys(ana, "a");
	await said(ana, "The case is yours.");
	want((await read(ana, idOf(ana))).assignedTo, "ana@example.com");
});
await step("texts of an event are shown as text", async () => {
	await ana.getByText("<img src=x onerror=document.title=1>\\u{202e}").first()
	    .waitFor();
	await ana.getByText("<script>document.title=2</script>").first().waitFor();
	want(await ana.locator("main img, main script, main iframe").count(), 0);
});
await step("the user of a case opens its page, and u goes back", async () => {
	await tabTo(ana, ".facts a[href*='/entity/user/']");
	await keys(ana, "Enter");
	await ana.getByRole("heading", { name: "user watched" }).waitFor();
	await keys(ana, "u");
	await inCase(ana);
});
await step("e and v go to the reasons and to the links", async () => {
	await keys(ana, "e");
	await focused(ana, "#why");
	await keys(ana, "v");
	await focused(ana, "#links");
});
await step("c and Ctrl+Enter add a note", async () => {
	await keys(ana, "c");
	await ana.keyboard.type("<b>called</b> the customer");
	await keys(ana, "Control+Enter");
	await ana.locator(".notes").getByText("<b>called</b> the customer").waitFor();
	await keys(ana, "Escape");
	await focused(ana, "main");
});
await step("1, a reason and Ctrl+Enter resolve and open the next case", async () => {
	const id = idOf(ana);
	await keys(ana, "1");
	await ana.keyboard.type("stolen");
	await keys(ana, "Control+Enter");
	await inCase(ana, id);
	const { resolution } = await read(ana, id);
	want(`${resolution.outcome} ${resolution.note}`, "fraud stolen");
	want((await read(ana, idOf(ana))).assignedTo, "ana@example.com");
});
await step("Z reopens the case, and says who has the one after it", async () => {
	const next = idOf(ana);
	await keys(ana, "Z");
	await said(ana, "The case is open again. The next one stays yours.");
	await inCase(ana, next);
	want((await read(ana, next)).assignedTo, "ana@example.com");
	await ana.evaluate(async ([id, following]) => {
		await fetch(`/v1/cases/${id}/resolve`, { method: "POST",
		    headers: { "Assay-Session": "cookie",
			"Content-Type": "application/json" },
		    body: JSON.stringify({ outcome: "fraud", note: "stolen" }) });
		location.hash = `#/cases/${following}`;
	}, [idOf(ana), next]);
	await ana.waitForFunction((id) => document.querySelector(`.lead [title="${id}"]`),
	    next);
	await inCase(ana);
});
await step("r releases, z snoozes and wakes", async () => {
	await keys(ana, "r");
	await said(ana, "The case is open again.");
	await ana.getByRole("button", { name: /^Take/ }).waitFor();
	await keys(ana, "z");
	await ana.getByRole("dialog").waitFor();
	await keys(ana, "Control+Enter");
	await said(ana, "The case is snoozed.");
	await ana.getByRole("button", { name: /^Wake/ }).waitFor();
	want((await read(ana, idOf(ana))).snoozedUntil !== null, true);
	await keys(ana, "z");
	await said(ana, "The case is in its queue again.");
});
await step("n gives an analyst five cases at most, and leads to them", async () => {
	await keys(bob, "g", "c");
	await rowsOf(bob, "/cases").first().waitFor();
	for (let i = 0, id; i < 5; i++) {
		await keys(bob, "n");
		await inCase(bob, id);
		id = idOf(bob);
	}
	await keys(bob, "n");
	await said(bob, "You hold 5 cases. Finish or release one first.");
	await keys(bob, "Z");
	await bob.waitForFunction(() => location.hash === "#/cases?state=mine");
	await rowsOf(bob, "/cases").nth(4).waitFor();
	want(await rowsOf(bob, "/cases").count(), 5);
	await bob.evaluate(async () => {
		const headers = { "Assay-Session": "cookie" };
		const held = await fetch("/v1/cases?queue=*&assignee=me", { headers });
		for (const { id } of await held.json())
			await fetch(`/v1/cases/${id}/release`, { method: "POST", headers });
	});
});
await step("two analysts who press n at once get two cases", async () => {
	for (const page of [ana, bob]) {
		await keys(page, "g", "c");
		await rowsOf(page, "/cases").first().waitFor();
	}
	await Promise.all([keys(ana, "n"), keys(bob, "n")]);
	await Promise.all([inCase(ana), inCase(bob)]);
	want(idOf(ana) !== idOf(bob), true);
});
await step("who was slower reads who was faster, and keeps the reason", async () => {
	const id = idOf(ana);
	const typed = "bob has looked at it, too";
	await keys(bob, "Control+k");
	await bob.keyboard.type(id);
	await keys(bob, "Enter");
	await inCase(bob);
	await bob.getByText("ana@example.com works on this case.").waitFor();
	await keys(bob, "2");
	await bob.keyboard.type(typed);
	await keys(ana, "1", "Control+Enter");
	await inCase(ana, id);
	await keys(bob, "Control+Enter");
	await bob.getByText("ana@example.com was faster").or(bob.getByRole("dialog"))
	    .first().waitFor();
	if (await bob.getByRole("dialog").count() > 0)
		await keys(bob, "Enter");
	await bob.getByText("ana@example.com was faster and resolved this case " +
	    "as fraud").waitFor();
	await bob.getByText(typed).waitFor();
	await tabTo(bob, ".note .button");
	await keys(bob, "Enter");
	await bob.locator(".notes").getByText(typed).waitFor();
	want((await read(bob, id)).resolution.outcome, "fraud");
});
await step("R opens a resolved case again", async () => {
	const id = idOf(bob);
	await keys(bob, "Escape", "R");
	await bob.getByRole("dialog").waitFor();
	await keys(bob, "Control+Enter");
	await said(bob, "The case is open again.");
	want((await read(bob, id)).status, "open");
});
await step("x, X and 3 resolve several cases at once", async () => {
	await keys(ana, "Escape", "g", "c");
	await rowsOf(ana, "/cases").nth(2).waitFor();
	await keys(ana, "j", "x", "j", "X");
	await ana.getByText("2 cases selected").waitFor();
	await keys(ana, "3");
	await ana.getByRole("dialog").waitFor();
	await ana.keyboard.type("one ring");
	await keys(ana, "Control+Enter");
	await said(ana, "2 cases resolved");
});
// An analyst proposes to block the first value of the case; its proposal.  The reason of
// the entry is that of the proposal, too; with late the entry has none.
async function proposeBlock(reason, { late = false } = {}) {
	await keys(ana, "b");
	const entry = ana.getByRole("dialog", { name: "Add an entry" });
	await entry.waitFor();
	if (!late)
		await entry.getByLabel("Reason", { exact: true }).fill(reason);
	await keys(ana, "Control+Enter");
	const change = ana.getByRole("dialog", { name: "Propose the change" });
	await change.waitFor();
	if (late)
		await ana.keyboard.type(reason);
	want(await change.getByLabel("Reason", { exact: true }).inputValue(), reason);
	await keys(ana, "Control+Enter");
	await said(ana, "The change is proposed and waits for an approval.");
	await ana.getByRole("dialog").waitFor({ state: "detached" });
	await keys(ana, "Z");
	await ana.getByRole("heading", { name: "Lists block user watched" }).waitFor();
	return ana.url().split("#/proposals/")[1];
}
// Who else has proposed something, as an analyst sees it.
const proposals = (page) => page.evaluate(async () => (await fetch("/v1/proposals",
    { headers: { "Assay-Session": "cookie" } })).json());
await step("an analyst proposes a block, and withdraws it with W", async () => {
	await keys(ana, "n");
	await inCase(ana);
	await ana.getByRole("button", { name: /^Propose a block/ }).waitFor();
	want(await ana.getByRole("button", { name: /^(Block|Watch)/ }).count(), 0);
	await proposeBlock("too early", { late: true });
	await keys(ana, "W");
	await ana.getByRole("dialog").waitFor();
	await keys(ana, "Control+Enter");
	await said(ana, "The proposal is withdrawn.");
	want((await proposals(ana)).map(({ status }) => status).join(), "withdrawn");
});
await step("an admin approves what an analyst proposes, and others do not see it",
    async () => {
	await keys(ana, "u");
	await inCase(ana);
	const id = await proposeBlock("one ring, says the bank");
	want((await proposals(bob)).length, 0);
	const { page: admin, seen: seenByAdmin } = await signedIn("admin@example.com");
	await keys(admin, "g", "o");
	await admin.locator("td", { hasText: "one ring, says the bank" }).waitFor();
	await keys(admin, "j", "Enter");
	// The list shows the same words.
	await admin.getByRole("heading", { name: "Lists block user watched" }).waitFor();
	await keys(admin, "A");
	await admin.getByRole("dialog").waitFor();
	await keys(admin, "Control+Enter");
	await said(admin, "The change is in effect.");
	want((await proposals(admin)).filter((one) => one.id === id)[0].status,
	    "approved");
	want(seenByAdmin.errors.filter((text) => !/status of 401/.test(text)).join(), "");
	await admin.context().close();
	await keys(ana, "g", "o");
	await ana.getByText("You see your own proposals.").waitFor();
	await ana.getByText("No change waits for an approval.").waitFor();
});
await step("a decision is tried with another signal", async () => {
	await keys(ana, "g", "d");
	await rowsOf(ana, "/decisions").first().waitFor();
	await keys(ana, "l");
	await ana.waitForFunction(() => location.hash.includes("live=1"));
	await keys(ana, "l", "j", "Enter");
	await ana.locator(".changes").waitFor();
	await tabTo(ana, "tbody .button");
	await keys(ana, "Enter");
	await focused(ana, ".try-row input");
	await ana.keyboard.type("0");
	await keys(ana, "Control+Enter");
	await ana.getByText(/^(It would be|Nothing changes):$/).waitFor();
});
await step("the browsers report no error and ask no other host", async () => {
	for (const { errors, otherHosts } of [seen, seenByBob]) {
		want(otherHosts.join(), "");
		// Before the login; the slower analyst.
		want(errors.filter((text) => !/status of (401|409)/.test(text))
		    .join(), "");
	}
	want(await ana.title(), "order.place EUR 5,000.00 · Assay");
});
await browser.close();
