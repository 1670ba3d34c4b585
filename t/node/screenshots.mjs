// SPDX-License-Identifier: ISC
// Take the pictures of README.md from a service that has decided the sample:
//
//	node screenshots.mjs MODULES CHROMIUM URL FOLDER < CREDENTIALS
//
// CREDENTIALS is the body of a login.  A picture shows what an operator sees without
// scrolling.
import { readFileSync } from "node:fs";
import { launch, watch } from "./page.mjs";

const [modules, program, base, folder] = process.argv.slice(2);
const { email, password } = JSON.parse(readFileSync(0, "utf8"));
const RING = "sample-0030";
const RULES = "card.authorize";
const WIDTH = 1280;
const [FROM, TO] = ["26", "36"];

const browser = await launch(modules, program);
const context = await browser.newContext({ colorScheme: "light", locale: "en-GB",
    timezoneId: "UTC", reducedMotion: "reduce",
    viewport: { width: WIDTH, height: 720 } });
const page = await context.newPage();
const seen = await watch(page, base);

async function open(hash, ready) {
	await page.evaluate((to) => { location.hash = to; }, hash);
	await page.locator(ready).first().waitFor();
}

// Take a picture of this height when nothing loads any more; the pointer and a
// blinking caret are not in it.
async function picture(name, height) {
	await page.setViewportSize({ width: WIDTH, height });
	await page.mouse.move(0, 0);
	await page.waitForLoadState("networkidle");
	await page.waitForFunction(() =>
	    document.querySelector("[aria-busy=true]") === null);
	await page.screenshot({ path: `${folder}/${name}.png`, caret: "hide" });
}

// The case about this event.
function caseOf(event) {
	return page.evaluate(async (id) => {
		const answer = await fetch("/v1/cases?queue=*&limit=200",
		    { headers: { "Assay-Session": "cookie" } });
		return (await answer.json()).find(({ eventId }) => eventId === id).id;
	}, event);
}

await page.goto(`${base}/console/`);
await page.getByLabel("Email").fill(email);
await page.getByLabel("Password", { exact: true }).fill(password);
await page.keyboard.press("Enter");
await page.locator(".menu").waitFor();

await open("#/cases", "tbody tr");
await page.keyboard.press("j");
await page.locator(".case-preview .rules .fired").first().waitFor();
await picture("queue", 720);

await open(`#/cases/${await caseOf(RING)}`, ".timeline");
await page.locator("#why .fired").first().waitFor();
await picture("case", 780);

// Another amount in a rule, and what that would have decided.
await open(`#/rules/${RULES}`, "rule-editor .cm-content");
await page.locator(".cm-content").getByText(FROM, { exact: true }).dblclick();
await page.keyboard.type(TO);
await page.locator(".checked .icon").waitFor();
await page.keyboard.press("Control+Enter");
await page.locator("table.mix").first().waitFor();
await picture("rules", 680);

await browser.close();
if (seen.errors.filter((text) => !/status of 401/.test(text)).length > 0)
	throw new Error(seen.errors.join("\n"));
