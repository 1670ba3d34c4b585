// SPDX-License-Identifier: ISC
// Measure the console in a headless Chromium, for part w of bench/bench.sh:
//
//	node console.mjs MODULES CHROMIUM URL < CREDENTIALS
//
// CREDENTIALS is the body of a login.  Prints each figure beside its budget, and
// asserts nothing.
import { readFileSync } from "node:fs";
import { launch } from "../t/node/page.mjs";

const [modules, program, base] = process.argv.slice(2);
const credentials = JSON.parse(readFileSync(0, "utf8"));
const ROWS = 500;
const CHANGES = 300;
const TRIES = 50;

const browser = await launch(modules, program);
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
const page = await context.newPage();
const session = await context.newCDPSession(page);
page.setDefaultTimeout(60000);

function figure(what, value, budget) {
	console.log(`${what.padEnd(52)}${String(value).padStart(12)}${
	    budget.padStart(14)}`);
}
const p95 = (times) => Math.ceil(times.sort((a, b) => a - b)[
    Math.floor(times.length * 0.95)]);

// Load the queue; the time until its first row is there, and its requests.
async function loadQueue() {
	const seen = new Map();
	const note = ({ requestId, request }) => seen.set(requestId,
	    { path: new URL(request.url).pathname, url: request.url, bytes: 0 });
	const size = ({ requestId, encodedDataLength }) => {
		seen.get(requestId).bytes = encodedDataLength;
	};
	session.on("Network.requestWillBeSent", note);
	session.on("Network.loadingFinished", size);
	await page.goto("about:blank");
	await page.goto(`${base}/console/#/cases`);
	await page.waitForFunction(() => window.firstRow !== undefined);
	const until = seen.size;
	const time = await page.evaluate(() => Math.ceil(window.firstRow));
	await page.waitForLoadState("networkidle");
	session.off("Network.requestWillBeSent", note);
	session.off("Network.loadingFinished", size);
	return { time, requests: [...seen.values()].slice(0, until)
	    .filter(({ url }) => url.startsWith(base)) };
}

// The 95th percentile of the time of each call, one after the other.
async function timeCalls(urls) {
	for (const url of urls)
		figure(`  p95 of ${new URL(url).pathname}, ms`, p95(await page.evaluate(
		    async ([to, n]) => {
			const times = [];
			for (let i = 0; i < n; i++) {
				const start = performance.now();
				await (await fetch(to, { headers: {
				    "Assay-Session": "cookie" } })).text();
				times.push(performance.now() - start);
			}
			return times;
		    }, [url, TRIES])), "100");
}

// The time from a key to the frame after it.
function timeKeys(keys) {
	return page.evaluate(async (pressed) => {
		const times = [];
		for (const key of pressed) {
			const start = performance.now();
			document.activeElement.dispatchEvent(new KeyboardEvent("keydown",
			    { key, bubbles: true, cancelable: true }));
			await new Promise((done) => requestAnimationFrame(() =>
			    setTimeout(done)));
			times.push(performance.now() - start);
		}
		return times;
	}, keys);
}

async function heap() {
	await session.send("HeapProfiler.collectGarbage");
	const { metrics } = await session.send("Performance.getMetrics");
	return metrics.find(({ name }) => name === "JSHeapUsedSize").value;
}

async function openCase({ id, eventId }) {
	await page.evaluate((to) => { location.hash = `#/cases/${to}`; }, id);
	await page.waitForFunction((event) => document.querySelector("#why .rule") &&
	    document.querySelector("main").innerHTML.includes(event), eventId);
}

await page.addInitScript(() => {
	new MutationObserver(() => {
		if (window.firstRow === undefined &&
		    document.querySelector("tbody tr[data-row] a") !== null)
			window.firstRow = performance.now();
	}).observe(document, { childList: true, subtree: true });
});
await session.send("Network.enable");
await session.send("Performance.enable");
await page.goto(`${base}/console/`);
await page.getByLabel("Email").fill(credentials.email);
await page.getByLabel("Password", { exact: true }).fill(credentials.password);
await page.keyboard.press("Enter");
await page.locator(".menu").waitFor();

console.log(`${"".padEnd(52)}${"measured".padStart(12)}${"budget".padStart(14)}`);
await session.send("Network.clearBrowserCache");
const cold = await loadQueue();
const bytes = (pattern) => cold.requests.filter(({ path }) => pattern.test(path))
    .reduce((sum, one) => sum + one.bytes, 0);
figure("requests before the first row", cold.requests.length, "16");
figure("HTML with headers, bytes", bytes(/\/$/), "2000");
figure("CSS, compressed, with headers, bytes", bytes(/\.css$/), "10000");
figure("JavaScript, compressed, with headers, bytes", bytes(/\.js$/), "60000");
figure("first row, cold cache, ms", cold.time, "600");
figure("first row, warm cache, ms", (await loadQueue()).time, "250");
await session.send("Network.clearBrowserCache");
await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
figure("first row, cold cache, a quarter of the CPU, ms", (await loadQueue()).time,
    "1500");
await session.send("Emulation.setCPUThrottlingRate", { rate: 1 });
await timeCalls(cold.requests.filter(({ path }) => path.startsWith("/v1/"))
    .map(({ url }) => url));

while (await page.locator("tbody tr").count() < ROWS) {
	const more = page.getByRole("button", { name: /more/i }).last();
	const before = await page.locator("tbody tr").count();
	await more.click({ timeout: 5000 }).catch(() => {});
	const grew = await page.waitForFunction((n) =>
	    document.querySelectorAll("tbody tr").length > n, before,
	    { timeout: 5000 }).catch(() => null);
	if (grew === null)
		break;
}
figure("rows in the list", await page.locator("tbody tr").count(), `${ROWS}`);
await page.locator("main").focus();
figure("p95 from j or k to the next frame, ms", p95(await timeKeys(
    "jjjjjjjjjjjjjjjjjjjjkkkkkkkkkkkkkkkkkkk".split(""))), "50");

await page.waitForLoadState("networkidle");
figure("case opened from the list, ms", await page.evaluate(async () => {
	const start = performance.now();
	document.querySelector("tbody tr[data-row] a").click();
	while (document.querySelector("#why .rule, #why .empty") === null)
		await new Promise(requestAnimationFrame);
	return Math.ceil(performance.now() - start);
}), "150");

const cases = await page.evaluate(async (n) => (await (await fetch(
    `/v1/cases?queue=*&limit=${n}`, { headers: { "Assay-Session": "cookie" } }))
    .json()).map(({ id, eventId }) => ({ id, eventId })), 200);
await openCase(cases[0]);
const before = await heap();
for (let i = 1; i <= CHANGES; i++)
	await openCase(cases[i % cases.length]);
figure(`heap after ${CHANGES} changes of the case, more MB`,
    ((await heap() - before) / 1e6).toFixed(1), "5");
await browser.close();
