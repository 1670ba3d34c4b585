// SPDX-License-Identifier: ISC
// What goes wrong between the console and the service:
//
//	node faults.mjs MODULES CHROMIUM URL < INPUT
//
// INPUT is { password, case }: the password of admin@example.com and of the analysts
// ana@example.com and bob@example.com, and the id of an open case.
import { readFileSync } from "node:fs";
import { hasFocus, launch, show, signIn, steps, want, watch } from "./page.mjs";

const [modules, program, base] = process.argv.slice(2);
const { password, case: id } = JSON.parse(readFileSync(0, "utf8"));
const browser = await launch(modules, program);
const step = steps(browser);

async function signedIn(email) {
	const context = await browser.newContext({ viewport: { width: 1280,
	    height: 800 } });
	const page = await context.newPage();
	const seen = await watch(page, base);
	await signIn(page, base, email, password);
	seen.errors = [];
	return { page, seen, context };
}
const { page: admin, seen, context } = await signedIn("admin@example.com");
const { page: ana, seen: anas, context: hers } = await signedIn("ana@example.com");
const { page: bob } = await signedIn("bob@example.com");

const button = (page, name) => page.getByRole("button", { name, exact: true });
const field = (page, name) => page.getByLabel(name, { exact: true });
const dialog = (page, name) => page.getByRole("dialog", { name, exact: true });
const gone = (place) => place.waitFor({ state: "detached" });
const note = (text) => ana.locator(".notes").getByText(text);


// What the service answers to a request of this page, with its cookie.
function ask(page, method, path, body) {
	return page.evaluate(async (request) => {
		const answer = await fetch(request.path, { method: request.method,
		    headers: { "Assay-Session": "cookie",
			"Content-Type": "application/json" },
		    body: request.body && JSON.stringify(request.body) });
		return answer.json();
	}, { method, path, body });
}
async function reasonsOf(value) {
	const entries = await ask(admin, "POST", "/v1/lists/search",
	    { subject: "user", value });
	return entries.map(({ reason }) => reason).join();
}

// Answer so many requests of a path with this refusal; the others go on.  The
// requests are counted in the result.
async function refuse(page, path, times, status, code, headers = {}) {
	const counted = { requests: 0, repeatedAfter: 0 };
	let last = 0;
	await page.route(path, (route) => {
		if (route.request().method() === "OPTIONS")
			return route.continue();
		counted.requests++;
		if (counted.requests === times + 1)
			counted.repeatedAfter = Date.now() - last;
		last = Date.now();
		return counted.requests > times ? route.continue() :
		    route.fulfill({ status, headers, contentType: "application/json",
			body: JSON.stringify({ error: true, code, message: code }) });
	});
	return counted;
}

async function typeEntry(value, reason) {
	await show(admin, "#/lists", "tbody");
	await button(admin, "Add an entry").click();
	const form = dialog(admin, "Add an entry");
	await field(form, "Value").fill(value);
	await field(form, "Reason").fill(reason);
	return form;
}

