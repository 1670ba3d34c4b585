// SPDX-License-Identifier: ISC
// The checks of the console see a console that is broken on purpose:
//
//	node mutated.mjs MODULES CHROMIUM URL < INPUT
//
// INPUT is { email, password }.  nginx sends no content policy, and the bundle
// takes texts for HTML and leaves characters that turn a text; the lists have the value
// of t/http/1410-console-mutated.sh.
import { readFileSync } from "node:fs";
import { faultsIn, FORBIDDEN, launch, signIn, steps, stops, want, watch } from
    "./page.mjs";

const [modules, program, base] = process.argv.slice(2);
const { email, password } = JSON.parse(readFileSync(0, "utf8"));
const browser = await launch(modules, program);
const page = await (await browser.newContext()).newPage();
const seen = await watch(page, base);
const step = steps(browser);
await signIn(page, base, email, password);

await step("a text that becomes HTML is found", async () => {
	await page.evaluate(() => { location.hash = "#/lists"; });
	await page.locator("tbody tr").first().waitFor();
	await page.waitForFunction(() => document.title === "1");
	const faults = await page.evaluate(faultsIn);
	want(faults.includes("has HTML of a text"), true);
	want(faults.includes("ran a text"), true);
	want(faults.some((fault) => /nobody sees: .*\u202e/.test(fault)), true);
});
await step("a text that turns a sentence is found", async () => {
	await page.getByRole("button", { name: "Remove u<img" }).first().click();
	want((await page.getByRole("dialog").innerText()).includes("\u202e"), true);
});
for (const [what, work] of FORBIDDEN) {
	await step(`without the policy nothing stops ${what}`, async () => {
		await page.reload();
		await page.locator(".menu").waitFor({ state: "attached" });
		want(await stops(page, seen, work, 100), false);
	});
}
await browser.close();
