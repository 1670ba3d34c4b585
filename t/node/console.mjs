// SPDX-License-Identifier: ISC
// Use the console in a headless Chromium, as an operator does:
//
//	node console.mjs MODULES CHROMIUM URL < CREDENTIALS
//
// CREDENTIALS is the body of a login; the service has no operator yet.  Prints "ok
// STEP" or "not ok STEP: WHY" for each step, and stops at the first that fails.
import { readFileSync } from "node:fs";
import { FORBIDDEN, hasFocus, launch, steps, stops, want, watch } from "./page.mjs";

const [modules, program, base] = process.argv.slice(2);
const { email, password } = JSON.parse(readFileSync(0, "utf8"));
const browser = await launch(modules, program);
const context = await browser.newContext();
const page = await context.newPage();
const seen = await watch(page, base);
const step = steps(browser);
const answers = [];
page.on("response", async (response) => {
	if (response.url().includes("/v1/"))
		answers.push(await response.text().catch(() => ""));
});

const button = (name) => page.getByRole("button", { name, exact: true });
const field = (name) => page.getByLabel(name, { exact: true });
const heading = (name) => page.getByRole("heading", { name, level: 1,
    exact: true });
const dialog = (name) => page.getByRole("dialog", { name, exact: true });

async function open(hash) {
	await page.evaluate((to) => { location.hash = to; }, hash);
}