await step("a session that ends in a form asks for the password over it", async () => {
	const form = await typeEntry("late", "typed before the end");
	await context.clearCookies();
	await button(form, "Save").click();
	const locked = dialog(admin, "Your session has ended");
	await locked.waitFor();
	want(await field(form, "Reason").inputValue(), "typed before the end");
	await field(locked, "Password").fill(password);
	await admin.keyboard.press("Enter");
	await gone(locked);
});
await step("the request is sent again after the operator signs in", async () => {
	await admin.getByText("The entry is in effect.").first().waitFor();
	want(await reasonsOf("late"), "typed before the end");
	await admin.locator(".toasts > [role=status]",
	    { hasText: "The entry is in effect." }).waitFor({ state: "attached" });
});
await step("a change that needs the password is made after it", async () => {
	const sent = await refuse(admin, "**/v1/lists", 1, 403, "REAUTH_REQUIRED");
	const form = await typeEntry("step-up", "confirmed");
	await button(form, "Save").click();
	const confirm = dialog(admin, "Confirm that it is you");
	await field(confirm, "Password").fill(password);
	await button(confirm, "Confirm").click();
	await gone(confirm);
	await gone(form);
	want(await reasonsOf("step-up"), "confirmed");
	want(sent.requests, 2);
	await admin.unroute("**/v1/lists");
});
await step("who gives no password keeps the form, and changes nothing", async () => {
	await refuse(admin, "**/v1/lists", 1, 403, "REAUTH_REQUIRED");
	const form = await typeEntry("given-up", "kept");
	await button(form, "Save").click();
	await button(dialog(admin, "Confirm that it is you"), "Cancel").click();
	want(await field(form, "Reason").inputValue(), "kept");
	want(await reasonsOf("given-up"), "");
	await admin.unroute("**/v1/lists");
	await admin.keyboard.press("Escape");
});
await step("a change waits as long as Retry-After says, and is made once", async () => {
	const path = `**/v1/cases/${id}/notes`;
	const sent = await refuse(ana, path, 1, 429, "RATE_LIMITED",
	    { "Retry-After": "2" });
	await show(ana, `#/cases/${id}`, ".timeline");
	await field(ana, "Write a note").fill("after the wait");
	await button(ana, "Add").click();
	await ana.getByText("The service is busy; trying again in").waitFor();
	await note("after the wait").waitFor();
	want(sent.requests, 2);
	want(sent.repeatedAfter >= 1900, true);
	want(await note("after the wait").count(), 1);
	await ana.unroute(path);
});
await step("a change that waits too long is refused and keeps the text", async () => {
	const path = `**/v1/cases/${id}/notes`;
	await refuse(ana, path, 1, 429, "RATE_LIMITED", { "Retry-After": "600" });
	await field(ana, "Write a note").fill("too many");
	await button(ana, "Add").click();
	await ana.getByText("Too many requests. Try again in 600 s.").waitFor();
	want(await field(ana, "Write a note").inputValue(), "too many");
	await ana.unroute(path);
});
await step("an outcome whose answer is lost can be sent again", async () => {
	const path = `**/v1/cases/${id}/resolve`;
	await ana.route(path, async (route) => {
		await route.fetch();
		await route.abort("internetdisconnected");
	}, { times: 1 });
	await field(ana, "Reason").fill("she rang us");
	await ana.keyboard.press("Escape");
	await ana.keyboard.press("2");
	await button(ana, "Resolve").click();
	await ana.getByText("The service does not answer").waitFor();
	want(await field(ana, "Reason").inputValue(), "she rang us");
	await button(ana, "Resolve").click();
	await ana.getByText("Resolved as legit").waitFor();
	want(await ana.getByText("was faster").count(), 0);
	await button(ana, "Undo").click();
	await field(ana, "Reason").waitFor();
	want(await field(ana, "Reason").inputValue(), "");
	await ana.unroute(path);
});
await step("a note outlives a case that another analyst resolves first", async () => {
	await field(ana, "Reason").fill("it was her sister");
	await ana.keyboard.press("Escape");
	await ana.keyboard.press("2");
	await ask(bob, "POST", `/v1/cases/${id}/resolve`, { outcome: "fraud" });
	await ana.keyboard.press("Control+Enter");
	await ana.getByText("bob@example.com was faster and resolved this case " +
	    "as fraud").waitFor();
	await ana.locator(".note .typed").getByText("it was her sister").waitFor();
	want(await field(ana, "Write a note").inputValue(), "too many");
});
// Forms in dialogs: their address, the button that opens them, what is typed, and the
// question that follows.
const FORMS = [
	["#/lists", "Add an entry", { Value: "u-9", Reason: "typed" }],
	["#/users", "Add an operator", { Email: "eve@example.com",
	    "Temporary password": "typed horse" }, "Add an analyst"],
	["#/keys", "Create a key", { Name: "typed" }, "Create the key"],
	["#/deliveries", "Add a webhook", { URL: "https://example.com/typed" }],
	["#/deliveries?kind=alerts", "Add a channel", { URL:
	    "https://example.com/typed" }],
];
const SAID = [[403, "FORBIDDEN", "Your role does not allow this. Ask an admin."],
    [429, "RATE_LIMITED", "Too many requests. Try again in 60 s."],
    [500, "INTERNAL", "tell an admin if it fails again."],
    [503, "UNAVAILABLE", "The service cannot answer right now. Try again."]];
