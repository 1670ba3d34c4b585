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
const LOADS = 5;
// A slow mobile network (3G).
const SLOW = { offline: false, latency: 400, downloadThroughput: 50000,
    uploadThroughput: 50000 };

const browser = await launch(modules, program);
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
const page = await context.newPage();
const session = await context.newCDPSession(page);
page.setDefaultTimeout(60000);

function figure(what, value, budget) {
	console.log(`${what.padEnd(52)}${String(value).padStart(12)}${
	    budget.padStart(14)}`);
}
const median = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
const p95 = (times) => Math.ceil(times.sort((a, b) => a - b)[
    Math.floor(times.length * 0.95)]);

// Load the queue in a page of the service; the time until its first row is there, and
// its requests.  From another site the browser first starts a process, which takes it
// 200 ms here before it asks for anything.
async function loadQueue() {
	const seen = new Map();
	const note = ({ requestId, request }) => seen.set(requestId,
	    { path: new URL(request.url).pathname, url: request.url, bytes: 0 });
	const size = ({ requestId, encodedDataLength }) => {
		if (seen.has(requestId)) // otherwise it is of the page before
			seen.get(requestId).bytes = encodedDataLength;
	};
	session.on("Network.requestWillBeSent", note);
	session.on("Network.loadingFinished", size);
	await page.evaluate(() => { location.hash = "#/cases"; });
	await page.reload({ waitUntil: "commit" });
	await page.waitForFunction(() => window.firstRow !== undefined);
	const until = seen.size;
	const time = await page.evaluate(() => Math.ceil(window.firstRow));
	await page.waitForLoadState("networkidle");
	session.off("Network.requestWillBeSent", note);
	session.off("Network.loadingFinished", size);
	return { time, requests: [...seen.values()].slice(0, until)
	    .filter(({ url }) => url.startsWith(base)) };
}

// Open the service in a browser that knows nothing of it and sign in; how many requests
// that takes, and the milliseconds until the form, the home page and, from there, the
// first row of the queue.
async function firstVisit(network) {
	const visit = await browser.newContext();
	const first = await visit.newPage();
	first.setDefaultTimeout(60000);
	if (network !== null)
		await (await visit.newCDPSession(first)).send(
		    "Network.emulateNetworkConditions", network);
	let requests = 0;
	first.on("request", (sent) => {
		requests += sent.url().startsWith(base) ? 1 : 0;
	});
	let start = performance.now();
	const until = async (locator) => {
		await locator.waitFor();
		const time = Math.ceil(performance.now() - start);
		start = performance.now();
		return time;
	};
	await first.goto(`${base}/console/`, { waitUntil: "commit" });
	const form = await until(first.getByLabel("Email"));
	await first.getByLabel("Email").fill(credentials.email);
	await first.getByLabel("Password", { exact: true }).fill(credentials.password);
	start = performance.now();
	await first.keyboard.press("Enter");
	const home = await until(first.locator(".stats, .empty").first());
	await first.waitForLoadState("networkidle");
	const signedIn = requests;
	start = performance.now();
	await first.evaluate(() => { location.hash = "#/cases"; });
	const queue = await until(first.locator("tbody tr[data-row] a").first());
	await visit.close();
	return { requests: signedIn, form, home, queue };
}

// The milliseconds from a key on a case to the explanation of the next one, which the
// page has fetched ahead.
async function timeFollowing() {
	await page.evaluate(() => addEventListener("keydown", () => {
		window.pressed = { at: performance.now(), on: location.hash };
	}, { once: true, capture: true }));
	await page.keyboard.press("]");
	return page.evaluate(async () => {
		while (window.pressed.on === location.hash ||
		    document.querySelector("#why .rule, #why .empty") === null)
			await new Promise(requestAnimationFrame);
		return Math.ceil(performance.now() - window.pressed.at);
	});
}

// Get or post to the service from the page; the answer and the milliseconds.
function request(to, body) {
	return page.evaluate(async ([url, sent]) => {
		const start = performance.now();
		const answer = await fetch(url, { method: sent ? "POST" : "GET",
		    headers: { "Assay-Session": "cookie",
			"Content-Type": "application/json" }, body: sent });
		const data = await answer.json();
		return { data, time: performance.now() - start };
	}, [to, body && JSON.stringify(body)]);
}

// The 95th percentile of the time of a call, one after the other.
async function timeCall(url, budget, tries = TRIES, body = undefined) {
	const times = [];
	for (let i = 0; i < tries; i++)
		times.push((await request(url, body)).time);
	figure(`  p95 of ${new URL(url, base).pathname}, ms`, p95(times), budget);
}

