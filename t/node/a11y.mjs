// SPDX-License-Identifier: ISC
// Check every screen of screens.mjs:
//
//	node a11y.mjs MODULES CHROMIUM URL STATE PASS [FOLDER] < CREDENTIALS
//
// STATE is empty or full: whether the service has data.  PASS is light or failing, with
// calls that fail: axe-core at 1280 pixels, and whether the screen fits into 320 pixels
// and into half of the page (WCAG 1.4.10 and 1.4.4); or dark: the contrast of the dark
// colours, and of those that the system forces, which are all that the schemes do not
// share; or longer: whether, at both widths, it fits with texts that are 40 % longer, as
// those of another language.  With FOLDER the script also saves a picture of each screen
// there.  Prints "ok SCREEN" or "not ok SCREEN: WHY" for each.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { screensIn } from "./screens.mjs";
import { launch, signIn, watch } from "./page.mjs";

const [modules, program, base, state, scheme, folder] = process.argv.slice(2);
const { email, password } = JSON.parse(readFileSync(0, "utf8"));
const axe = readFileSync(createRequire(modules + "/").resolve("axe-core"), "utf8");
const RULES = {
	light: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa",
	    "wcag22aa", "best-practice"] },
	dark: { type: "rule", values: ["color-contrast"] },
};
RULES.failing = RULES.light;
const FAILURE = ".problem, .note [role=alert]";
// What the failing calls leave on the page, in the log of the browser too.
const FAILED = /Failed to load resource: .* 500/;
const SETTLED_MS = 10000;
const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 320, height: 640 };
const HALF = { width: 640, height: 360 };

const browser = await launch(modules, program);

// Every text that t() of console/text.js returns is 40 % longer: t() fills in the
// {name} of the text with this pattern, as api.js does with paths.
function lengthen() {
	const { replace } = String.prototype;
	const longer = (text) => {
		const more = "\u00f6".repeat(Math.ceil(0.4 * text.length));
		return text + (text.includes(" ") ?
		    replace.call(more, /^|.{8}/g, "$& ") : more);
	};
	String.prototype.replace = function (pattern, by) {
		const text = pattern.source === "\\{(\\w+)\\}" &&
		    !this.startsWith("/");
		return replace.call(text ? longer(String(this)) : this, pattern, by);
	};
}

// A page that is signed in, in this colour scheme.
async function signedIn(scheme) {
	const context = await browser.newContext({ viewport: WIDE,
	    colorScheme: scheme === "dark" ? "dark" : "light", reducedMotion: "reduce" });
	const page = await context.newPage();
	const seen = await watch(page, base);
	await signIn(page, base, email, password);
	return { page, seen };
}

async function show(page, screen, scheme) {
	const hash = typeof screen.hash === "function" ?
	    await screen.hash(page) : screen.hash;
	await page.evaluate((to) => { location.hash = to; }, "#/account");
	await page.locator(".facts").first().waitFor();
	await page.evaluate((to) => { location.hash = to; }, hash);
	await page.locator(scheme === "failing" ? FAILURE : screen.ready).first()
	    .waitFor();
	await screen.before?.(page);
	await page.waitForTimeout(150);
}

// The faults that axe finds with these rules.  It runs by the debugger's interface,
// because the policy of the page lets no other script in; it stays in the page.
async function faultsOf(page, rules) {
	const session = await page.context().newCDPSession(page);
	const { result: { value: present } } = await session.send("Runtime.evaluate",
	    { expression: "'axe' in window" });
	if (!present)
		await session.send("Runtime.evaluate", { expression: axe });
	const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
	    awaitPromise: true, returnByValue: true, expression: `axe.run({
		runOnly: ${JSON.stringify(rules)} })` });
	await session.detach();
	if (exceptionDetails)
		throw new Error(exceptionDetails.exception.description);
	// axe cannot see what is behind the text of a drawing.  It has the colours
	// of other text.
	const unsure = result.value.incomplete.map((one) => ({ ...one,
	    nodes: one.nodes.filter(({ html }) => one.id !== "color-contrast" ||
	    !html.startsWith("<text")) })).filter(({ nodes }) => nodes.length > 0);
	return [...result.value.violations, ...unsure]
	    .map(({ id, nodes }) => `${id} at ${nodes.slice(0, 3).map((node) =>
	    node.target.join(" ")).join(", ")}`);
}

