// SPDX-License-Identifier: ISC
// An analyst who types faster than the service answers, and does not look:
//
//	node typing.mjs MODULES CHROMIUM URL CASES < INPUT
//
// INPUT is { password }: the password of ana@example.com.  She chooses an outcome for
// each of the CASES cases and writes a reason, submits both twice, and types on at
// once: keys that would choose, take, snooze, block and submit.  Answers are slow,
// refused, failing or lost.  Each case must have the outcome and the reason that she
// meant for it.
import { readFileSync } from "node:fs";
import { launch, show, signIn, steps, want, watch } from "./page.mjs";

const [modules, program, base, cases] = process.argv.slice(2);
const { password } = JSON.parse(readFileSync(0, "utf8"));
const OUTCOMES = ["fraud", "legit", "inconclusive"];
const BLIND = ["1", "3", "b", "a", "w", "z", "h", "Z", "n", "r", "2", " ", "k"];
const browser = await launch(modules, program);
const step = steps(browser);
const page = await (await browser.newContext({ viewport: { width: 1280,
    height: 800 } })).newPage();
const seen = await watch(page, base, { patient: false });

// A sequence that is the same in each run.
let state = 20260923;
function chance(n) {
	state = (state * 1103515245 + 12345) % 2147483648;
	return Math.floor(state / 65536) % n;
}

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const refusal = (status, code, headers = {}) => ({ status, headers,
    contentType: "application/json",
    body: JSON.stringify({ error: true, code, message: "not now" }) });
// What happens to a request that resolves a case.
const FAULTS = [
	(route) => route.continue(),
	async (route) => {
		await sleep(200 + chance(900));
		await route.continue();
	},
	(route) => route.fulfill(refusal(429, "RATE_LIMITED", { "retry-after": "1" })),
	(route) => route.fulfill(refusal(500, "INTERNAL")),
	async (route) => {
		await route.fetch();
		await route.abort();
	},
];
let faulty = false, resolved = 0;
await page.route("**/v1/cases/*/resolve", (route) => {
	if (!faulty)
		return route.continue();
	resolved++;
	return FAULTS[resolved % 2 === 0 ? 0 : chance(FAULTS.length)](route);
});

const ask = (method, path) => page.evaluate(async ({ how, where }) =>
    (await fetch(where, { method: how, headers: { "Assay-Session": "cookie" } }))
    .json(), { how: method, where: path });
