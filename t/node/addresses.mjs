// SPDX-License-Identifier: ISC
// Open every address of console/screens.js, of things whose texts try to be HTML:
//
//	node addresses.mjs MODULES CHROMIUM URL < INPUT
//
// INPUT is { password, text, case, exception, proposal, backtest }: the password of
// admin@example.com and ana@example.com, an analyst; the hostile text; and the ids of
// a case, an exception, a proposal and a kept backtest.
import { readFileSync } from "node:fs";
import screens from "../../console/screens.js";
import { clearPatterns, clearsIn, readTexts } from "./clears.mjs";
import { faultsIn, launch, signIn, steps, want, watch } from "./page.mjs";

const [modules, program, base] = process.argv.slice(2);
const input = JSON.parse(readFileSync(0, "utf8"));
const browser = await launch(modules, program);
const step = steps(browser);
const VALUES = { type: "order.place", kind: "user",
    ruleVersions: { id: "order.place", version: "seed@v0.4" },
    policy: { id: "pol_order_place" },
    policyVersions: { id: "pol_order_place", version: "v0.4.0" },
    case: { id: input.case }, decision: { id: `e1${input.text}` },
    entity: { id: "" }, exception: { id: input.exception },
    proposal: { id: input.proposal },
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
		await on.waitForTimeout(20);
		if (on.pending.size > 0 || await on.locator("main .loading").count() > 0)
			quiet = -1;
	}
	return on.locator("main h1").innerText();
}
async function open(on, hash) {
	await on.evaluate((to) => { location.hash = to; }, hash);
	return settled(on, hash);
}

// Open the page of the user with the hostile id, whose address is a handle.
async function openUser() {
	await open(page, "#/entity");
	await page.getByLabel("Id", { exact: true }).fill(`u${input.text}`);
	await page.keyboard.press("Enter");
	await page.waitForFunction(() => location.hash.startsWith("#/entity/user/"));
	return page.evaluate(() => location.hash);
}
const user = addresses.find(({ hash }) => hash.startsWith("#/entity/user/"));

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
// A second window of the admin.
let second;
await step("a link to a person can be opened in a new window", async () => {
	await open(page, `#/cases/${input.case}`);
	const opened = page.context().waitForEvent("page");
	await page.locator(".facts a[href*='/entity/user/']").first()
	    .click({ modifiers: ["Control"] });
	second = await opened;
	for (const again of [false, true]) {
		if (again)
			await second.reload();
		await second.locator("main h1 code", { hasText: "<img src=x" }).waitFor();
	}
});
await step("only windows of the same operator tell what a handle stands for",
    async () => {
	const told = (email) => second.evaluate((asker) => new Promise((done) => {
		const handle = location.hash.split("/").at(-1);
		const channel = new BroadcastChannel("assay.console.handles");
		channel.addEventListener("message", ({ data }) =>
		    data.known && done(data.known.length));
		channel.postMessage({ email: asker, handles: [handle] });
		setTimeout(done, 2000, 0);
	}), email);
	want(await told("ana@example.com"), 0);
	want(await told("admin@example.com"), 1);
});
// The heading of each address in the first visit.
const headings = new Map();
await step("every address shows hostile texts as text at 360 pixels", async () => {
	user.hash = await openUser();
	await visit(page, async ({ screen, hash }) => {
		headings.set(hash, await open(page, hash));
		if ((await page.locator("#app").innerText()).includes("<img src=x"))
			shown.push(screen.id);
		return page.evaluate(faultsIn);
	});
});
await step("back and forward lead to the same screens", async () => {
	const faults = [];
	const move = async (way, { hash }) => {
		await page[way]();
		const heading = await settled(page, hash);
		if (heading !== headings.get(hash))
			faults.push(`${way}: ${heading}, not ${headings.get(hash)}`);
	};
	for (const address of addresses.slice(0, -1).reverse())
		await move("goBack", address);
	for (const address of addresses.slice(1))
		await move("goForward", address);
	want(faults.join("; "), "");
});
await step("the texts are on the screens that are about them", async () => {
	for (const id of ["queue", "case", "decisions", "decision", "entity",
	    "lists", "exceptions", "exception", "apikeys", "proposal", "audit"])
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
	const before = headings.get(hash);
	await open(page, hash);
	await page.reload();
	// On a busy machine the other window may tell late who the user is.
	await page.waitForFunction(([path, heading]) => document.querySelector("main")
	    ?.dataset.path === path && document.querySelector("main h1")?.innerText ===
	    heading, [hash.slice(1), before], { timeout: 5000 }).catch(() => {});
	const after = await settled(page, hash);
	return [...await page.evaluate(faultsIn),
	    ...after === before ? [] : [`${after}, not ${before}`]];
    }));
