// SPDX-License-Identifier: ISC
// The day of a rule author in a headless Chromium, by keyboard alone:
//
//	node rules.mjs MODULES CHROMIUM URL < PEOPLE
//
// PEOPLE is {"author": {email, password}, "admin": {...}, "line": N, "value": TEXT}:
// line N of the active rules of card.authorize ends with a threshold, and value is
// another one.  FOUR_EYES names the rules.  Prints "ok STEP" or "not ok STEP: WHY".
import { readFileSync } from "node:fs";
import { launch, steps, want, watch } from "./page.mjs";

const [modules, program, base] = process.argv.slice(2);
const people = JSON.parse(readFileSync(0, "utf8"));
const browser = await launch(modules, program);
const step = steps(browser);
const MOST_TABS = 60;

// A person with a browser of their own.
async function person({ email, password }) {
	const page = await (await browser.newContext()).newPage();
	const seen = await watch(page, base);
	const press = async (...keys) => {
		for (const key of keys)
			await page.keyboard.press(key);
	};
	const type = (text) => page.keyboard.type(text);
	const heading = (name) => page.getByRole("heading", { name, level: 1,
	    exact: true }).waitFor();
	// Tab until this has the focus, which must be visible.
	const tabTo = async (selector) => {
		await page.locator(selector).first().waitFor();
		for (let n = 0; n < MOST_TABS; n++) {
			if (await page.evaluate((which) =>
			    document.activeElement?.matches(which), selector))
				return;
			await press("Tab");
		}
		throw new Error(`Tab does not reach ${selector}`);
	};
	// Undo what was typed in the editor until it has this text again.
	const value = () => page.evaluate(() =>
	    document.querySelector("rule-editor").value);
	const undo = async (before) => {
		while (await value() !== before)
			await press("Control+z");
	};
	await page.goto(`${base}/console/`);
	await heading("Sign in");
	await type(email);
	await press("Tab");
	await type(password);
	await press("Enter");
	await heading("Home");
	const text = (words) => page.getByText(words).first().waitFor();
	// The dialog closes when the service has the proposal.
	const proposed = async () => {
		await page.getByRole("dialog").waitFor({ state: "detached" });
		await text("The change is proposed and waits for an approval.");
	};
	// The line of the editor says this with a link.
	const stands = (words, address) => page.locator(`a[href^='${address}']`)
	    .getByText(words, { exact: true }).waitFor();
	return { page, seen, press, type, heading, tabTo, value, undo, text, proposed,
	    stands };
}

// approve(reason, done, flips): the admin approves the newest pending proposal, which has
// this reason, and reads that it is done.
async function approve(reason, done = "The change is in effect.", flips = "main",
    effect = "of the newest") {
	await admin.press("g", "o");
	await admin.heading("Proposals");
	await admin.page.locator("tr[data-row]", { hasText: reason }).waitFor();
	await admin.tabTo("tr[data-row] a");
	await admin.press("Enter");
	await admin.page.locator(".facts", { hasText: reason }).waitFor();
	await admin.page.getByText(effect).first().waitFor();
	await admin.page.locator(flips).first().waitFor();
	await admin.press("A");
	await admin.page.getByRole("dialog").waitFor();
	await admin.tabTo("dialog textarea, dialog button[type=submit]");
	await admin.press("Control+Enter");
	await admin.text(done);
}

// What the impact says: against the active rules, and against the recorded verdicts.
const impactLines = () => author.page.locator(".impact p").allTextContents();

