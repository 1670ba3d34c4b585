// SPDX-License-Identifier: ISC
// What is not known looks unknown:
//
//	node unknown.mjs MODULES CHROMIUM URL < INPUT
//
// INPUT is { password, case }: the password of admin@example.com, and the id of a case.
import { readFileSync } from "node:fs";
import { clearPatterns, clearsIn, readTexts } from "./clears.mjs";
import { launch, show, signIn, steps, want, watch } from "./page.mjs";

const [modules, program, base] = process.argv.slice(2);
const { password, case: id } = JSON.parse(readFileSync(0, "utf8"));
const browser = await launch(modules, program);
const step = steps(browser);
const page = await (await browser.newContext({ viewport: { width: 1280,
    height: 800 } })).newPage();
await watch(page, base);
await signIn(page, base, "admin@example.com", password);

const button = (name) => page.getByRole("button", { name, exact: true });
const field = (name) => page.getByLabel(name, { exact: true });
const QUEUES = "**/v1/queues";
const LISTS = /\/v1\/lists\?/;

// Requests for these wait for the function that is returned, and are then refused with
// this status, or answered without one.
async function hold(path, status) {
	let go;
	const gate = new Promise((done) => { go = done; });
	await page.route(path, async (route) => {
		await gate;
		return status === undefined ? route.continue() :
		    route.fulfill({ status, contentType: "application/json",
			body: '{"error":true,"code":"INTERNAL","message":""}' });
	});
	return go;
}
const refuse = async (path, status) => (await hold(path, status))();

await step("a queue has no figures before the first answer, and keeps its size",
    async () => {
	const answer = await hold(QUEUES);
	await show(page, "#/cases", "tbody tr");
	const tile = page.locator(".tile").first();
	want((await tile.locator(".count").innerText()).replace(/\s+/g, " "),
	    "– Loading… waiting");
	const before = await tile.boundingBox();
	answer();
	await tile.locator("time").waitFor();
	want((await tile.boundingBox()).height, before.height);
	await page.unroute(QUEUES);
});
await step("figures of a queue that are old say so, and how old they are", async () => {
	const figure = await page.locator(".tile .count").first().innerText();
	await refuse(QUEUES, 500);
	await field("Order").selectOption("newest");
	const note = page.locator("main .note", { hasText: "Queues" });
	await note.getByText(/This may be old: .*fails again\./).waitFor();
	await note.getByText(/^as of \d+ (s|min) ago$/).waitFor();
	want(await page.locator(".tile .count").first().innerText(), figure);
	await page.unroute(QUEUES);
	await note.getByRole("button", { name: "Try again" }).click();
	await note.waitFor({ state: "detached" });
});
await step("a queue that the operator may not see offers no second try", async () => {
	await refuse(QUEUES, 403);
	await show(page, "#/nowhere", ".empty");
	await show(page, "#/cases", "tbody tr");
	await page.getByText("Your role does not allow this.").waitFor();
	want((await page.locator(".tile .count").first().innerText())
	    .replace(/\s+/g, " "), "– not known waiting");
	want(await button("Try again").count(), 0);
	await page.unroute(QUEUES);
});
await step("the home page says what it looks for, and when nothing needs attention",
    async () => {
	const answer = await hold("**/v1/proposals?*");
	await show(page, "#/", ".stats, .page > .empty");
	await page.getByText("Looking for what needs attention").waitFor();
	want(await page.getByText("Nothing needs attention").count(), 0);
	answer();
	await page.getByText("1 proposal waits for a second person.").waitFor();
	await page.unroute("**/v1/proposals?*");
	await page.route("**/v1/proposals?*", (route) => route.fulfill({ json: [] }));
	await show(page, "#/nowhere", ".empty");
	await show(page, "#/", ".stats, .page > .empty");
	await page.getByText("Nothing needs attention.").waitFor();
});
await step("the home page names the part that it could not look at", async () => {
	await refuse("**/v1/status", 500);
	await show(page, "#/nowhere", ".empty");
	await show(page, "#/", ".stats, .page > .empty");
	await page.getByText("State of the service: Something failed").waitFor();
	want(await page.getByText("Nothing needs attention").count(), 0);
	await page.unroute("**/v1/status");
	await button("Try again").click();
	await page.getByText("Nothing needs attention.").waitFor();
	await page.unroute("**/v1/proposals?*");
});
await step("an empty list says nothing about the next filter before its answer",
    async () => {
	await show(page, "#/lists?subject=bin", ".empty");
	const answer = await hold(LISTS);
	await field("Effect").selectOption("watch");
	await page.locator(".answer[aria-busy] .empty").waitFor({ state: "hidden" });
	want(await page.getByText("No entries.").isVisible(), false);
	answer();
	await page.getByText("No entries.").waitFor();
	await page.unroute(LISTS);
});
await step("a filter that the service does not answer shows no other rows", async () => {
	await show(page, "#/lists", "tbody tr");
	await refuse(LISTS, 500);
	await field("Effect").selectOption("block");
	await page.locator(".problem").waitFor();
	want(await page.locator("tbody tr").count(), 0);
	await page.unroute(LISTS);
	await button("Try again").click();
	await page.locator("tbody tr").first().waitFor();
});
await step("a list that is only followed keeps its rows when it fails", async () => {
	await show(page, "#/decisions", "tbody tr");
	const rows = await page.locator("tbody tr").count();
	await refuse(/\/v1\/activity\?/, 500);
	await page.locator("button[aria-pressed]", { hasText: "Live" }).click();
	await page.getByText("This may be old:").waitFor();
	want(await page.locator("tbody tr").count(), rows);
	await page.unroute(/\/v1\/activity\?/);
});
await step("a case that cannot be read again says how old it is", async () => {
	await show(page, `#/cases/${id}`, ".timeline");
	await refuse(`**/v1/cases/${id}`, 500);
	await field("Write a note").fill("the last one");
	await button("Add").click();
	await page.getByText(/^as of \d+ (s|min) ago$/).waitFor();
	await page.locator(".timeline").waitFor();
	await page.unroute(`**/v1/cases/${id}`);
});
await step("a case says nothing about its event before the event is known",
    async () => {
	const explain = /\/v1\/decisions\/[^/]+\/explain$/;
	await readTexts();
	const clears = async () => (await page.evaluate(clearsIn, clearPatterns()))
	    .join();
	const answer = await hold(explain, 500);
	await page.reload();
	await page.locator(".notes").waitFor();
	want(await clears(), "");
	answer();
	await page.locator(".side .problem").waitFor();
	want(await clears(), "");
});
await step("code that could not be loaded is loaded from another address", async () => {
	const files = /\/(operate|editor)\.js$/;
	const asked = [];
	page.on("request", (request) => asked.push(new URL(request.url())));
	await show(page, "#/nowhere", ".empty");
	await page.reload();
	await page.locator(".empty").waitFor();
	await page.evaluate(() => { window.same = true; });
	await page.route(files, (route) => route.abort());
	await show(page, "#/settings", ".problem");
	await button("Try again").click();
	await page.getByText("FOUR_EYES", { exact: true }).waitFor();
	await show(page, "#/rules/card.capture", ".problem");
	await button("Try again").click();
	await page.locator("rule-editor .cm-content").waitFor();
	want(await page.evaluate(() => window.same), true);
	want(asked.filter(({ pathname }) => files.test(pathname)).map(({ search }) =>
	    search).join(), ",?again=1,,?again=1");
});
await browser.close();
