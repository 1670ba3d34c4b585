// SPDX-License-Identifier: ISC
// Open every address of console/screens.js, of things whose texts try to be HTML:
//
//	node addresses.mjs MODULES CHROMIUM URL < INPUT
//
// INPUT is { password, text, case, proposal, backtest }: the password of
// admin@example.com and ana@example.com, an analyst; the hostile text; and the ids of
// a case, a proposal and a kept backtest.
import { readFileSync } from "node:fs";
import screens from "../../console/screens.js";
import { launch, signIn, steps, want, watch } from "./page.mjs";

const [modules, program, base] = process.argv.slice(2);
const input = JSON.parse(readFileSync(0, "utf8"));
const browser = await launch(modules, program);
const step = steps(browser);
const VALUES = { type: "order.place", kind: "user",
    ruleVersions: { version: "seed@v0.4" },
    policy: { id: "pol_order_place" },
    policyVersions: { id: "pol_order_place", version: "v0.4.0" },
    case: { id: input.case }, decision: { id: `e1${input.text}` },
    entity: { id: `u${input.text}` }, proposal: { id: input.proposal },
    backtest: { id: input.backtest }, shadow: { id: "none" } };

const addresses = screens.flatMap((screen) => screen.paths.map((path) => ({ screen,
    hash: `#${path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(
	VALUES[screen.id]?.[name] ?? VALUES[name]))}` })));

async function signedIn(email, size) {
	const context = await browser.newContext({ viewport: size });
	const page = await context.newPage();
	const seen = await watch(page, base);
	seen.visited = new Set();
	page.on("framenavigated", (frame) => seen.visited.add(frame.url()));
	seen.refused = [];
	page.pending = new Set();
	page.on("request", (request) => page.pending.add(request));
	for (const end of ["requestfinished", "requestfailed"])
		page.on(end, (request) => page.pending.delete(request));
	page.on("response", (answer) => {
		if (answer.status() === 403)
			seen.refused.push(new URL(answer.url()).pathname);
	});
	await signIn(page, base, email, input.password);
	seen.errors = [];
	return { page, seen };
}
const { page, seen } = await signedIn("admin@example.com", { width: 360,
    height: 740 });

// Wait until the screen of this address has its data; its heading.
async function settled(on, hash) {
	const path = hash.slice(1);
	await on.waitForFunction((wanted) => document.querySelector("main")?.dataset
	    .path === wanted && document.querySelector("main h1"), path);
	for (let quiet = 0; quiet < 3; quiet++) {
		await on.waitForTimeout(60);
		if (on.pending.size > 0 || await on.locator("main .loading").count() > 0)
			quiet = -1;
	}
	return on.locator("main h1").innerText();
}
async function open(on, hash) {
	await on.evaluate((to) => { location.hash = to; }, hash);
	return settled(on, hash);
}

// What is wrong with the page: an error, a text that became HTML, or a part that
// the window does not show whole.
function faultsIn() {
	const faults = [];
	const most = document.documentElement.clientWidth;
	const clips = (one) => ["auto", "scroll"].includes(
	    getComputedStyle(one).overflowX) || getComputedStyle(one).textOverflow ===
	    "ellipsis" || one.matches(".hidden, svg");
	const reached = (one) => {
		for (let at = one; at.id !== "app"; at = at.parentElement)
			if (clips(at))
				return true;
		return false;
	};
	if (document.querySelector("main .problem, main .note.bad"))
		faults.push("shows an error");
	if (document.querySelector("#app img, #app script, #app iframe"))
		faults.push("has HTML of a text");
	if (document.title === "1")
		faults.push("ran a text");
	const wide = [...document.querySelectorAll("main *")].find((one) =>
	    one.getBoundingClientRect().right > most + 1 && !reached(one));
	if (wide)
		faults.push(`is wider than the window: ${wide.outerHTML.slice(0, 100)}`);
	else if (document.documentElement.scrollWidth > most)
		faults.push("is wider than the window");
	return faults;
}

// Visit each address with work, and fail with all that it finds.
async function visit(on, work) {
	const faults = [];
	for (const address of addresses)
		for (const fault of await work(address).catch((error) =>
		    [error.message.split("\n")[0]]))
			faults.push(`${address.hash.slice(0, 30)} ${fault}`);
	want(faults.join("; "), "");
}

const shown = [];
await step("every address shows hostile texts as text at 360 pixels", () =>
    visit(page, async ({ screen, hash }) => {
	await open(page, hash);
	if ((await page.locator("#app").innerText()).includes("<img src=x"))
		shown.push(screen.id);
	return page.evaluate(faultsIn);
    }));
await step("the texts are on the screens that are about them", async () => {
	for (const id of ["queue", "case", "decisions", "decision", "entity",
	    "lists", "apikeys", "proposal", "audit"])
		want(shown.includes(id) ? id : "", id);
});
await step("a text does not turn the sentence of a question", async () => {
	await open(page, "#/lists");
	await page.getByRole("button", { name: "Remove u<img" }).first().click();
	const said = await page.getByRole("dialog").innerText();
	want(said.includes("</script>\\u{202e}gpj"), true);
	want(said.includes("\u202e"), false);
	await page.keyboard.press("Escape");
});
await step("every address shows the same screen after a reload", () =>
    visit(page, async ({ hash }) => {
	const before = await open(page, hash);
	await page.reload();
	const after = await settled(page, hash);
	return [...await page.evaluate(faultsIn),
	    ...after === before ? [] : [`${after}, not ${before}`]];
    }));
await step("back and forward lead to the same screens", () =>
    visit(page, async ({ hash }) => {
	if (hash === "#/account")
		return [];
	const first = await open(page, "#/account");
	const second = await open(page, hash);
	await page.goBack();
	const back = await settled(page, "#/account");
	await page.goForward();
	const forward = await settled(page, hash);
	return back === first && forward === second ? [] : [`${back}, ${forward}`];
    }));
await step("an analyst gets no refusal, and reads who may open the rest", async () => {
	const { page: ana, seen: anas } = await signedIn("ana@example.com",
	    { width: 1280, height: 800 });
	await visit(ana, async ({ screen, hash }) => {
		anas.refused.length = 0;
		const name = await open(ana, hash);
		const faults = anas.refused.map((path) => `asks ${path}`);
		if (screen.needs === undefined)
			return [...faults, ...await ana.evaluate(faultsIn)];
		if (await ana.getByText(/^Only (admins|admins and authors) may open/)
		    .count() !== 1 || name === "Not found")
			faults.push(`${name} does not say who may open it`);
		if (await ana.locator("main button").count() > 0)
			faults.push("has buttons");
		return faults;
	});
	want(anas.errors.join(), "");
	await ana.context().close();
});
await step("the browser keeps no personal data", async () => {
	await open(page, addresses.find(({ hash }) => hash.startsWith("#/entity/")).hash);
	await page.locator("main a", { hasText: "196.188.1.2" }).first().click();
	await page.waitForFunction(() => location.hash.startsWith("#/entity/ip/"));
	await page.getByRole("heading", { name: "196.188.1.2" }).first().waitFor();
	want([...seen.visited].filter((url) => /196\.188|251911|@example/.test(
	    decodeURIComponent(url))).join(), "");
	want(await page.evaluate(() => /196\.188|2519|@|<img/.test(JSON.stringify(
	    [localStorage, sessionStorage, document.cookie, history.state]))), false);
	want((await page.evaluate(() => indexedDB.databases())).length, 0);
	want(await page.evaluate(async () => (await caches.keys()).length).catch(
	    () => 0), 0);
	want(seen.errors.join(), "");
});
await browser.close();
