// SPDX-License-Identifier: ISC
// Use the page of /docs in a headless Chromium, as an operator does:
//
//	node browser.mjs MODULES CHROMIUM URL [all] < CREDENTIALS
//
// CREDENTIALS is the body of a login.  "all" opens an operation of each tag and every
// schema, otherwise one schema opens.  Prints "ok STEP" or "not ok STEP: WHY" for
// each step, and stops at the first step that fails.
import { readFileSync } from "node:fs";
import { launch, steps, stops, want, watch } from "./page.mjs";

const [modules, program, base, much] = process.argv.slice(2);
const credentials = readFileSync(0, "utf8");
const browser = await launch(modules, program);
const page = await browser.newPage();
const seen = await watch(page, base);
const step = steps(browser);
// Time to draw an operation of each tag on a busy machine.
const SLOW_MS = 1200000;

function operation(id) {
	return page.locator(`.opblock[id$="-${id}"]`);
}

// Show only the tags whose name has this text: the page draws everything that it shows
// again at each click.
const filter = (text) => page.locator(".operation-filter-input").fill(text);

// Send the form of an operation of this tag, with this body, and return what the page
// shows.
async function tryOut(tag, id, body, status) {
	await filter(tag);
	const block = operation(id);
	await block.locator(".opblock-summary-control").click();
	await block.locator("textarea.body-param__text").fill(body);
	await block.getByRole("button", { name: "Execute" }).click();
	const row = block.locator(".live-responses-table tbody tr").first();
	want((await row.locator(".response-col_status").innerText())
	    .split("\n")[0], String(status));
	const text = await row.locator(".highlight-code code").first()
	    .innerText();
	await block.getByRole("button", { name: "Clear" }).click();
	await block.locator(".opblock-summary-control").click();
	return JSON.parse(text);
}

const createKey = (status) =>
    tryOut("Service keys", "createApiKey", '{"name":"docs"}', status);

async function authorize(scheme, secret) {
	await page.locator(".auth-wrapper .btn.authorize").first().click();
	const form = page.locator(".auth-container", { has:
	    page.getByRole("heading", { name: new RegExp(`^${scheme}\\b`) }) });
	await form.locator("input").fill(secret);
	await form.getByRole("button", { name: "Apply credentials" }).click();
	await form.getByRole("button", { name: "Remove authorization" })
	    .waitFor();
	await page.locator(".modal-ux .close-modal").click();
}

// Click each of these, or the first of them.
async function click(selector, count = Infinity) {
	await page.evaluate(([what, most]) => {
		for (const element of [...document.querySelectorAll(what)].slice(0, most))
			element.click();
	}, [selector, count]);
}

let token, key;

await step("the page shows the description", async () => {
	await page.goto(`${base}/docs`);
	await operation("decide").waitFor();
	want(page.url(), `${base}/docs/`);
	want(await page.title(), "Assay API");
	want(await page.locator(".errors-wrapper").count(), 0);
});
await step("without a login the page gets 401", async () => {
	want((await createKey(401)).code, "UNAUTHENTICATED");
});
await step("the login form gets a token", async () => {
	token = (await tryOut("Operators", "login", credentials, 200)).token;
	await authorize("operatorToken", token);
});
await step("the token creates an API key", async () => {
	key = (await createKey(201)).plaintext;
	await authorize("apiKey", key);
});
await step("the API key decides an event", async () => {
	const event = '{"type":"account.login","subject":{"userId":"docs-1"}}';
	want((await tryOut("Decisions", "decide", event, 200)).verdict, "allow");
});
// A short run draws only the operations of the steps above.  The page shows the other
// tags some time after the filter is empty: what is closed is clicked until nothing is.
async function openTags() {
	await filter("");
	await page.waitForFunction(async () => {
		const { tags } = await (await fetch("/openapi.json")).json();
		for (const closed of document.querySelectorAll(".opblock-tag-section " +
		    "span:first-child > .opblock:not(.is-open) .opblock-summary-control"))
			closed.click();
		return tags.length ===
		    document.querySelectorAll(".opblock.is-open .responses-table").length;
	}, null, { polling: 5000, timeout: SLOW_MS });
}
await step(much === "all" ? "an operation of each tag and the schemas open" :
    "a schema opens", async () => {
	if (much === "all")
		await openTags();
	await click("section.models:not(.is-open) > h4 button");
	await page.locator("section.models .json-schema-2020-12-accordion")
	    .first().waitFor();
	await click("section.models .json-schema-2020-12-accordion",
	    much === "all" ? Infinity : 1);
	await page.locator("section.models .json-schema-2020-12-property")
	    .first().waitFor({ timeout: SLOW_MS });
	want(await page.locator(".errors-wrapper").count(), 0);
});
await step("the browser reports no error", async () => {
	// Except the 401 of the second step.
	want(seen.errors.filter((text) => !/status of 401/.test(text)).join(), "");
});
await step("the page requests nothing from other hosts", async () => {
	want(seen.otherHosts.join(), "");
});
await step("a reload removes the credentials", async () => {
	await page.reload();
	await operation("decide").waitFor();
	want((await createKey(401)).code, "UNAUTHENTICATED");
	want(await page.evaluate(() => localStorage.length +
	    sessionStorage.length + document.cookie.length), 0);
});
// The checks above would see inline scripts, inline styles and other hosts.
for (const [what, work] of [
	["scripts", () => {
		const script = document.createElement("script");
		script.textContent = "document.title = 'inline'";
		document.body.append(script);
	}],
	["styles", () => document.body.setAttribute("style", "color: red")],
	["requests", () => fetch("http://127.0.0.1:9/").catch(() => {})],
]) {
	await step(`the content policy stops other ${what}`, async () => {
		want(await stops(page, seen, work), true);
		want(await page.title(), "Assay API");
	});
}
await browser.close();
