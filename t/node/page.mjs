// SPDX-License-Identifier: ISC
// What the scripts share that use a page in a headless Chromium.
import { createRequire } from "node:module";

// launch(modules, program): the browser.  Without a graphics card the GPU process of
// Chromium takes a seventh of the CPU time.  Chromium as root cannot use its sandbox.
export async function launch(modules, program) {
	const { chromium } = createRequire(modules + "/")("playwright-core");
	return chromium.launch({ executablePath: program,
	    args: ["--disable-gpu",
	    ...process.getuid() === 0 ? ["--no-sandbox"] : []] });
}

// watch(page, base): what goes wrong on the page from now on.  errors are messages
// of the browser, failed requests and violations of the content policy, which begin
// with "policy:"; otherHosts are requests to another origin.  patient: keys wait until
// the page takes them.
export async function watch(page, base, { patient = true } = {}) {
	const { origin } = new URL(base);
	const seen = { errors: [], otherHosts: [] };
	page.setDefaultTimeout(120000);
	page.on("console", (message) => {
		if (["error", "warning"].includes(message.type()))
			seen.errors.push(message.text());
	});
	page.on("pageerror", (error) => seen.errors.push(String(error)));
	page.on("requestfailed", (request) => {
		// A reload aborts what the page still loads.
		if (request.failure().errorText !== "net::ERR_ABORTED")
			seen.errors.push(request.url());
	});
	page.on("request", (request) => {
		if (new URL(request.url()).origin !== origin &&
		    !request.url().startsWith("data:"))
			seen.otherHosts.push(request.url());
	});
	if (patient)
		waitForPage(page);
	await page.addInitScript(() => {
		document.addEventListener("securitypolicyviolation", (event) =>
		    console.error(`policy: ${event.violatedDirective}`));
	});
	return seen;
}

// Longer than the pauses of console/hold.js.
const SEEN_MS = 400;

// Whether the page takes keys: no change is under way, or a dialog that it has opened
// has been there for a moment.
function takesKeys(ms) {
	const dialog = document.querySelector("dialog[open]");
	if (!document.documentElement.hasAttribute("data-held"))
		return true;
	if (dialog === null)
		return false;
	dialog.seenAt ??= performance.now();
	return performance.now() - dialog.seenAt > ms;
}

function waitForPage(page) {
	for (const name of ["press", "type"]) {
		const work = page.keyboard[name].bind(page.keyboard);
		page.keyboard[name] = async (...keys) => {
			await page.waitForFunction(takesKeys, SEEN_MS);
			await work(...keys);
		};
	}
}

// Wait until it has the focus, which follows what is drawn.
export async function hasFocus(locator) {
	await locator.and(locator.page().locator(":focus")).waitFor();
}

export function want(got, wanted) {
	if (got !== wanted)
		throw new Error(`${got}, not ${wanted}`);
}

// The first lines of an error: playwright names there what it has waited for.
function reason(error) {
	return error.message.split("\n").slice(0, 3).join(" ").replace(/\s+/g, " ");
}

// steps(browser): a function step(label, work) that prints "ok LABEL" or "not ok
// LABEL: WHY" and ends the program at the first step that fails.
export function steps(browser) {
	return async (label, work) => {
		try {
			await work();
			console.log(`ok ${label}`);
		} catch (error) {
			console.log(`not ok ${label}: ${reason(error)}`);
			await browser.close();
			process.exit(0);
		}
	};
}

// signIn(page, base, email, password): open the console as this operator.
export async function signIn(page, base, email, password) {
	await page.goto(`${base}/console/`);
	await page.getByLabel("Email").fill(email);
	await page.getByLabel("Password", { exact: true }).fill(password);
	await page.keyboard.press("Enter");
	await page.locator(".menu").waitFor({ state: "attached" });
}

// partOf(page, path, selector): these parts of the screen of this path.  The screen
// before it may still show such parts.
export function partOf(page, path, selector) {
	return page.locator(`main[data-path="${path}"] :is(${selector})`);
}

// show(page, hash, ready): open the address, and wait until its screen has this part.
export async function show(page, hash, ready) {
	await page.evaluate((to) => { location.hash = to; }, hash);
	await partOf(page, hash.slice(1).split("?")[0], ready).first().waitFor();
}

// What the content policy of the console forbids a page.
export const FORBIDDEN = [
	["code from text", () => setTimeout(() =>
	    window.eval("document.title = 'eval'"), 0)],
	["inline scripts", () => {
		const script = document.createElement("script");
		script.append("document.title = 'inline'");
		document.body.append(script);
	}],
	["inline styles", () => document.body.setAttribute("style",
	    "color: red")],
	["HTML from text", () => setTimeout(() => {
		document.body.innerHTML = "<p>";
	}, 0)],
];

// stops(page, seen, work, ms): whether the policy stops work, which it says within so
// many milliseconds.
export async function stops(page, seen, work, ms = 60000) {
	const stopped = () => seen.errors.some((text) => text.startsWith("policy:"));
	seen.errors = [];
	await page.evaluate(work);
	for (const end = Date.now() + ms; !stopped() && Date.now() < end;)
		await page.waitForTimeout(20);
	return stopped();
}

// What is wrong with the page: an error, a text that became HTML, or a part that
// the window does not show whole.
export function faultsIn() {
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
	const hidden = /[\p{Cf}\u2028\u2029]/u;
	const texts = [document.title, document.body.innerText,
	    ...[...document.querySelectorAll("[title], [aria-label], [placeholder]")]
		.flatMap((one) => ["title", "aria-label", "placeholder"]
		    .map((name) => one.getAttribute(name) ?? ""))];
	const unseen = texts.find((text) => hidden.test(text));
	if (unseen !== undefined) {
		const at = unseen.search(hidden);
		faults.push(`has a character that nobody sees: ${JSON.stringify(
		    unseen.slice(Math.max(0, at - 30), at + 10))}`);
	}
	const wide = [...document.querySelectorAll("main *")].find((one) =>
	    one.getBoundingClientRect().right > most + 1 && !reached(one));
	if (wide)
		faults.push(`is wider than the window: ${wide.outerHTML.slice(0, 100)}`);
	else if (document.documentElement.scrollWidth > most)
		faults.push("is wider than the window");
	return faults;
}
