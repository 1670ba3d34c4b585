// SPDX-License-Identifier: ISC
// What the console offers beside its lists: the commands of assayctl, the target times
// of queues, the search for users and rules, and the filters and changes of entries:
//
//	node actions.mjs MODULES CHROMIUM URL < INPUT
//
// INPUT is { password, user, queue }: the password of admin@example.com, a user with
// events, and the queue of its cases.
import { readFileSync } from "node:fs";
import { launch, show, signIn, steps, want, watch } from "./page.mjs";

const [modules, program, base] = process.argv.slice(2);
const { password, user, queue } = JSON.parse(readFileSync(0, "utf8"));
const browser = await launch(modules, program);
const step = steps(browser);
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
const page = await context.newPage();
const seen = await watch(page, base);
await signIn(page, base, "admin@example.com", password);
seen.errors = [];

const button = (name) => page.getByRole("button", { name, exact: true });
const field = (name) => page.getByLabel(name, { exact: true });
const dialog = (name) => page.getByRole("dialog", { name, exact: true });
const gone = (place) => place.waitFor({ state: "detached" });
const open = (hash, ready) => show(page, hash, ready);
function ask(path) {
	return page.evaluate(async (to) => (await fetch(to,
	    { headers: { "Assay-Session": "cookie" } })).json(), path);
}
const targetNow = async () => (await ask("/v1/queues")).queues.find((one) =>
    one.queue === queue).targetMinutes;

await step("a case lists the commands of what can be done with it", async () => {
	const [{ id }] = await ask("/v1/cases?queue=*&status=open");
	await open(`#/cases/${id}`, ".timeline");
	await button("Commands of assayctl").click();
	const lines = await dialog("Commands of assayctl").locator("code")
	    .allInnerTexts();
	for (const line of [`cases show ${id}`, `cases assign ${id}`,
	    `cases snooze --days 1 ${id}`, `cases hand-over ${id} EMAIL`,
	    "cases next --most 5"])
		want(lines.includes(`assayctl ${line}`) ? line : lines.join("; "), line);
	await page.keyboard.press("Escape");
});
await step("a dialog shows the command of what is typed into it", async () => {
	await button("Hand over H").or(page.getByRole("button", { name: /^Hand over/ }))
	    .first().click();
	await field("Email of the operator").fill("bob@example.com");
	await page.getByRole("dialog").getByRole("button",
	    { name: /assayctl cases hand-over cse_\w+ bob@example\.com$/ }).waitFor();
	await page.keyboard.press("Escape");
});
// What a page shows and says, also in titles and addresses.
const said = () => page.evaluate(() => [location.href, document.title,
    document.body.innerText, ...[...document.querySelectorAll("*")].flatMap((one) =>
	[...one.attributes].map(({ value }) => value))].join("\n"));
