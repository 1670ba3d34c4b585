// SPDX-License-Identifier: ISC
// The session of a browser, wrong clocks, and an operator who presses twice:
//
//	node session.mjs MODULES CHROMIUM URL < INPUT
//
// INPUT is { password }: the password of admin@example.com and of the analysts
// ana@example.com and bob@example.com, whose cases are two hours old.
import { readFileSync } from "node:fs";
import { launch, show, signIn, steps, want, watch } from "./page.mjs";

const [modules, program, base] = process.argv.slice(2);
const { password } = JSON.parse(readFileSync(0, "utf8"));
const browser = await launch(modules, program);
const step = steps(browser);

async function signedIn(email, before = () => {}) {
	const context = await browser.newContext({ viewport: { width: 1280,
	    height: 800 } });
	const page = await context.newPage();
	const seen = await watch(page, base);
	await before(page);
	await signIn(page, base, email, password);
	return { page, seen, context };
}
const { page: admin } = await signedIn("admin@example.com");
const { page: ana, seen, context } = await signedIn("ana@example.com");

const button = (page, name) => page.getByRole("button", { name, exact: true });
const dialog = (page, name) => page.getByRole("dialog", { name, exact: true });
const gone = (place) => place.waitFor({ state: "detached" });
const ended = "Your session has ended";

// What the service answers to a request of this page, with its cookie.
function ask(page, method, path, body) {
	return page.evaluate(async (request) => {
		const answer = await fetch(request.path, { method: request.method,
		    headers: { "Assay-Session": "cookie",
			"Content-Type": "application/json" },
		    body: request.body && JSON.stringify(request.body) });
		return { status: answer.status, body: await answer.json() };
	}, { method, path, body });
}
const casesOf = async (page, email) => (await ask(page, "GET",
    `/v1/cases?queue=*&assignee=${email}`)).body.length;
async function enterAgain(page) {
	await dialog(page, ended).getByLabel("Password").fill(password);
	await page.keyboard.press("Enter");
	await gone(dialog(page, ended));
}

