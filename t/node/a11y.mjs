// SPDX-License-Identifier: ISC
// Check every screen of screens.mjs with axe-core at 1280 pixels, and whether it fits
// into 320 pixels (WCAG 1.4.10); then the contrast of its dark colours, which are
// all that the schemes do not share:
//
//	node a11y.mjs MODULES CHROMIUM URL STATE [FOLDER] < CREDENTIALS
//
// STATE is empty or full: whether the service has data.  With FOLDER the script
// also saves a picture of each screen there.  Prints "ok SCREEN" or "not ok SCREEN:
// WHY" for each.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import screens from "./screens.mjs";
import { launch, signIn, watch } from "./page.mjs";

const [modules, program, base, state, folder] = process.argv.slice(2);
const { email, password } = JSON.parse(readFileSync(0, "utf8"));
const axe = readFileSync(createRequire(modules + "/").resolve("axe-core"), "utf8");
const RULES = {
	light: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa",
	    "wcag22aa", "best-practice"] },
	dark: { type: "rule", values: ["color-contrast"] },
};
const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 320, height: 640 };

const browser = await launch(modules, program);

// A page that is signed in, in this colour scheme.
async function signedIn(colorScheme) {
	const context = await browser.newContext({ colorScheme, viewport: WIDE,
	    reducedMotion: "reduce" });
	const page = await context.newPage();
	const seen = await watch(page, base);
	await signIn(page, base, email, password);
	return { page, seen };
}

async function show(page, screen) {
	const hash = typeof screen.hash === "function" ?
	    await screen.hash(page) : screen.hash;
	await page.evaluate((to) => { location.hash = to; }, "#/account");
	await page.locator(".facts").first().waitFor();
	await page.evaluate((to) => { location.hash = to; }, hash);
	await page.locator(screen.ready).first().waitFor();
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

async function picture(page, name) {
	if (folder)
		await page.screenshot({ fullPage: true,
		    path: `${folder}/${name}.png` });
}

async function checkScreen(page, seen, screen, scheme) {
	seen.errors = [];
	await page.setViewportSize(WIDE);
	await show(page, screen);
	const faults = await faultsOf(page, RULES[scheme]);
	await picture(page, `${screen.id}-${state}-${scheme}`);
	if (scheme === "light" || folder) {
		await page.setViewportSize(NARROW);
		await page.waitForTimeout(100);
		faults.push(...await page.evaluate(overflow));
		await picture(page, `${screen.id}-${state}-${scheme}-narrow`);
	}
	if (await page.evaluate(() => document.getAnimations().length) > 0)
		faults.push("moves, although the operator wants no motion");
	await page.keyboard.press("Escape");
	return [...faults, ...seen.errors];
}

for (const scheme of ["light", "dark"]) {
	const { page, seen } = await signedIn(scheme);
	for (const screen of screens) {
		if (state === "empty" && screen.empty === false)
			continue;
		const label = `${screen.id}, ${state}, ${scheme}, has no fault`;
		try {
			const faults = await checkScreen(page, seen, screen, scheme);
			console.log(faults.length === 0 ? `ok ${label}` :
			    `not ok ${label}: ${faults.join("; ")
			    .replace(/\s+/g, " ")}`);
		} catch (error) {
			console.log(`not ok ${label}: ${error.message.split("\n")[0]}`);
			await page.keyboard.press("Escape");
		}
	}
	await page.context().close();
}
await browser.close();