// Open each screen of the menu; one address of each operation that they read.
async function firstCalls() {
	const found = new Map();
	const note = (sent) => {
		const { pathname } = new URL(sent.url());
		if (pathname.startsWith("/v1/") && sent.method() === "GET")
			found.set(pathname, sent.url());
	};
	page.on("request", note);
	for (const link of await page.locator(".menu a").all()) {
		await link.click();
		await page.waitForLoadState("networkidle");
	}
	page.off("request", note);
	return [...found.values()];
}

async function timeImpact(eventType) {
	const { data: versions } = await request(`/v1/rules/${eventType}/versions`);
	const { version } = versions.find(({ active }) => active);
	const { data: { text } } = await request(
	    `/v1/rules/${eventType}/versions/${version}`);
	await timeCall("/v1/backtest", "2000", 5, { eventType, dsl: text,
	    newest: 20000, examples: 10 });
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

// The sum of the layout shifts since the page was loaded.
async function shift() {
	return (await page.evaluate(() => window.shift)).toFixed(3);
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
	Object.assign(window, { longest: 0, shift: 0 });
	new PerformanceObserver((list) => {
		for (const { duration } of list.getEntries())
			window.longest = Math.max(window.longest, duration);
	}).observe({ type: "longtask" });
	new PerformanceObserver((list) => {
		for (const { value } of list.getEntries())
			window.shift += value;
	}).observe({ type: "layout-shift" });
});
await session.send("Network.enable");
await session.send("Performance.enable");
await page.goto(`${base}/console/`);
await page.getByLabel("Email").fill(credentials.email);
await page.getByLabel("Password", { exact: true }).fill(credentials.password);
await page.keyboard.press("Enter");
await page.locator(".menu").waitFor();

console.log(`${"".padEnd(52)}${"measured".padStart(12)}${"budget".padStart(14)}`);
const visit = await firstVisit(null);
figure("requests until the home page after a sign-in", visit.requests, "12");
const slow = await firstVisit(SLOW);
figure("slow 3G: the page to sign in, ms", slow.form, "4000");
figure("slow 3G: home after the sign-in, ms", slow.home, "3000");
figure("slow 3G: the queue from there, ms", slow.queue, "2000");
await session.send("Network.clearBrowserCache");
const cold = await loadQueue();
const bytes = (pattern) => cold.requests.filter(({ path }) => pattern.test(path))
    .reduce((sum, one) => sum + one.bytes, 0);
figure("requests before the first row", cold.requests.length, "16");
figure("HTML with headers, bytes", bytes(/\/$/), "2000");
figure("CSS, compressed, with headers, bytes", bytes(/\.css$/), "10000");
figure("JavaScript, compressed, with headers, bytes", bytes(/\.js$/), "60000");
figure("first row, cold cache, ms", cold.time, "500");
await session.send("Network.clearBrowserCache");
await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
figure("first row, cold cache, a quarter of the CPU, ms", (await loadQueue()).time,
    "1500");
await session.send("Emulation.setCPUThrottlingRate", { rate: 1 });
for (const url of await firstCalls())
	await timeCall(url, "100");
const { data: cases } = await request("/v1/cases?queue=*&limit=200");
await timeCall(`/v1/decisions/${cases[0].eventId}/explain`, "300");
await timeImpact(cases[0].eventType);

const warm = [];
for (let i = 0; i < LOADS; i++)
	warm.push((await loadQueue()).time);
figure(`first row, warm cache, median of ${LOADS}, ms`,
    median(warm), "300");
figure("layout shift of the list", await shift(), "0.02");
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
await page.waitForLoadState("networkidle");
figure("layout shift of the list and the case", await shift(), "0.02");
const following = [];
for (let i = 0; i < LOADS; i++) {
	following.push(await timeFollowing());
	await page.waitForLoadState("networkidle");
}
figure(`next case after a key, median of ${LOADS}, ms`, median(following), "120");

await openCase(cases[0]);
const before = await heap();
for (let i = 1; i <= CHANGES; i++)
	await openCase(cases[i % cases.length]);
figure(`heap after ${CHANGES} changes of the case, more MB`,
    ((await heap() - before) / 1e6).toFixed(1), "5");
figure("longest task since the list was loaded, ms",
    Math.ceil(await page.evaluate(() => window.longest)), "100");
await browser.close();