await step("a sign-in up to the home page takes at most 12 requests", async () => {
	const sent = [];
	const { page, context: own } = await signedIn("ana@example.com", (fresh) =>
	    fresh.on("request", (request) => sent.push(request.url())));
	await page.locator(".stats, .empty").first().waitFor();
	await page.waitForLoadState("networkidle");
	want(sent.length <= 12 || sent.join(" "), true);
	await own.close();
});
await step("scripts and other sites cannot use the cookie", async () => {
	const [cookie, ...more] = await context.cookies();
	want(`${cookie.name} ${cookie.httpOnly} ${cookie.sameSite} ${cookie.path} ` +
	    `${cookie.expires} ${more.length}`, "assay true Strict / -1 0");
});
// A page of another port is of the same site, so its form sends the cookie.
for (const [what, place, status] of [
	["a form of a sibling", "http://127.0.0.1:8001", 403],
	["a form of another site", "http://other.example", 401],
]) {
	await step(`${what} cannot end the session`, async () => {
		const other = await context.newPage();
		await other.route(`${place}/**`, (route) => route.fulfill({
		    contentType: "text/html", body: "<!DOCTYPE html><title>-" }));
		await other.goto(`${place}/`);
		want(await other.evaluate((url) => fetch(url, { method: "POST",
		    credentials: "include", headers: { "Assay-Session": "cookie" } })
		    .then(() => "sent", () => "refused"),
		    `${base}/v1/auth/logout-all`), "refused");
		const [answer] = await Promise.all([
			other.waitForNavigation(),
			other.evaluate((url) => {
				const form = document.createElement("form");
				Object.assign(form, { method: "post", action: url });
				document.body.append(form);
				form.submit();
			}, `${base}/v1/auth/logout-all`),
		]);
		want(answer.status(), status);
		await other.close();
		want((await ask(ana, "GET", "/v1/auth/me")).status, 200);
	});
}
for (const hours of [3, -3]) {
	await step(`a clock that is ${hours} h off changes no age and ends nothing`,
	    async () => {
		const { page, context: own } = await signedIn("bob@example.com",
		    (fresh) => fresh.clock.install({ time: Date.now() +
		    hours * 3600000 }));
		await show(page, "#/cases", "tbody tr");
		want(await page.locator("tbody time").first().innerText(), "2 h");
		await page.clock.runFor(5000);
		want(await page.getByRole("dialog").count(), 0);
		await own.close();
	});
}
await step("the page is hidden when the session has been idle too long", async () => {
	const other = await context.newPage();
	await other.clock.install();
	await other.goto(`${base}/console/#/cases`);
	await other.locator("tbody tr").first().waitFor();
	const { body } = await ask(other, "GET", "/v1/auth/me");
	await other.clock.fastForward(Date.parse(body.expiresAt) - Date.now() + 2000);
	await dialog(other, ended).waitFor();
	want(await other.evaluate(() => getComputedStyle(document.querySelector(
	    "dialog.opaque"), "::backdrop").backgroundColor.startsWith("rgb(")), true);
	await enterAgain(other);
	await other.close();
});
await step("who signs in again in one tab goes on in the other", async () => {
	const other = await context.newPage();
	await other.goto(`${base}/console/`);
	await other.locator(".menu").waitFor({ state: "attached" });
	await context.clearCookies();
	await ana.keyboard.press("g");
	await ana.keyboard.press("c");
	await dialog(ana, ended).waitFor();
	await other.keyboard.press("g");
	await other.keyboard.press("c");
	await dialog(other, ended).waitFor();
	await enterAgain(other);
	await gone(dialog(ana, ended));
	await other.close();
});
await step("n opens the next case from the home page, and once if pressed twice",
    async () => {
	await show(ana, "#/", ".stats, .empty");
	// At once: an answer between two keys would make the second one a new wish.
	await ana.evaluate(() => {
		for (let i = 0; i < 3; i++)
			document.body.dispatchEvent(new KeyboardEvent("keydown",
			    { key: "n", bubbles: true, cancelable: true }));
	});
	await ana.locator(".timeline").waitFor();
	want(await casesOf(ana, "ana@example.com"), 1);
});
await step("a note that is submitted twice is added once", async () => {
	const path = "**/v1/cases/*/notes";
	let sent = 0;
	await ana.route(path, async (route) => {
		sent++;
		await new Promise((done) => setTimeout(done, 300));
		await route.continue();
	});
	await ana.getByLabel("Write a note").fill("twice");
	await Promise.all([1, 2, 3].map(() => ana.keyboard.press("Control+Enter")));
	await ana.locator(".notes").getByText("twice").waitFor();
	want(sent, 1);
	await ana.unroute(path);
});
await step("an outcome that is sent twice resolves one case", async () => {
	await ana.keyboard.press("Escape");
	await ana.keyboard.press("2");
	await Promise.all([1, 2, 3].map(() => ana.keyboard.press("Control+Enter")));
	await ana.getByText("Resolved as legit").waitFor();
	want((await ask(ana, "GET", "/v1/cases?queue=*&status=resolved")).body.length,
	    1);
});
await step("a sign-in that is submitted twice is sent once", async () => {
	const own = await browser.newContext();
	const page = await own.newPage();
	let sent = 0;
	await page.route("**/v1/auth/login", (route) => {
		sent++;
		return route.continue();
	});
	await page.goto(`${base}/console/`);
	await page.getByLabel("Email").fill("bob@example.com");
	await page.getByLabel("Password", { exact: true }).fill(password);
	await page.locator("form").evaluate((form) => {
		form.requestSubmit();
		form.requestSubmit();
	});
	await page.locator(".menu").waitFor({ state: "attached" });
	want(sent, 1);
	await own.close();
});
await step("an outcome is asked for, and undo works while the next case is loaded",
    async () => {
	let free;
	const held = new Promise((done) => { free = done; });
	await ana.route("**/v1/cases/next", async (route) => {
		await held;
		await route.continue();
	});
	let mine;
	do
		mine = (await ask(ana, "GET", "/v1/cases?queue=*&assignee=me")).body
		    .filter(({ status }) => status === "assigned");
	while (mine.length === 0);
	await ana.locator(`.lead [title="${mine[0].id}"]`).waitFor();
	await ana.waitForFunction(() => document.activeElement.id === "main");
	await ana.getByLabel("Reason").focus();
	await ana.keyboard.press("Control+Enter");
	await ana.locator(".outcomes + .fault").getByText("Choose an outcome first.")
	    .waitFor();
	await ana.keyboard.press("Escape");
	await ana.keyboard.press("3");
	want(await ana.locator(".outcomes + .fault").count(), 0);
	await ana.keyboard.press("Control+Enter");
	await ana.locator(".toast", { hasText: "Resolved as inconclusive" })
	    .getByRole("button", { name: "Undo" }).click();
	await ana.locator(".toast", { hasText: "The case is open again." }).waitFor();
	const answered = ana.waitForResponse("**/v1/cases/next");
	free();
	await answered;
	await ana.unroute("**/v1/cases/next");
	want((await ask(ana, "GET", "/v1/cases?queue=*&status=resolved")).body.length,
	    1);
});
await step("home shows a queue whose cases are all taken", async () => {
	let taken;
	do
		taken = (await ask(ana, "POST", "/v1/cases/next", {})).body.case;
	while (taken !== null);
	await show(ana, "#/", ".stats, .empty");
	// The page may show what it knew before, until it has asked.
	await ana.waitForFunction((wanted) => [...document.querySelectorAll("main tbody tr")]
	    .map((row) => row.innerText.split(/\s+/).join(" ")).join() === wanted,
	"risk-ops 0 3 0");
});
await step("a slow answer comes too late for a page that is left", async () => {
	let late = 0;
	const errors = seen.errors.length;
	await ana.route("**/v1/cases?*", async (route) => {
		await new Promise((done) => setTimeout(done, 1000));
		late++;
		await route.continue().catch(() => {});
	});
	await ana.evaluate(() => { location.hash = "#/cases"; });
	await ana.locator("main .loading").first().waitFor();
	await ana.evaluate(() => { location.hash = "#/decisions"; });
	await ana.locator("tbody tr").first().waitFor();
	await ana.goBack();
	await ana.getByRole("heading", { name: "Queue", level: 1 }).waitFor();
	await ana.goForward();
	await ana.waitForTimeout(1200);
	await ana.getByRole("heading", { name: "Decisions", level: 1 }).waitFor();
	want(late > 0, true);
	want(await ana.locator("main tbody a[href^='#/decisions/e-']").count(), 4);
	want(seen.errors.slice(errors).join(), "");
	await ana.unroute("**/v1/cases?*");
});
await step("who signs out in one tab keeps what is changed in another", async () => {
	const { page: changed, context: own } = await signedIn("admin@example.com");
	const tabs = await Promise.all([1, 2].map(() => own.newPage()));
	for (const tab of tabs) {
		await tab.goto(`${base}/console/`);
		await tab.locator(".menu").waitFor({ state: "attached" });
	}
	await show(changed, "#/rules/order.place", "rule-editor .cm-content");
	await changed.locator("rule-editor .cm-content").click();
	await changed.keyboard.type("# kept");
	await changed.locator(".badge", { hasText: "unpublished changes" }).first()
	    .waitFor();
	await tabs[0].getByRole("button", { name: "Sign out", exact: true }).click();
	for (const tab of tabs)
		await tab.getByRole("heading", { name: "Sign in" }).waitFor();
	await enterAgain(changed);
	want((await changed.locator("rule-editor .cm-content").innerText())
	    .includes("# kept"), true);
	await own.close();
});
await step("a disabled operator is asked to sign in, and cannot", async () => {
	want((await ask(admin, "PATCH", "/v1/auth/users/ana@example.com",
	    { disabled: true })).status, 200);
	await ana.evaluate(() => { location.hash = "#/cases"; });
	await dialog(ana, ended).waitFor();
	await dialog(ana, ended).getByLabel("Password").fill(password);
	await ana.keyboard.press("Enter");
	await dialog(ana, ended).getByText("The email or the password is wrong.")
	    .waitFor();
	await button(ana, "Sign in as someone else").click();
	await ana.getByRole("heading", { name: "Sign in" }).waitFor();
	want(await ana.getByText("ana@example.com").count(), 0);
});
await step("the browser reports only the refusals", async () => {
	want(seen.otherHosts.join(), "");
	want(seen.errors.filter((text) => !/status of 401/.test(text)).join(), "");
});
await browser.close();