await step("the links of a case are masked as its facts, until one is shown",
    async () => {
	const linked = page.locator(".linked");
	for (const [fact, mask] of [["IP address", "196.188.•.•"],
	    ["Phone", "+2519•••••44"]]) {
		await linked.locator("code", { hasText: mask }).waitFor();
		want(await page.locator(".facts div", { has: page.locator(`dt:text-is("${
		    fact}")`) }).first().locator("dd").innerText(), mask);
	}
	want(/196\.188\.1\.2|251911234544/.test(await said()), false);
	await linked.getByRole("button", { name: "Show the IP address 196.188.•.•" })
	    .click();
	await linked.locator("a:focus", { hasText: "196.188.1.2" }).waitFor();
	want(/251911234544/.test(await said()), false);
});
await step("a dialog masks what it lists, and its command does not tell", async () => {
	await page.keyboard.press("b");
	const value = dialog("Add an entry").getByLabel("Value");
	await value.locator("option", { hasText: "phone +2519•••••44" })
	    .waitFor({ state: "attached" });
	await value.selectOption({ label: "phone +2519•••••44" });
	await gone(page.getByRole("button", { name: /assayctl lists add/ }));
	await value.selectOption({ label: "IP address 196.188.1.2" });
	await page.getByRole("button", { name: /assayctl lists add.*196\.188\.1\.2$/ })
	    .waitFor();
	await page.keyboard.press("Escape");
});
await step("an entry for many people says so", async () => {
	await open("#/lists", ".filters");
	await button("Add an entry").click();
	const entry = dialog("Add an entry"), note = entry.getByRole("note");
	await entry.getByLabel("Compared with").selectOption("device");
	want(await note.count(), 0);
	await entry.getByLabel("Compared with").selectOption("bin");
	await note.filter({ hasText: "Many people have cards with this BIN" }).waitFor();
	await entry.getByLabel("Compared with").selectOption("country");
	await note.filter({ hasText: "everyone in this country" }).waitFor();
	await page.keyboard.press("Escape");
});
await step("a phone that is typed is found, and its page masks it until it is shown",
    async () => {
	await open("#/entity", ".filters");
	await field("Kind").selectOption("phone");
	await field("Id").fill("+251 911 234 544");
	await page.keyboard.press("Enter");
	await page.locator(".graph").waitFor();
	want(await page.locator("h1 code").innerText(), "+2519•••••44");
	want(/911.?234/.test(await said()), false);
	await page.getByRole("button", { name: "Show the phone +2519•••••44" }).click();
	await page.locator("h1 code", { hasText: "+251 911 234 544" }).waitFor();
	await page.getByRole("button", { name: /assayctl graph phone/ }).waitFor();
});
await step("an id whose letters could be taken for others has a mark", async () => {
	const marks = page.locator("h1 .alike");
	for (const [id, title] of [["pp-1", null],
	    ["p\u0430ypal", /: p\\u\{430\}ypal$/]]) {
		await open("#/entity", ".filters");
		await field("Kind").selectOption("user");
		await field("Id").fill(id);
		await page.keyboard.press("Enter");
		await page.locator("h1 code", { hasText: id }).waitFor();
		want(await marks.count(), title === null ? 0 : 1);
		if (title !== null)
			want(title.test(await marks.getAttribute("title")), true);
	}
});
await step("an admin sets the target time of a queue", async () => {
	await open("#/settings", "tr[data-row]");
	await button(`Target time of ${queue}`).click();
	await field("Minutes until a case should be resolved").fill("1.5");
	await page.getByText("Type whole minutes").waitFor();
	want(await page.getByRole("dialog").getByRole("button", { name: "Save" })
	    .isDisabled(), true);
	await field("Minutes until a case should be resolved").fill("90");
	await page.keyboard.press("Enter");
	await page.locator("td", { hasText: "90 minutes" }).waitFor();
	want(await targetNow(), 90);
});
await step("an admin sees what the environment fixes", async () => {
	const fixed = page.getByRole("region", { name: "Fixed by the environment" });
	await fixed.locator("td", { hasText: "FOUR_EYES" }).waitFor();
	const row = (name) => fixed.locator("tr", { has: page.getByText(name,
	    { exact: true }) }).locator("td").allInnerTexts();
	want((await row("SECOND_FACTOR")).slice(1, 3).join(" "), "optional optional");
	want((await row("SCORER_SHADOW")).slice(1, 3).join(" "), "not set not set");
	want(await fixed.getByText("DATABASE_URL").count(), 0);
});
await step("an empty target removes it", async () => {
	await button(`Target time of ${queue}`).click();
	await field("Minutes until a case should be resolved").fill("");
	await page.getByRole("button", { name: `assayctl queues clear ${queue}` })
	    .waitFor();
	await page.keyboard.press("Enter");
	await gone(page.locator("td", { hasText: "90 minutes" }));
	want(await targetNow(), null);
});
await step("the palette opens a user", async () => {
	await page.keyboard.press("Escape");
	await page.keyboard.press("/");
	await page.keyboard.type(user);
	await page.getByRole("option", { name: `Open the user ${user}` }).click();
	await page.locator(".spark circle").first().waitFor();
	want(await page.locator(".spark circle").count(), 4);
});
await step("the palette finds each kind of entity by keys, and tells nobody who it is",
    async () => {
	const asked = [];
	const note = (request) => asked.push(new URL(request.url()).pathname);
	for (const [text, name, shown] of [["re", "Open the user re", "re"],
	    ["re", "Open the device re", "re"],
	    ["+251 911-234-544", "Open the phone number +251 911-234-544",
		"+2519•••••44"],
	    ["196.188.1.2", "Open the IP address 196.188.1.2", "196.188.1.2"]]) {
		await page.waitForFunction(() => !document.querySelector("main .loading"));
		await page.keyboard.press("/");
		page.on("request", note);
		await page.keyboard.type(text);
		const option = page.getByRole("option", { name, exact: true });
		await option.waitFor();
		page.off("request", note);
		while (await option.getAttribute("aria-selected") !== "true")
			await page.keyboard.press("ArrowDown");
		const listed = page.waitForResponse("**/v1/lists/search");
		await page.keyboard.press("Enter");
		await page.locator("h1 code", { hasText: shown }).waitFor();
		want(/#\/entity\/(device\/re|\w+\/~[\w.]+)$/.test(page.url()), true);
		// The page asks for the lists last.
		await listed;
	}
	want(asked.filter((path) => path !== "/v1/rules").join(), "");
});
await step("the palette finds a rule by its tag", async () => {
	const [{ eventType, rules: [rule] }] = await ask("/v1/rules");
	await page.keyboard.press("/");
	await page.keyboard.type(`${eventType} ${rule.tag}`);
	await page.getByRole("option",
	    { name: `Open the rule ${rule.id} of ${eventType}` }).click();
	await page.locator("rule-editor").waitFor();
	// The cursor is in the line that names the rule.
	await page.waitForFunction((id) => document.querySelector("rule-editor")
	    .shadowRoot.querySelector(".cm-activeLine").textContent
	    .startsWith(`rule ${id} `), rule.id);
});
await step("an id that is no event leads to the user", async () => {
	await open(`#/decisions/${user}`, ".empty");
	await page.getByRole("link", { name: `Open the user ${user}` }).click();
	await page.locator(".stats").waitFor();
	want(/#\/entity\/user\/~/.test(page.url()), true);
	want(seen.errors.filter((text) => !/status of 404/.test(text)).join(), "");
	seen.errors = [];
});
await step("an operator tries a whole event as JSON", async () => {
	await open("#/decisions/a1", ".rules");
	await button("Edit the whole event").click();
	const whole = field("The event as JSON"), decide = button("Decide");
	const event = JSON.parse(await whole.inputValue());
	want(event["event.amount"], 5000);
	await whole.fill(JSON.stringify({ ...event, "geo.planet": 1,
	    "event.amount": "5" }, null, 2));
	await page.locator(".mistakes li").nth(1).waitFor();
	want(await page.locator(".mistakes li").allInnerTexts().then((all) =>
	    all.map((text) => text.replace(/\s+/g, " ").replace(/^\S+ /, "")).join()),
	    "This signal must be a number or null.,There is no such signal. An " +
	    "attribute is attr.NAME.");
	want(await decide.isDisabled(), true);
	await whole.fill(JSON.stringify({ ...event, "event.amount": 1 }));
	await decide.click();
	await page.locator(".stack[role=status]", { hasText: "It would be:" }).waitFor();
	await button("Edit single signals").click();
	want(await field("event.amount").inputValue(), "1");
});
await step("the tile of entries that end soon shows them", async () => {
	await open("#/lists", "tr[data-row]");
	want(await page.locator("tr[data-row]").count(), 2);
	await page.locator("a.stat").click();
	await gone(page.locator("tr[data-row]").nth(1));
	await page.locator("td", { hasText: "u-soon" }).waitFor();
});
await step("a new reason keeps the end of an entry", async () => {
	const [{ expiresAt }] = await ask("/v1/lists?expiring=7");
	await button("Change u-soon").click();
	await field("Reason").fill("seen again");
	await page.keyboard.press("Enter");
	await page.locator("td", { hasText: "seen again" }).waitFor();
	const [entry] = await ask("/v1/lists?expiring=7");
	want(entry.expiresAt, expiresAt);
	want(entry.reason, "seen again");
});
await step("lists show the entries of one operator, whom the address hides",
    async () => {
	await field("Added by").fill("ana@example.com");
	await page.keyboard.press("Enter");
	await page.locator(".empty").waitFor();
	want(/createdBy=%7E/.test(page.url()), true);
});
await step("analytics count days that the operator types", async () => {
	await open("#/analytics", ".stats");
	await field("From (UTC)").fill("2020-01-01");
	await page.keyboard.press("Enter");
	await field("To (UTC)").fill("2020-01-02");
	await page.keyboard.press("Enter");
	await page.getByText("No decisions in these days.").waitFor();
	await page.getByRole("button", { name:
	    "assayctl analytics --since 2020-01-01 --until 2020-01-02" }).waitFor();
});
await step("a revoked webhook is added again as a new one", async () => {
	await open("#/deliveries", "tr[data-row], tbody tr");
	await button("Add it again").click();
	want(await field("URL").inputValue(), "https://hooks.example.com/in");
	want(await page.getByRole("checkbox", { name: "case.resolved.v1" }).isChecked(),
	    true);
	await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
	await dialog("Signing secret").getByRole("checkbox").check();
	await dialog("Signing secret").getByRole("button").last().click();
	const { endpoints } = await ask("/v1/webhooks");
	want(endpoints.map(({ url, active }) => `${url} ${active}`).join(),
	    "https://hooks.example.com/in true,https://hooks.example.com/in false");
});
const roleNow = async (email) => (await ask("/v1/auth/users")).find((one) =>
    one.email === email).role;
const changes = [];
page.on("request", (request) => {
	if (request.method() !== "GET")
		changes.push(`${request.method()} ${new URL(request.url()).pathname}`);
});
await step("an arrow key on a role changes nothing", async () => {
	await open("#/users", "tr[data-row]");
	await field("Role of bob@example.com").focus();
	await page.keyboard.press("ArrowDown");
	await button("Change the role of bob@example.com").waitFor();
	want(await field("Role of bob@example.com").inputValue(), "author");
	want(await roleNow("bob@example.com"), "analyst");
	want(changes.join(), "");
});
await step("a question that is answered with no puts the role back", async () => {
	await button("Change the role of bob@example.com").click();
	await dialog("Make an author").getByText("bob@example.com will be an author")
	    .waitFor();
	// The button that has the focus says no.
	await page.keyboard.press("Enter");
	await gone(dialog("Make an author"));
	await gone(button("Change the role of bob@example.com"));
	want(await field("Role of bob@example.com").inputValue(), "analyst");
	want(changes.join(), "");
});
await step("a question that is answered with yes gives the role once", async () => {
	await field("Role of bob@example.com").selectOption("admin");
	await button("Change the role of bob@example.com").click();
	const question = dialog("Make an admin");
	await question.getByText("bob@example.com will be an admin: may do everything")
	    .waitFor();
	want(await question.locator(".facts").innerText().then((text) =>
	    text.replace(/\s+/g, " ")), "Admins afterwards 2");
	await question.getByRole("button", { name: "Make an admin" }).dblclick();
	await page.getByText("The role of bob@example.com has changed.").waitFor();
	want(await roleNow("bob@example.com"), "admin");
	want(changes.join(), "PATCH /v1/auth/users/bob%40example.com");
});
await step("the audit trail is sentences, and is found by a part, which no address tells",
    async () => {
	await open("#/audit", "tbody tr");
	await page.getByText("added a webhook to https://hooks.example.com").first()
	    .waitFor();
	await field("Who, what or which").fill("196.188");
	await page.keyboard.press("Enter");
	await gone(page.getByText("added a webhook to").first());
	want((await page.locator("tbody tr td:nth-child(3)").allInnerTexts()).join("; "),
	    `looked at the IP address 196.188.•.• of the user ${user}`);
	want(/contains=%7E/.test(page.url()), true);
	await page.getByRole("button",
	    { name: "assayctl audit --contains 196.188" }).waitFor();
});
const daysNow = async () => (await ask("/v1/config/retention")).days.deadLetter;
const factsOf = async (place) => (await place.locator(".facts").innerText())
    .replace(/\s+/g, " ");
await step("fewer days name the rows that go, and no keeps the days", async () => {
	await open("#/data", "form");
	await field("Dead letters (days)").fill("10");
	await page.keyboard.press("Enter");
	const question = dialog("Keep data for fewer days");
	await question.waitFor();
	want(/^Dead letters kept for 10 days: 3 rows from before \d{4}-\d\d-\d\d$/
	    .test(await factsOf(question)), true);
	await page.keyboard.press("Enter");
	await gone(question);
	want(await daysNow(), 30);
});
await step("a question is asked although nobody knows what the act touches", async () => {
	await page.route("**/v1/config/retention/preview", (route) => route.fulfill({
	    status: 500, contentType: "application/json",
	    body: JSON.stringify({ error: true, code: "INTERNAL", message: "no" }) }));
	await button("Save").click();
	const question = dialog("Keep data for fewer days");
	await question.getByText("How much it touches is not known.").waitFor();
	await page.keyboard.press("Escape");
	await gone(question);
	await page.unroute("**/v1/config/retention/preview");
	want(await daysNow(), 30);
	seen.errors = [];
});
await step("fewer days are stored after a yes, and more days at once", async () => {
	await button("Save").click();
	await dialog("Keep data for fewer days").getByRole("button",
	    { name: "Keep data for fewer days" }).click();
	await page.getByText("The settings are in effect.").waitFor();
	want(await daysNow(), 10);
	await page.waitForFunction(() => !document.querySelector(".toast"));
	await field("Dead letters (days)").fill("40");
	await page.keyboard.press("Enter");
	await page.getByText("The settings are in effect.").waitFor();
	want(await daysNow(), 40);
});
async function erase(who, said) {
	await field("Id of the user").fill(who);
	await button("Erase").click();
	const question = dialog("Erase the user");
	await question.getByText(who).waitFor();
	const facts = await question.innerText();
	await question.getByRole("button", { name: "Erase the user" }).click();
	await page.getByText(said).waitFor();
	return facts.replace(/\s+/g, " ");
}
await step("an erasure shows what is stored and then what was removed", async () => {
	const facts = await erase(user, `The data of the user ${user} is removed:`);
	want(/Requests and samples 4 .*List entries, which stay 1/.test(facts) ? "" :
	    facts, "");
	const removed = await factsOf(page.locator(".note"));
	want(/Requests and samples 4 /.test(removed) && !/List/.test(removed) ? "" :
	    removed, "");
	want(changes.some((one) => one.includes(user)), false);
});
await step("a user of whom nothing is stored is not said to be erased", async () => {
	const facts = await erase("nobody-7",
	    "Nothing was stored of the user nobody-7.");
	want(facts.includes("Nothing is stored of this user."), true);
});
await step("signing out everywhere ends the session", async () => {
	want(seen.errors.join(), "");
	await open("#/account", ".facts");
	await button("Sign out everywhere").click();
	await page.getByRole("dialog").getByRole("button",
	    { name: /assayctl logout --all$/ }).waitFor();
	await page.getByRole("dialog").getByRole("button",
	    { name: "Sign out everywhere", exact: true }).click();
	await page.getByRole("heading", { name: "Sign in" }).waitFor();
	want((await context.cookies()).length, 0);
});
await browser.close();