await step("the console lets the first admin register", async () => {
	await page.goto(`${base}/console`);
	await heading("Create the first admin").waitFor();
	want(page.url(), `${base}/console/`);
	await hasFocus(page.locator("input[type=email]"));
	await field("Email").fill(email);
	await field("New password").fill(password);
	await field("New password again").fill(`${password}x`);
	await button("Create and sign in").click();
	await page.getByText("The two passwords differ.").waitFor();
	await field("New password again").fill(password);
	await button("Create and sign in").click();
	await heading("Home").waitFor();
});
await step("signing out shows the login", async () => {
	await button("Sign out").click();
	await heading("Sign in").waitFor();
	await hasFocus(page.locator("input[type=email]"));
});
await step("a wrong password keeps the email and says what is wrong", async () => {
	await field("Email").fill(email);
	await field("Password").fill("wrong horse");
	await page.keyboard.press("Enter");
	await page.getByText("The email or the password is wrong.").waitFor();
	want(await field("Email").inputValue(), email);
});
await step("the right password opens the console", async () => {
	await field("Password").fill(password);
	await page.keyboard.press("Enter");
	await heading("Home").waitFor();
	want(await page.title(), "Home · Assay");
});
await step("a reload stays on the page and in the session", async () => {
	await open("#/account");
	await heading("Account and settings").waitFor();
	await page.reload();
	await heading("Account and settings").waitFor();
	await page.goBack();
	await heading("Home").waitFor();
});
await step("an address without a page leads home", async () => {
	await open("#/nowhere/at/all");
	await heading("Not found").waitFor();
	await page.getByRole("link", { name: "Go to the home page" }).click();
	await heading("Home").waitFor();
});
await step("keys open screens, the help and the palette", async () => {
	await page.keyboard.press("g");
	await page.keyboard.press(",");
	await heading("Account and settings").waitFor();
	await page.keyboard.press("?");
	await dialog("Keys").waitFor();
	await page.keyboard.press("Escape");
	await dialog("Keys").waitFor({ state: "detached" });
	await page.keyboard.press("Control+k");
	await page.keyboard.type("home");
	await page.keyboard.press("Enter");
	await heading("Home").waitFor();
	await page.keyboard.press("U");
	await page.getByRole("button", { name: /^Times in (?!UTC)|^Times in UTC/ })
	    .waitFor();
});
await step("a typed IP address opens its page and is not in the address", async () => {
	await page.keyboard.press("Control+k");
	await page.keyboard.type("192.0.2.77");
	await page.keyboard.press("Enter");
	await page.getByRole("heading", { name: "192.0.•.•" }).waitFor();
	want(/^#\/entity\/ip\/~\w+\.\d+$/.test(await page.evaluate(() =>
	    location.hash)), true);
	want((await page.title()).includes("192.0.2.77"), false);
	await open("#/");
});
await step("a key without Ctrl can be switched off", async () => {
	await open("#/account");
	await page.getByLabel("Use keys without Ctrl").uncheck();
	await field("Use keys without Ctrl").blur();
	await page.keyboard.press("?");
	await page.keyboard.press("Control+k");
	await dialog("Go to or do").waitFor();
	await page.keyboard.press("Escape");
	want(await dialog("Keys").count(), 0);
	await page.getByLabel("Use keys without Ctrl").check();
});
await step("a command gets another key, and its dialog gives the focus back",
    async () => {
	const change = page.getByRole("button",
	    { name: "Change the key of: Show all keys" });
	await change.click();
	await page.keyboard.press("F2");
	await page.keyboard.press("?");
	await page.keyboard.press("F2");
	await dialog("Keys").waitFor();
	await page.keyboard.press("Escape");
	await dialog("Keys").waitFor({ state: "detached" });
	await hasFocus(change);
	await button("Use the usual keys").click();
	await page.keyboard.press("F2");
	want(await dialog("Keys").count(), 0);
});
await step("the first link leads past the menu", async () => {
	await page.reload();
	await heading("Account and settings").waitFor();
	await page.keyboard.press("Tab");
	await hasFocus(page.locator(".skip"));
	want(await page.locator(".skip").evaluate((one) =>
	    one.getBoundingClientRect().top >= 0), true);
	await page.keyboard.press("Enter");
	await hasFocus(page.locator("#main"));
});
await step("the colours that the operator chooses stay", async () => {
	await page.getByText("Dark", { exact: true }).click();
	await page.reload();
	await heading("Account and settings").waitFor();
	want(await page.evaluate(() =>
	    getComputedStyle(document.documentElement).colorScheme), "dark");
});
await step("a busy service is asked again when it says so", async () => {
	let refusals = 2;
	await page.route("**/v1/analytics/summary*", (route) => refusals-- > 0 ?
	    route.fulfill({ status: 503, headers: { "Retry-After": "1" },
		contentType: "application/json", body: JSON.stringify({
		    error: true, code: "UNAVAILABLE", message: "busy" }) }) :
	    route.continue());
	await open("#/");
	await page.getByText("The service is busy; trying again").waitFor();
	await page.getByText("No decision yet").waitFor();
	await page.unroute("**/v1/analytics/summary*");
});
await step("a session that ends keeps what is typed", async () => {
	await open("#/account");
	await button("Change the password").click();
	await field("Current password").fill("half of it");
	await button("Times in UTC; switch").click();
	await page.evaluate(() => { location.hash = "#/account?x=1"; });
	await context.clearCookies();
	await field("Current password").fill("all of it");
	await field("New password").fill("a new password");
	await field("New password again").fill("a new password");
	await button("Change the password").last().click();
	await dialog("Your session has ended").waitFor();
	want(await dialog("Your session has ended").getByLabel("Email")
	    .inputValue(), email);
	await dialog("Your session has ended").getByLabel("Password")
	    .fill(password);
	await page.keyboard.press("Enter");
	await dialog("Your session has ended").waitFor({ state: "detached" });
	await page.getByText("The password is wrong.").waitFor();
	want(await field("New password").inputValue(), "a new password");
});
await step("an authenticator app is offered a QR code and a key", async () => {
	await button("Cancel").click();
	await button("Set up an authenticator app").click();
	await page.getByRole("img", { name: "QR code for an authenticator app" })
	    .waitFor();
	await field("Code").fill("000000");
	await button("Enable").click();
	await page.getByText("The code is wrong or was used already.").waitFor();
	await button("Cancel").click();
});
await step("a sign-out in one tab ends the others", async () => {
	const other = await context.newPage();
	await other.goto(`${base}/console/`);
	await other.getByRole("button", { name: "Sign out", exact: true }).click();
	await other.getByRole("heading", { name: "Sign in" }).waitFor();
	await other.close();
	await heading("Sign in").waitFor();
	await field("Email").fill(email);
	await field("Password").fill(password);
	await page.keyboard.press("Enter");
	await heading("Account and settings").waitFor();
	await open("#/");
	await heading("Home").waitFor();
});
await step("the page warns a minute before the session ends", async () => {
	const other = await context.newPage();
	await other.clock.install();
	await other.goto(`${base}/console/`);
	await other.getByRole("heading", { name: "Home" }).waitFor();
	const left = await other.evaluate(async () => Date.parse((await (await fetch(
	    "/v1/auth/me", { headers: { "Assay-Session": "cookie" } })).json())
	    .expiresAt) - Date.now());
	// An answer tells the page the time of the service, which takes the warning away.
	await other.route(/\/v1\/(?!auth\/)/, (route) => route.abort());
	await other.clock.fastForward(left - 45000);
	const warning = other.getByRole("dialog",
	    { name: "Your session is about to end" });
	await warning.waitFor();
	await warning.getByRole("button", { name: "Stay signed in" }).click();
	await warning.waitFor({ state: "detached" });
	await other.close();
});
await step("the browser stores only preferences", async () => {
	want(await page.evaluate(() => [Object.keys(localStorage).join(),
	    sessionStorage.length, document.cookie].join()), "assay.console,0,");
	want(await page.evaluate(() => Object.keys(JSON.parse(
	    localStorage["assay.console"])).join()), "theme,zone,singleKeys,keys");
});
await step("no answer holds a token", async () => {
	want(answers.length > 10, true);
	want(answers.some((text) => /"token"|eyJ/.test(text)), false);
});
await step("the browser reports no error", async () => {
	// Except the answers that are errors on purpose.
	want(seen.errors.filter((text) => !/status of (401|403|503)/.test(text))
	    .join(), "");
});
await step("the page requests nothing from other hosts", async () => {
	want(seen.otherHosts.join(), "");
});
// The checks above would see what the policy forbids.
for (const [what, work] of FORBIDDEN) {
	await step(`the content policy stops ${what}`, async () => {
		want(await stops(page, seen, work), true);
		want(await page.title(), "Home · Assay");
		await heading("Home").waitFor();
	});
}
await browser.close();