await step("back closes what is open over a page", async () => {
	const sent = [];
	page.on("request", (request) => {
		if (request.method() !== "GET")
			sent.push(request.url());
	});
	for (const [title, show] of [
	    ["Keys", () => page.keyboard.press("?")],
	    ["Go to or do", () => page.keyboard.press("Control+k")],
	    ["Sign out everywhere", () => page.getByRole("button",
		{ name: "Sign out everywhere" }).click()]]) {
		await open(page, "#/rules");
		await open(page, "#/account");
		await show();
		await page.getByRole("dialog", { name: title }).waitFor();
		await page.goBack();
		await settled(page, "#/rules");
		await page.locator("dialog").waitFor({ state: "detached" });
	}
	want(sent.join(" "), "");
});
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
await readTexts();
const clears = clearPatterns();
// What the service may answer instead of data, and what the page then says; 0: there
// is no answer.
const REFUSALS = [
	[401, "UNAUTHENTICATED", "Sign in again to go on where you were."],
	[503, "UNAVAILABLE", "The service cannot answer right now. Try again."],
	[429, "RATE_LIMITED", "Too many requests. Try again in 60 s."],
	[500, "INTERNAL", "Try again, and tell an admin if it fails again."],
	[0, "OFFLINE", "The service does not answer. Check the network."],
	[403, "FORBIDDEN", "Your role does not allow this. Ask an admin."],
];
const again = page.getByRole("main").getByRole("button", { name: "Try again" });
async function tryAgain(hash) {
	// One that is answered may take another one away.
	await again.evaluateAll((buttons) => buttons.forEach((one) => one.click()));
	return settled(page, hash);
}
const locked = page.getByRole("dialog", { name: "Your session has ended" });
async function signInAgain() {
	await locked.getByLabel("Password").fill(input.password);
	await page.keyboard.press("Enter");
	await locked.waitFor({ state: "detached" });
}
// Addresses that ask the service for nothing.
const SILENT = new Set(["#/account", "#/entity"]);
const REFUSABLE = /\/v1\/(?!auth\/(login|me)$)/;
// Requests wait for gate, and then get the refusal; without one the service answers.
let refusal, gate;
const answer = async (route) => {
	const [status, code] = refusal ?? [];
	await gate;
	if (status === undefined)
		return route.continue();
	return status === 0 ? route.abort("internetdisconnected") :
	    route.fulfill({ status, headers: { "Retry-After": "60" },
		contentType: "application/json",
		body: JSON.stringify({ error: true, code, message: code }) });
};
const clearsNow = async (when) => (await page.evaluate(clearsIn, clears))
    .map((line) => `says "${line}" ${when}`);
// The page opens the address, which the service refuses after the page has waited; the
// all-clears that it shows while it waits.
async function openRefused(hash) {
	let open;
	gate = new Promise((done) => { open = done; });
	const asked = page.waitForRequest(REFUSABLE);
	await page.evaluate((to) => { location.hash = to; }, hash);
	await asked;
	const faults = await clearsNow("before the answer");
	open();
	await Promise.race([settled(page, hash), locked.waitFor()]);
	return faults;
}
// The page asks again, and gets the next refusal.
async function askAgain(hash) {
	if (await locked.count() === 0)
		return tryAgain(hash);
	await signInAgain();
	return settled(page, hash);
}
// The same code shows every refusal, so every fourth address gets all of them, and those
// whose figures are read at a glance.
const due = (screen, nth) => ["home", "queue"].includes(screen.id) || nth % 4 === 0 ?
    REFUSALS : [REFUSALS[1]];
await step("every address says what to do when the service refuses, and recovers",
    async () => {
	await page.route(REFUSABLE, answer);
	let nth = 0;
	await visit(page, async ({ screen, hash }) => {
		const faults = [];
		const all = SILENT.has(hash) ? [] : due(screen, nth++);
		for (refusal of all) {
			const [status, , words] = refusal;
			if (refusal === all[0])
				faults.push(...await openRefused(hash));
			else
				await askAgain(hash);
			if (!await page.getByText(words).first().waitFor()
			    .then(() => true, () => false))
				faults.push(`does not say what to do after ${status}`);
			if (await page.locator(".menu a").count() === 0)
				faults.push(`has no menu after ${status}`);
			faults.push(...await clearsNow(`after ${status}`));
		}
		refusal = undefined;
		await open(page, "#/nowhere");
		await open(page, hash);
		return [...faults, ...await page.evaluate(faultsIn)];
	});
	await page.unroute(REFUSABLE);
	seen.errors = [];
});
await step("a forgotten person is not shown, and other filters stay", async () => {
	await second.close();
	await page.goto(`${base}/console/${user.hash}`);
	await page.reload();
	const forgotten = page.getByText("This link works only in the browser that");
	await forgotten.waitFor();
	await page.evaluate(() => {
		location.hash = "#/decisions?userId=~gone.1&eventType=order.place";
	});
	await page.getByRole("heading", { name: "Decisions", level: 1 }).waitFor();
	await forgotten.waitFor();
	await page.getByRole("link", { name: "Search again" }).click();
	await page.locator("main tbody tr").first().waitFor();
	want(await page.evaluate(() => location.hash),
	    "#/decisions?eventType=order.place");
});
await step("the browser keeps no personal data", async () => {
	await openUser();
	await page.locator("main a", { hasText: "196.188.•.•" }).first().click();
	await page.waitForFunction(() => location.hash.startsWith("#/entity/ip/"));
	await page.getByRole("heading", { name: "196.188.•.•" }).first().waitFor();
	want(await page.getByText("196.188.1.2").count(), 0);
	await open(page, "#/decisions");
	await page.locator("td a[href*=userId]").first().click();
	await page.waitForFunction(() => location.hash.includes("userId="));
	want([...seen.visited].filter((url) => /196\.188|251911|@example|u<img/.test(
	    decodeURIComponent(url))).join(), "");
	want(await page.evaluate(() => /196\.188|2519|@|<img/.test(JSON.stringify(
	    [localStorage, sessionStorage, document.cookie, history.state]))), false);
	want((await page.evaluate(() => indexedDB.databases())).length, 0);
	want(await page.evaluate(async () => (await caches.keys()).length).catch(
	    () => 0), 0);
	want(seen.errors.join(), "");
});
await browser.close();