for (const [hash, name, typed, question] of FORMS) {
	await step(`the form "${name}" says why it fails and keeps what was typed`,
	    async () => {
		await show(admin, hash, "main .page");
		await button(admin, name).click();
		const form = dialog(admin, name);
		for (const [label, value] of Object.entries(typed))
			await field(form, label).last().fill(value);
		for (const box of await form.getByRole("checkbox").all())
			await box.check();
		for (const [status, code, words] of SAID) {
			await refuse(admin, "**/v1/**", 99, status, code,
			    { "Retry-After": "60" });
			const answered = admin.waitForResponse((answer) =>
			    answer.status() === status &&
			    answer.request().method() === "POST");
			await form.locator("[type=submit]").click();
			if (question)
				await button(dialog(admin, question), question).click();
			await answered;
			await form.getByText(words).first().waitFor();
			await admin.unroute("**/v1/**");
		}
		for (const [label, value] of Object.entries(typed))
			want(await field(form, label).last().inputValue(), value);
		await admin.keyboard.press("Escape");
		await gone(form);
		await hasFocus(button(admin, name));
	});
}
await step("old data stays while the service is down, and can be read again",
    async () => {
	await show(admin, "#/decisions", "tbody tr");
	await refuse(admin, "**/v1/activity?*", 1, 503, "UNAVAILABLE",
	    { "Retry-After": "31" });
	const rows = await admin.locator("tbody tr").count();
	await button(admin, "Reload").click();
	const old = admin.getByText("This may be old: The service cannot answer");
	await old.waitFor();
	want(await admin.locator("tbody tr").count(), rows);
	want(/as of \d+ s ago/.test(await admin.locator(".note").innerText()), true);
	await button(admin, "Try again").click();
	await gone(old);
	want(await admin.locator("tbody tr").count(), rows);
	await admin.unroute("**/v1/activity?*");
});
await step("a form keeps its text without a network, and is sent later", async () => {
	const form = await typeEntry("offline", "sent later");
	await context.setOffline(true);
	await button(form, "Save").click();
	await form.getByText("The service does not answer.").waitFor();
	want(await field(form, "Reason").inputValue(), "sent later");
	await context.setOffline(false);
	await button(form, "Save").click();
	await gone(form);
	want(await reasonsOf("offline"), "sent later");
});
await step("a screen without a network can be opened again", async () => {
	await context.setOffline(true);
	await admin.evaluate(() => { location.hash = "#/audit"; });
	await admin.getByText("The service does not answer.").first().waitFor();
	// The screen has failed too, not only a count beside it.
	await button(admin, "Try again").waitFor();
	await context.setOffline(false);
	await button(admin, "Try again").click();
	await admin.locator("main tbody tr").first().waitFor();
});
await step("cases that were resolved before an error count, others stay selected",
    async () => {
	const [row] = await ask(ana, "GET", "/v1/cases?queue=*&status=open");
	const rows = Array.from({ length: 120 }, (_, i) => ({ ...row, id: `cse_${i}` }));
	let parts = 0;
	const LIST = /\/v1\/cases\?/, RESOLVE = "**/v1/cases/resolve";
	const answer = (route, status, body) => route.fulfill({ status,
	    contentType: "application/json", body: JSON.stringify(body) });
	await ana.route(LIST, (route) => answer(route, 200,
	    parts === 0 ? rows : rows.slice(100)));
	await ana.route(RESOLVE, (route) => ++parts > 1 ?
	    answer(route, 500, { error: true, code: "INTERNAL", message: "" }) :
	    answer(route, 200, { results: route.request().postDataJSON().ids
		.map((one) => ({ id: one, ok: true })) }));
	// The page loads cases ahead.
	await ana.route(/\/v1\/cases\/cse_\d{1,3}$/, (route) => answer(route, 200, row));
	await show(ana, "#/cases", "tbody tr");
	await field(ana, "Select all rows").check();
	await ana.locator(".bulk button", { hasText: "legit" }).click();
	await ana.keyboard.press("Control+Enter");
	await ana.getByText("100 cases resolved").first().waitFor();
	await ana.getByText("20 cases selected").waitFor();
	want(await ana.locator("tbody tr").count(), 20);
	await ana.unroute(LIST);
	await ana.unroute(RESOLVE);
});
await step("a drawing of many links says what it leaves out", async () => {
	const path = "**/v1/graph/**";
	await admin.route(path, async (route) => {
		const answer = await route.fetch();
		const links = Array.from({ length: 40 }, (_, i) => ({
		    ...i % 2 ? { kind: "device", id: `l-${i >> 1}` } :
			{ kind: "ip", id: `203.0.113.${i >> 1}` },
		    users: i === 0 ? 5 : 1, firstSeen: null, risk: null }));
		await route.fulfill({ response: answer,
		    json: { ...await answer.json(), links, edges: [] } });
	});
	await show(admin, "#/entity/device/d-1", ".graph");
	await admin.getByText("36 of 40 are drawn; see the table.").waitFor();
	want(await admin.locator(".graph a").count(), 36);
	want(await admin.locator(".graph .halo").count(), 1);
	want(await admin.getByRole("link", { name: "IP address 203.0.•.•, 5 users" })
	    .count(), 1);
	await admin.getByText("Table", { exact: true }).click();
	await admin.locator("tbody tr[data-row]").nth(39).waitFor();
	want(await admin.locator("tbody tr[data-row]").count(), 40);
	await admin.unroute(path);
});
await step("a sign-out in one tab shows the login in the other", async () => {
	const other = await hers.newPage();
	await other.goto(`${base}/console/`);
	await button(other, "Sign out").click();
	await ana.getByRole("heading", { name: "Sign in" }).waitFor();
	want(await ana.getByText("bob@example.com").count(), 0);
	await other.close();
});
await step("the browsers report only the refusals", async () => {
	const refusals = /status of (401|403|409|429|500|503)|INTERNET_DISCONNECTED/;
	for (const { errors, otherHosts } of [seen, anas]) {
		want(otherHosts.join(), "");
		want(errors.filter((text) => !refusals.test(text) &&
		    !text.startsWith(base)).join(), "");
	}
});
await browser.close();