await page.route("**/v1/cases/next", async (route) => {
	await sleep(chance(3) * 300);
	await route.continue();
});
const shown = () => page.evaluate(() => location.hash.match(/^#\/cases\/(\w+)$/)?.[1]);
const ready = () => page.waitForFunction(() =>
    !document.documentElement.hasAttribute("data-held") &&
    document.querySelector("main .timeline, main table, main .empty"));
// press KEYS PLACE: as fast as a person can, within the page, so that nothing else
// pauses between two keys; false, and no key, if the focus is elsewhere.
const press = (keys, where = "*") => page.evaluate(async ({ names, place }) => {
	if (!document.activeElement.matches(place))
		return false;
	for (const name of names) {
		const key = name.replace("Mod+", "");
		const target = document.activeElement ?? document.body;
		for (const kind of ["keydown", "keyup"])
			target.dispatchEvent(new KeyboardEvent(kind, { key,
			    code: key, ctrlKey: key !== name, bubbles: true,
			    composed: true, cancelable: true }));
		await new Promise((done) => setTimeout(done, 15));
	}
	return true;
}, { names: keys, place: where });

// What she means: case -> { outcome, note }.
const meant = new Map();
async function work(id) {
	if (await page.locator(".outcomes").count() === 0) {
		await press(["n"]);
		return;
	}
	if (!meant.has(id)) {
		const outcome = OUTCOMES[chance(3)];
		meant.set(id, { outcome, note: `case ${meant.size}: 3 banks, 1 zebra` });
		await page.keyboard.press(String(OUTCOMES.indexOf(outcome) + 1));
		await page.waitForFunction(() =>
		    document.activeElement.tagName === "TEXTAREA");
		await page.keyboard.type(meant.get(id).note);
	}
	// The field is gone if the page has learned meanwhile that the case is resolved.
	if (!await press(["Mod+Enter", "Mod+Enter", ...BLIND, "Mod+Enter", ...BLIND],
	    ".outcome textarea"))
		await page.locator(".outcome textarea").focus({ timeout: 1000 })
		    .catch(() => {});
}

await step("one submission after which nothing is typed misses no key", async () => {
	await signIn(page, base, "ana@example.com", password);
	await show(page, "#/cases", "tbody tr");
	await ready();
	await page.keyboard.press("n");
	await page.locator(".outcomes").waitFor();
	await ready();
	await page.evaluate(() => {
		window.missed = [];
		new MutationObserver(() => window.missed.push(
		    ...document.querySelectorAll(".missed"))).observe(document.body,
		    { subtree: true, childList: true, attributes: true });
	});
	meant.set(await shown(), { outcome: "legit", note: "the first one" });
	await page.keyboard.press("2");
	await page.waitForFunction(() => document.activeElement.tagName === "TEXTAREA");
	await page.keyboard.type("the first one");
	const before = await shown();
	await page.keyboard.press("Control+Enter", { delay: 80 });
	await page.waitForFunction((id) => !location.hash.endsWith(id), before);
	await ready();
	want(await page.evaluate(() => window.missed.length), 0);
});

// Delay the answers to these requests by MS; work(answer, route) may give another one.
const slow = (url, ms, work = (answer, route) => route.fulfill({ response: answer })) =>
    page.route(url, async (route) => {
	const answer = await route.fetch();
	await sleep(ms);
	await work(answer, route);
});
const mine = async () => (await ask("GET",
    "/v1/cases?status=assigned&assignee=me&limit=100")).map(({ id }) => id);
const rowsShown = (one = "tr") => page.locator(`tbody ${one}`).evaluateAll(
    (rows) => rows.map(({ dataset }) => dataset.row));
await step("keys after a take reach no other row, and the next row takes its place",
    async () => {
	await show(page, "#/cases", "tbody tr");
	await ready();
	const before = await mine(), rows = await rowsShown();
	await page.keyboard.press("j");
	await page.keyboard.press("j");
	await slow("**/v1/cases?*", 400);
	await press(["a", "a", ...BLIND, "a", ...BLIND, "a"]);
	await page.waitForFunction((id) => !document.querySelector(
	    `tr[data-row="${id}"]`), rows[1]);
	await ready();
	want((await mine()).filter((id) => !before.includes(id)).join(), rows[1]);
	want((await rowsShown("tr.current")).join(), rows[2]);
	await page.unroute("**/v1/cases?*");
});
await step("a question that opens while keys are typed is not answered by them",
    async () => {
	const before = await mine();
	const [id] = await rowsShown("tr.current");
	await slow(`**/v1/cases/${id}`, 200, async (answer, route) => route.fulfill({
	    response: answer, json: { ...await answer.json(), status: "assigned",
		assignedTo: "bob@example.com",
		claimExpiresAt: "2099-01-01T00:00:00.000Z" } }));
	await press(["a", ...BLIND, ...BLIND, "Mod+Enter", ...BLIND, "Mod+Enter"]);
	await page.locator("dialog[open]").waitFor();
	await page.waitForFunction(() =>
	    !document.documentElement.hasAttribute("data-held"));
	want(await page.locator("dialog[open]").count(), 1);
	want((await mine()).join(), before.join());
	await page.keyboard.press("Escape");
	await page.locator("dialog[open]").waitFor({ state: "detached" });
	await page.unroute(`**/v1/cases/${id}`);
});
await step("an analyst types on while answers are slow, refused, failing or lost",
    async () => {
	faulty = true;
	for (let turns = 0; turns < 20 * cases; turns++) {
		await ready();
		const id = await shown();
		if (id === undefined && meant.size >= cases)
			break;
		const [taken] = id === undefined ? await mine() : [];
		if (id !== undefined)
			await work(id);
		else if (taken !== undefined)
			await show(page, `#/cases/${taken}`, ".outcomes");
		else
			await press(["n"]);
	}
	want(meant.size, Number(cases));
});
await step("each case has the outcome and the reason that were meant for it",
    async () => {
	for (const [id, { outcome, note }] of meant) {
		const { resolution } = await ask("GET", `/v1/cases/${id}`);
		want(`${id} ${resolution?.outcome} ${resolution?.note}`,
		    `${id} ${outcome} ${note}`);
	}
});
// Open a case on a page whose clock the test moves, and send a note, which answer()
// handles.
async function sendNote(answer) {
	const other = await page.context().newPage();
	await other.clock.install();
	await other.goto(`${base}/console/#/cases?state=resolved`);
	await other.locator("tbody tr a").first().click();
	await other.route("**/v1/cases/*/notes", answer);
	await other.locator("#notes textarea").fill("a note");
	await other.locator("#notes button[type=submit]").click();
	await other.locator(":root[data-held]").waitFor();
	return other;
}
await step("keys work again if a change gets no answer for long", async () => {
	const unanswered = [];
	const other = await sendNote((route) => unanswered.push(route));
	await other.clock.fastForward(20000);
	await other.locator(".missed").first().waitFor();
	want(await other.locator(":root[data-held]").count(), 0);
	await Promise.all(unanswered.map((route) => route.abort()));
	await other.close();
});
await step("a change that asks for the password is not called late", async () => {
	const other = await sendNote((route) => route.fulfill({ status: 403,
	    contentType: "application/json", body: JSON.stringify({ error: true,
		code: "REAUTH_REQUIRED", message: "Confirm the password" }) }));
	await other.getByRole("dialog", { name: "Confirm that it is you" }).waitFor();
	await other.clock.fastForward(20000);
	want(await other.locator(".missed").count(), 0);
	await other.close();
});
await step("faults were met", async () => {
	want(resolved >= meant.size, true);
	want(seen.errors.some((text) => text.startsWith("policy:")), false);
});
await browser.close();
