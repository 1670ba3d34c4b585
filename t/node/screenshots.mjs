// SPDX-License-Identifier: ISC
// Take the pictures of README.md and docs/CONSOLE.md from a service that has decided
// the sample:
//
//	node screenshots.mjs MODULES CHROMIUM URL FOLDER < CREDENTIALS
//
// CREDENTIALS is { email, password } of an admin.  The pictures of README.md come first;
// the others need changes of the data.
import { readFileSync } from "node:fs";
import { beforeOthers, PICTURES } from "./pictures.mjs";
import { launch, partOf, signIn, watch } from "./page.mjs";

const [modules, program, base, folder] = process.argv.slice(2);
const admin = JSON.parse(readFileSync(0, "utf8"));
const browser = await launch(modules, program);
const faults = [];

// A window of this person.
async function windowOf({ email, password }) {
	const context = await browser.newContext({ locale: "en-GB", timezoneId: "UTC",
	    reducedMotion: "reduce" });
	const page = await context.newPage();
	faults.push(await watch(page, base));
	await signIn(page, base, email, password);
	return page;
}

// The part of the window that a picture shows: the element whole or its upper part.
async function clipOf(page, part, height) {
	if (part === undefined)
		return undefined;
	const box = await page.locator(part).first().boundingBox();
	return { ...box, height: Math.min(height ?? box.height, box.height) };
}

// Take a picture when nothing loads any more; the pointer and a blinking caret are not
// in it.
async function take(page, { file, at, ready, steps, size, part, height, theme }) {
	const [width, tall] = size;
	await page.emulateMedia({ colorScheme: theme ?? "light" });
	await page.setViewportSize({ width, height: tall });
	const hash = typeof at === "string" ? at : await at(page);
	await page.evaluate((to) => { location.hash = to; }, hash);
	await partOf(page, hash.slice(1).split("?")[0], ready).first().waitFor();
	await steps?.(page);
	await page.mouse.move(0, 0);
	await page.waitForLoadState("networkidle");
	await page.waitForFunction(() => document.querySelector("[aria-busy=true], " +
	    ".toast") === null);
	await page.screenshot({ path: `${folder}/${file}.png`, caret: "hide",
	    clip: await clipOf(page, part, height) });
}

const windows = { admin: await windowOf(admin) };
for (const picture of PICTURES.filter(({ of }) => of === "README.md"))
	await take(windows.admin, picture);
windows.author = await windowOf(await beforeOthers(base, admin));
for (const picture of PICTURES.filter(({ of }) => of !== "README.md"))
	await take(windows[picture.who ?? "admin"], picture);
await browser.close();

const errors = faults.flatMap((one) => one.errors)
    .filter((text) => !/status of 401/.test(text));
if (errors.length > 0)
	throw new Error(errors.join("\n"));
// The receiver of beforeOthers() still listens.
process.exit(0);