let author, admin, seed, event;
await step("an author signs in and opens the rules of a type", async () => {
	author = await person(people.author);
	await author.press("g", "r");
	await author.heading("Rules");
	await author.tabTo("a[href='#/rules/card.authorize']");
	await author.press("Enter");
	await author.heading("card.authorize");
	await author.page.locator("rule-editor .cm-content").waitFor();
	seed = await author.value();
});
await step("a mistake is shown by line and column while it is typed", async () => {
	await author.press("e");
	await author.press("Control+Home");
	await author.type("rule r {\n");
	await author.text("found \"rule\"");
	await author.page.locator("rule-editor .cm-lintRange-error").first()
	    .waitFor();
	await author.undo(seed);
	await author.text("rules without a mistake");
});
await step("a test that fails is shown while it is typed", async () => {
	await author.press("Control+End");
	await author.type("\ntest t { expect deny }");
	await author.text("the test t expected deny, found allow");
	await author.undo(seed);
	await author.type("\ntest t { expect allow }");
	await author.text("1 test passes.");
	await author.undo(seed);
});
await step("the editor completes a signal and tells what it means", async () => {
	await author.press("Control+End");
	await author.type("\nrule r { when event.am");
	await author.press("Control+Space");
	await author.page.locator(".cm-tooltip.cm-completionInfo").waitFor();
	await author.page.waitForTimeout(200); // the editor ignores a faster Enter
	await author.press("Enter");
	want((await author.page.locator(".cm-line").last().textContent())
	    .endsWith("when event.amount"), true);
	await author.undo(seed);
});
await step("a new velocity is computed for the samples", async () => {
	await author.press("Control+End");
	await author.type("\nvelocity mine = count by userId over 1h" +
	    "\nrule r_mine { when velocity.mine > 9999 then score += 9, tag mine }");
	await author.press("Control+Enter");
	await author.text("velocity.mine: recorded 0, computed ");
	await author.undo(seed);
});
await step("a threshold that is changed shows which verdicts change", async () => {
	await author.press("Control+Home");
	for (let line = 1; line < people.line; line++)
		await author.press("ArrowDown");
	await author.press("End", "Control+Backspace");
	await author.type(` ${people.value}`);
	await author.press("Control+Enter");
	await author.page.locator(".flips tr[data-row] a").first().waitFor();
	const [lead, recorded] = await impactLines();
	want(/^Other verdicts than the active rules on [1-9]\d* of the newest [\d,]+ /
	    .test(lead), true);
	want(/^Other verdicts than were recorded, .* on [1-9]\d* of them/
	    .test(recorded), true);
});
await step("a changed event has its verdicts, amount, label and user", async () => {
	const row = author.page.locator(".flips tr[data-row]").first();
	const cells = await row.locator("td").allTextContents();
	want(/^\d{4}-\d\d-\d\d \d\d:\d\d/.test(cells[0]), true);
	want(cells[2] !== cells[3], true);
	want(/^[A-Z]{3} [\d,.]+$/.test(cells[4]), true);
	want(["–", "Fraud", "Legit"].includes(cells[5]), true);
	want(await row.locator("a[href*='userId=']").count(), 1);
	const pairs = author.page.locator(".flips .mix tbody tr");
	want((await pairs.first().locator("td").allTextContents()).length, 4);
});
await step("all changed events are shown by page", async () => {
	await author.press("Escape");
	await author.tabTo(".flips tr[data-row] a");
	const rows = () => author.page.locator(".flips tr[data-row]").count();
	const more = author.page.locator(".flips .more button");
	want(await rows(), 50);
	for (let seen = 50; await more.count() > 0; seen = await rows()) {
		await author.press("m");
		await author.page.waitForFunction((n) => document
		    .querySelectorAll(".flips tr[data-row]").length > n, seen);
	}
	want(await author.page.locator(".flips [role=status]").textContent(),
	    `${await rows()} of ${await rows()}`);
});
await step("one pair of verdicts is chosen among the changed events", async () => {
	await author.page.locator(".flips select").focus();
	await author.press("ArrowDown");
	// A new impact may replace the counts meanwhile.
	await author.page.waitForFunction(() => {
		const [count, shown] = [".flips .mix tbody td", ".flips [role=status]"]
		    .map((place) => document.querySelector(place)?.textContent);
		return new RegExp(`^\\d+ of ${count}$`).test(shown);
	});
	want(new Set(await author.page.locator(".flips tr[data-row] td:nth-child(3)")
	    .allTextContents()).size, 1);
});
await step("Tab leads to an event that changes", async () => {
	await author.tabTo(".flips tr[data-row] a");
	event = await author.page.evaluate(() =>
	    document.activeElement.textContent);
	await author.press("Enter");
	await author.page.waitForURL(`**/#/decisions/${event}`);
	await author.page.locator(".facts").first().waitFor();
	await author.press("u");
	await author.text("unpublished changes");
});
await step("the author may propose the change, not publish it", async () => {
	await author.press("Control+s");
	await author.page.getByRole("dialog").waitFor();
	want(await author.page.getByRole("radio", { name: "Publish", exact: true })
	    .count(), 0);
	await author.press("Control+a");
	await author.type("day-1");
	await author.press("Tab");
	await author.type("fewer false alarms");
	await author.press("Control+Enter");
	await author.proposed();
	await author.stands("proposed as day-1", "#/proposals/prp_");
});
await step("the list of the rules says that the draft is proposed", async () => {
	const row = author.page.locator("tr[data-row='card.authorize']");
	await author.press("Escape", "Tab", "g", "r");
	await author.heading("Rules");
	await row.locator("a[href^='#/proposals/prp_']").getByText("proposed as day-1")
	    .waitFor();
	want(await author.page.getByText("unpublished changes").count(), 0);
	await author.tabTo("a[href='#/rules/card.authorize']");
	await author.press("Enter");
	// The list has this link, too.
	await author.page.locator("rule-editor .cm-content").waitFor();
	await author.stands("proposed as day-1", "#/proposals/prp_");
});
await step("the author starts the same text as a shadow", async () => {
	await author.press("Control+s");
	await author.page.getByRole("dialog").waitFor();
	await author.press("Shift+Tab", "ArrowRight");
	await author.tabTo("input[type=text]");
	await author.press("Control+a");
	await author.type("day-2");
	await author.press("Control+Enter");
	await author.text("day-2 runs as a shadow.");
	await author.text("See the shadow");
	await author.stands("in shadow as day-2", "#/shadows/card.authorize/shd_");
	await author.press("Escape", "Tab", "Z");
	await author.heading("card.authorize day-2");
	await author.page.locator(".difference tr.in").first().waitFor();
	await author.text(people.author.email);
	await author.press("u");
	await author.page.locator("rule-editor .cm-content").waitFor();
});
await step("the author proposes it as a shadow, and an admin approves", async () => {
	await author.press("Escape", "Control+s");
	await author.page.getByRole("dialog").waitFor();
	await author.press("Shift+Tab", "ArrowRight", "ArrowRight");
	await author.tabTo("input[type=text]");
	await author.press("Control+a");
	await author.type("day-3");
	await author.press("Tab");
	await author.type("watch it first");
	await author.press("Control+Enter");
	await author.proposed();
	await author.stands("proposed as the shadow day-3", "#/proposals/prp_");
	admin = await person(people.admin);
	await approve("watch it first", "The shadow runs.", ".flips tr[data-row]");
	await admin.page.getByText("See the shadow").waitFor();
	await admin.tabTo(".facts a[href^='#/shadows/card.authorize/shd_']");
});
await step("an admin approves the proposal", async () => {
	await approve("fewer false alarms");
	await admin.tabTo(".facts a[href='#/rules/card.authorize/versions/day-1']");
	await admin.press("g", "r");
	await admin.text("day-1");
});
await step("the text that is active changes none of its own verdicts", async () => {
	await author.press("Escape", "Control+Enter");
	await author.text(/^Other verdicts than the active rules on 0 of the newest /);
	const [, recorded] = await impactLines();
	want(/ on [1-9]\d* of them/.test(recorded), true);
	want(await author.page.locator(".flips").count(), 0);
});
await step("the editor says that its text decides and is in shadow", async () => {
	await author.stands("active as day-1", "#/rules/card.authorize/versions/day-1");
	await author.stands("in shadow as day-3", "#/shadows/card.authorize/shd_");
	want(await author.page.getByText("unpublished changes").count(), 0);
	const before = await author.value();
	await author.press("e", "Control+End");
	await author.type("\n# a remark");
	await author.stands("active as day-1, but for comments and layout",
	    "#/rules/card.authorize/versions/day-1");
	await author.type("\nrule");
	await author.text("unpublished changes");
	await author.undo(before);
});
await step("the author compares the shadow with what is active", async () => {
	// Both sides have the same rules: an example as the service answers it.
	await author.page.route("**/v1/model/shadow", async (route) => {
		const answer = await route.fetch();
		const shadows = await answer.json();
		for (const one of shadows)
			one.examples = [{ eventId: event, live: "allow",
			    decidedAt: one.startedAt, shadow: "review" }];
		await route.fulfill({ response: answer, json: shadows });
	});
	await author.press("Escape", "Tab", "g", "t");
	await author.heading("Backtests, shadows");
	await author.tabTo(".tabs a[href='#/backtests?tab=shadows']");
	await author.press("Enter");
	await author.page.locator("tr[data-row*=shd_]").waitFor();
	await author.tabTo("tr[data-row*=shd_] a");
	await author.press("Enter");
	await author.heading("card.authorize day-3");
	await author.tabTo(".facts a[href^='#/proposals/prp_']");
	await author.tabTo(`tr[data-row] a[href='#/decisions/${event}']`);
});
await step("the author proposes to roll it out to some of the users", async () => {
	await author.press("O");
	await author.page.getByRole("dialog").waitFor();
	await author.type("some users first");
	await author.press("Tab", "ArrowLeft", "Control+Enter");
	await author.proposed();
	await approve("some users first", undefined, undefined,
	    "# For 5 % of the users the shadow day-3 decides instead.");
	await admin.tabTo(".facts a[href^='#/shadows/card.authorize/shd_']");
	await author.text("The rollout, by who decides");
	want(await author.page.locator(".stat", { hasText: "Decides for users" })
	    .textContent(), "Decides for users5 %");
});
await step("the author proposes to promote it", async () => {
	await author.press("P");
	await author.page.getByRole("dialog").waitFor();
	await author.type("as good, fewer alarms");
	await author.press("Control+Enter");
	await author.proposed();
	await approve("as good, fewer alarms");
});
await step("the author proposes to roll back, and the admin approves", async () => {
	await author.press("g", "r");
	await author.tabTo("a[href='#/rules/card.authorize']");
	await author.press("Enter");
	await author.tabTo(".tabs a[href='#/rules/card.authorize/versions']");
	await author.press("Enter");
	await author.page.locator("tr[data-row]").first().waitFor();
	await author.tabTo("tr[data-row^=seed] a");
	await author.press("Enter");
	await author.page.locator(".difference tr.in").first().waitFor();
	await author.press("R");
	await author.page.getByRole("dialog").waitFor();
	await author.type("too many alarms");
	await author.press("Control+Enter");
	await author.proposed();
	await approve("too many alarms");
});
await step("a policy says that its draft is proposed, and so does the list", async () => {
	await author.press("g", "p");
	await author.tabTo("a[href='#/policies/pol_order_place']");
	await author.press("Enter");
	await author.stands("active as v0.4.0",
	    "#/policies/pol_order_place/versions/v0.4.0");
	const edge = author.page.locator("table.bands input[type=number]").first();
	const value = Number(await edge.inputValue());
	await edge.fill(String(value - 1));
	await author.text("unpublished changes");
	await author.press("Control+s");
	await author.page.getByRole("dialog").waitFor();
	await author.press("Control+a");
	await author.type("bands-0");
	await author.press("Tab");
	await author.type("fewer reviews");
	await author.press("Control+Enter");
	await author.proposed();
	await author.stands("proposed as bands-0", "#/proposals/prp_");
	want(await author.page.getByText("unpublished changes").count(), 0);
	await author.tabTo("table.bands button");
	await author.press("g", "p");
	await author.heading("Policies");
	await author.stands("proposed as bands-0", "#/proposals/prp_");
	want(await author.page.getByText("unpublished changes").count(), 0);
	await author.tabTo("a[href='#/policies/pol_order_place']");
	await author.press("Enter");
	await edge.fill(String(value - 2));
	await author.text("unpublished changes");
});
await step("a publication keeps what is typed while it is under way", async () => {
	const { page } = admin;
	await admin.press("g", "p");
	await admin.tabTo("tr[data-row] a");
	await admin.press("Enter");
	const edge = page.locator("table.bands input[type=number]").first();
	const value = Number(await edge.inputValue());
	await edge.fill(String(value - 1));
	let answer;
	const asked = new Promise((done) => {
		page.route("**/v1/policies", (route) => {
			if (route.request().method() !== "POST")
				return route.continue();
			answer = () => route.continue();
			return done();
		});
	});
	await admin.press("Control+s");
	await page.getByRole("dialog").waitFor();
	await admin.press("Control+a");
	await admin.type("bands-1");
	await admin.press("Control+Enter");
	await asked;
	await admin.press("Escape");
	await page.getByRole("dialog").waitFor({ state: "detached" });
	await page.keyboard.down("g");
	await page.keyboard.up("g");
	await page.locator(".missed").first().waitFor();
	await edge.fill(String(value - 2));
	await answer();
	await admin.text("bands-1 is active.");
	await page.locator("h2 code", { hasText: "bands-1" }).waitFor();
	want(await edge.inputValue(), String(value - 2));
	await admin.text("unpublished changes");
});
await step("nothing broke the policy and nothing left the site", async () => {
	for (const { seen } of [author, admin]) {
		want(seen.errors.filter((error) => !error.includes("401"))
		    .join("; "), "");
		want(seen.otherHosts.join(), "");
	}
});
await browser.close();