// What is wider than the window and does not scroll by itself.
function overflow() {
	const most = document.documentElement.clientWidth;
	if (document.documentElement.scrollWidth <= most)
		return [];
	const wide = [...document.querySelectorAll("main *")].find((element) =>
	    element.getBoundingClientRect().right > most + 1 &&
	    !element.closest(".table-box"));
	return [`wider than the window: ${wide?.className ?? "?"}`];
}

// The texts that a box cuts off without an ellipsis, or that leave their box.
function clipped() {
	const BOXES = ".button, .badge, .tag, .tabs a, .menu a, .stat, .card, dialog";
	const cut = [];
	const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) {
		const text = texts.currentNode, range = document.createRange();
		range.selectNodeContents(text);
		const { right, width } = range.getBoundingClientRect();
		for (let box = text.parentElement; width > 0 && box !== null;
		    box = box.parentElement) {
			const { overflowX, textOverflow } = getComputedStyle(box);
			if (/auto|scroll/.test(overflowX) || box.matches(".hidden") ||
			    textOverflow === "ellipsis")
				break;
			if ((overflowX !== "visible" || box.matches(BOXES)) &&
			    right > box.getBoundingClientRect().right + 1) {
				cut.push(`${text.data.trim()} is cut at ${box.className}`);
				break;
			}
		}
	}
	return [...new Set(cut)].slice(0, 3);
}

// settled(page, check): what check finds on the page once the page has its new size: a
// busy machine lays it out later.
async function settled(page, check) {
	const end = Date.now() + SETTLED_MS;
	await page.waitForTimeout(100);
	for (;;) {
		const faults = await page.evaluate(check);
		if (faults.length === 0 || Date.now() > end)
			return faults;
		await page.waitForTimeout(100);
	}
}

async function picture(page, name) {
	if (folder)
		await page.screenshot({ fullPage: true,
		    path: `${folder}/${name}.png` });
}

async function checkScreen(page, seen, screen, scheme) {
	seen.errors = [];
	await page.setViewportSize(WIDE);
	await show(page, screen, scheme);
	const faults = await faultsOf(page, RULES[scheme]);
	await picture(page, `${screen.id}-${state}-${scheme}`);
	if (scheme === "light" || folder) {
		for (const size of [HALF, NARROW]) {
			await page.setViewportSize(size);
			faults.push(...await settled(page, overflow));
		}
		await picture(page, `${screen.id}-${state}-${scheme}-narrow`);
	}
	if (scheme === "dark") {
		await page.emulateMedia({ forcedColors: "active" });
		faults.push(...(await faultsOf(page, RULES.dark))
		    .map((fault) => `in forced colours ${fault}`));
		await picture(page, `${screen.id}-${state}-forced`);
		await page.emulateMedia({ forcedColors: "none" });
	}
	if (await page.evaluate(() => document.getAnimations().length) > 0)
		faults.push("moves, although the operator wants no motion");
	await page.keyboard.press("Escape");
	return [...faults, ...seen.errors.filter((text) => scheme !== "failing" ||
	    !FAILED.test(text))];
}

// What does not fit of a screen, wide and narrow.
async function checkLonger(page, seen, screen) {
	const faults = [];
	await page.setViewportSize(WIDE);
	await show(page, screen);
	for (const size of [WIDE, NARROW]) {
		await page.setViewportSize(size);
		faults.push(...await settled(page, overflow),
		    ...await settled(page, clipped));
		await picture(page, `${screen.id}-${state}-longer-${size.width}`);
	}
	await page.keyboard.press("Escape");
	return faults;
}

const { page, seen } = await signedIn(scheme);
if (scheme === "longer") {
	await page.addInitScript(lengthen);
	await page.reload();
	await page.getByRole("heading", { level: 1, name: "Home\u00f6\u00f6" })
	    .waitFor();
}
if (scheme === "failing")
	await page.route(/\/v1\/(?!auth\/(me|refresh|second-factor))/, (route) =>
	    route.fulfill({ status: 500, contentType: "application/json",
		body: '{"error":{"code":"INTERNAL","message":"it failed"}}' }));
const check = scheme === "longer" ? checkLonger : checkScreen;
for (const screen of screensIn(state, scheme)) {
	const label = `${screen.id}, ${state}, ${scheme}, has no fault`;
	try {
		const faults = await check(page, seen, screen, scheme);
		console.log(faults.length === 0 ? `ok ${label}` :
		    `not ok ${label}: ${faults.join("; ").replace(/\s+/g, " ")}`);
	} catch (error) {
		console.log(`not ok ${label}: ${error.message.split("\n")[0]}`);
		await page.keyboard.press("Escape");
	}
}
await browser.close();
