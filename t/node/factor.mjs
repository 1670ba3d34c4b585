// SPDX-License-Identifier: ISC
// The second factor in the console, with an authenticator app of its own:
//
//	node factor.mjs MODULES CHROMIUM URL < CREDENTIALS
//
// CREDENTIALS is the body of a login of an admin, who needs a second factor;
// ana@example.com is an analyst with the same password, who needs none.
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { hasFocus, launch, steps, want, watch } from "./page.mjs";

const [modules, program, base] = process.argv.slice(2);
const { email, password } = JSON.parse(readFileSync(0, "utf8"));
const FRESH = "battery staple";
const browser = await launch(modules, program);
const page = await (await browser.newContext()).newPage();
const seen = await watch(page, base);
const step = steps(browser);

const button = (name) => page.getByRole("button", { name, exact: true });
const field = (name) => page.getByLabel(name, { exact: true });
const heading = (name) => page.getByRole("heading", { name, level: 1,
    exact: true });
const dialog = (name) => page.getByRole("dialog", { name, exact: true });

// The code of a key in base32 (RFC 6238), now or some steps later.
function codeOf(secret, later = 0) {
	const bits = [...secret].map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	    .indexOf(letter).toString(2).padStart(5, "0")).join("");
	const key = Buffer.from(bits.match(/.{8}/g).map((byte) =>
	    parseInt(byte, 2)));
	const counter = Buffer.alloc(8);
	counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30000) + later));
	const mac = createHmac("sha1", key).update(counter).digest();
	const number = mac.readUInt32BE(mac.at(-1) & 15) & 0x7fffffff;
	return String(number % 1e6).padStart(6, "0");
}
const otherThan = (code) => String((Number(code) + 7) % 1e6).padStart(6, "0");
// The key that the page shows to type.
const shownKey = async () => (await page.locator(".key").innerText())
    .replaceAll(" ", "");

// Close the dialog of the recovery codes, and return them.
async function takeCodes() {
	await dialog("Recovery codes").waitFor();
	const codes = (await page.getByLabel("Recovery codes", { exact: true })
	    .locator("visible=true").last().innerText()).trim().split("\n");
	await field("I have stored it.").check();
	await button("Close").last().click();
	return codes;
}
async function signIn(who, secret) {
	await heading("Sign in").waitFor();
	await field("Email").fill(who);
	await field("Password").fill(secret);
	await page.keyboard.press("Enter");
}
async function enterCode(code) {
	await field("Code").fill(code);
	await page.keyboard.press("Enter");
}
async function openAccount() {
	await page.evaluate(() => { location.hash = "#/account"; });
	await heading("Account and settings").waitFor();
}
// As if the password had been entered long ago: refuse the next such request.
async function refuseOnce(path) {
	let left = 1;
	await page.route(path, (route) => left-- > 0 ? route.fulfill({
	    status: 403, contentType: "application/json", body: JSON.stringify({
		error: true, code: "REAUTH_REQUIRED", message: "old" }) }) :
	    route.continue());
}

let secret, codes;

await step("an admin who needs a second factor sets it up first", async () => {
	let refused = 0;
	page.on("response", (answer) => { refused += answer.status() === 403; });
	await page.goto(`${base}/console/`);
	await signIn(email, password);
	await heading("Set up a second factor").waitFor();
	want(refused, 0); // no other screen was tried before
	await refuseOnce("**/v1/auth/second-factor");
	await button("Set up an authenticator app").click();
	await dialog("Confirm that it is you").waitFor();
	await field("Password").fill(password);
	await page.keyboard.press("Enter");
	await page.locator(".qr").waitFor();
});
await step("the QR code and the link hold the key that is shown", async () => {
	secret = await shownKey();
	want(/^[A-Z2-7]{32}$/.test(secret), true);
	const uri = await page.getByRole("link", { name: "Open in the app" })
	    .getAttribute("href");
	want(uri, `otpauth://totp/Assay:admin%40example.com?secret=${secret}` +
	    "&issuer=Assay");
	const { width, height } = await page.getByRole("img", { name: /^QR code/ })
	    .boundingBox();
	want(width === height && width > 150, true);
});
await step("a wrong code enables nothing", async () => {
	await enterCode(otherThan(codeOf(secret)));
	await page.getByText("The code is wrong").waitFor();
	await heading("Set up a second factor").waitFor();
});
await step("the right code shows ten recovery codes once", async () => {
	await enterCode(codeOf(secret));
	await dialog("Recovery codes").waitFor();
	want(await button("Close").last().isDisabled(), true);
	codes = await takeCodes();
	want(codes.length, 10);
	want(codes.every((code) => /^[0-9a-z]{5}-[0-9a-z]{5}$/.test(code)), true);
});
await step("then the console opens", async () => {
	await heading("Home").waitFor();
});
await step("the next login asks for a code", async () => {
	await button("Sign out").click();
	await signIn(email, password);
	await field("Code").waitFor();
	await hasFocus(field("Code"));
	await enterCode(codeOf(secret, 1));
	await heading("Home").waitFor();
});
await step("a recovery code signs in", async () => {
	await button("Sign out").click();
	await signIn(email, password);
	await enterCode(codes[0]);
	await heading("Home").waitFor();
});
await step("it does so once", async () => {
	await button("Sign out").click();
	await signIn(email, password);
	await enterCode(codes[0]);
	await page.getByText("The code is wrong or was used already.").waitFor();
	await enterCode(codes[1]);
	await heading("Home").waitFor();
});
await step("the form of a new password asks for the code", async () => {
	await openAccount();
	await button("Change the password").click();
	await field("Current password").fill(password);
	await field("Code").fill(codes[2]);
	await field("New password").fill(FRESH);
	await field("New password again").fill(FRESH);
	await page.keyboard.press("Enter");
	await page.getByText("Your password is changed.").waitFor();
});
await step("the account counts the recovery codes that are left", async () => {
	await page.reload();
	const left = page.locator(".facts div").filter({ hasText:
	    "Recovery codes left" }).locator("dd");
	await left.waitFor();
	want(await left.innerText(), "7");
});
await step("a confirmation begins with the password and needs a code", async () => {
	await refuseOnce("**/v1/auth/second-factor/disable");
	await button("Disable the second factor").click();
	await enterCode(otherThan(codeOf(secret)));
	const form = dialog("Confirm that it is you");
	await form.waitFor();
	await hasFocus(form.getByLabel("Password"));
	await form.getByLabel("Password").fill(FRESH);
	await form.getByLabel("Code").fill(codes[3]);
	await page.keyboard.press("Enter");
	await form.waitFor({ state: "detached" });
	await page.getByText("The code is wrong or was used already.").waitFor();
});
await step("an analyst who wants a second factor sets it up in the account", async () => {
	await button("Sign out").click();
	await signIn("ana@example.com", password);
	await heading("Home").waitFor();
	await openAccount();
	await button("Set up an authenticator app").click();
	await page.locator(".qr").waitFor();
	await enterCode(codeOf(await shownKey()));
	codes = await takeCodes();
	await button("Disable the second factor").waitFor();
});
await step("and disables it with a code", async () => {
	await button("Disable the second factor").click();
	await enterCode(codes[0]);
	await page.getByText("The second factor is disabled.").waitFor();
	await button("Set up an authenticator app").waitFor();
});
await step("the browser reports no error of the page", async () => {
	// Except the answers that are errors on purpose.
	want(seen.errors.filter((text) => !/status of (401|403)/.test(text))
	    .join(), "");
	want(seen.otherHosts.join(), "");
});
await browser.close();
