// SPDX-License-Identifier: ISC
// What screenshots.mjs takes: a table of the pictures, and the changes that those of
// docs/CONSOLE.md show.
import { createServer } from "node:http";

const RULES = "card.authorize";
const RING = "sample-0030";
const USER = "r-03-01";
const [FROM, TO] = ["26", "36"];
const README = [1280, 720];
const WIDE = [1120, 700];
const TALL = [1120, 1300];

// The case about this event.
const caseOf = (event) => async (page) => `#/cases/${await page.evaluate(async (id) => {
	const answer = await fetch("/v1/cases?queue=*&limit=200",
	    { headers: { "Assay-Session": "cookie" } });
	return (await answer.json()).find(({ eventId }) => eventId === id).id;
}, event)}`;

// The newest proposal.
const proposal = async (page) => `#/proposals/${await page.evaluate(async () => {
	const answer = await fetch("/v1/proposals?limit=1",
	    { headers: { "Assay-Session": "cookie" } });
	return (await answer.json())[0].id;
})}`;

// Write other points into a rule.
async function changePoints(page) {
	await page.locator(".cm-content").getByText(FROM, { exact: true }).dblclick();
	await page.keyboard.type(TO);
	await page.locator(".checked .icon").waitFor();
}

const press = (page, name) =>
    page.getByRole("button", { name, exact: true }).first().click();
const field = (page, name) =>
    page.getByRole("textbox", { name, exact: true }).last();

// A row for each picture:
//
//	of	the text that has it
//	file	in the folder docs, without .png
//	who	whose window, admin if not given
//	at	the address, or what finds it
//	ready	what the page has there
//	steps	what the person does then
//	size	of the window
//	part	what of the page is in the picture, all of the window if not given
//	height	of the part, at most
//	theme	light if not given
export const PICTURES = [
	{ of: "README.md", file: "queue", at: "#/cases", ready: "tbody tr", size: README,
	    async steps(page) {
		await page.keyboard.press("j");
		await page.locator(".case-preview .rules .fired").first().waitFor();
	    } },
	{ of: "README.md", file: "case", at: caseOf(RING), ready: "#why .fired",
	    size: [1280, 780], steps: (page) => page.locator(".timeline").waitFor() },
	// Other points of a rule, and what they would have decided.
	{ of: "README.md", file: "rules", at: `#/rules/${RULES}`,
	    ready: "rule-editor .cm-content", size: [1280, 680], async steps(page) {
		await changePoints(page);
		await page.keyboard.press("Control+Enter");
		await page.locator("table.mix").first().waitFor();
	    } },
	{ of: "docs/CONSOLE.md", file: "console/find", at: "#/cases?state=snoozed",
	    ready: "tbody tr", size: [1090, 700], part: "main", height: 420,
	    steps: (page) => press(page, "More filters") },
	{ of: "docs/CONSOLE.md", file: "console/user", at: "#/entity", ready: "form",
	    size: TALL, part: ".columns > section", async steps(page) {
		await field(page, "Id").fill(USER);
		await page.keyboard.press("Enter");
		await page.locator(".graph").waitFor();
		await page.getByText("Table", { exact: true }).click();
		await press(page, /^Show the IP address/);
		await page.locator("tr a:focus").waitFor();
		await page.getByText("Drawing", { exact: true }).click();
	    } },
	{ of: "docs/CONSOLE.md", file: "console/block", at: caseOf(RING),
	    ready: "#why .fired", size: WIDE, part: "dialog", async steps(page) {
		await page.keyboard.press("b");
		await page.getByLabel("Value").locator("option", { hasText: "phone" })
		    .waitFor({ state: "attached" });
		await page.getByLabel("Value").selectOption("1");
		await field(page, "Reason").fill("one device of six users");
	    } },
	{ of: "docs/CONSOLE.md", file: "console/why", at: "#/decisions/sample-0028",
	    ready: ".changes", size: TALL, part: ".case-view .side",
	    async steps(page) {
		await press(page, "Try");
		await press(page, "Decide");
		await page.getByText("It would be:").waitFor();
	    } },
	{ of: "docs/CONSOLE.md", file: "console/rule", who: "author",
	    at: `#/rules/${RULES}`, ready: "rule-editor .cm-content", size: WIDE,
	    part: "dialog", async steps(page) {
		await changePoints(page);
		await page.keyboard.press("Control+s");
		await page.getByText("Propose as a shadow", { exact: true }).click();
		await field(page, "Reason").fill("A ring gets too few points.");
	    } },
	{ of: "docs/CONSOLE.md", file: "console/proposal", at: proposal,
	    ready: ".flips tr[data-row]", size: [900, 1300], part: "main", height: 592 },
	{ of: "docs/CONSOLE.md", file: "console/quality", at: `#/quality?type=${RULES}`,
	    ready: "tbody tr", size: [1280, 1300], part: "main .table-box", height: 270 },
	{ of: "docs/CONSOLE.md", file: "console/deliveries", at: "#/deliveries",
	    ready: "tbody tr", size: WIDE, part: "main", height: 540 },
	{ of: "docs/CONSOLE.md", file: "console/audit", at: "#/audit", ready: "tbody tr",
	    size: WIDE, part: "main .table-box", height: 270 },
	// Its question is in the audit trail, too.
	{ of: "docs/CONSOLE.md", file: "console/erase", at: "#/data", ready: "form",
	    size: WIDE, part: "dialog", theme: "dark", async steps(page) {
		await field(page, "Id of the user").fill(USER);
		await press(page, "Erase");
		await page.locator("dialog .facts").waitFor();
	    } },
];

// A receiver that refuses what it gets for ever; returns its address.
async function refuses() {
	const server = createServer((request, response) => {
		request.resume();
		response.writeHead(410).end();
	}).listen(0, "127.0.0.1");
	await new Promise((done) => { server.once("listening", done); });
	return `http://127.0.0.1:${server.address().port}/assay`;
}

// Send a request as this person, and return the answer.
async function send(base, token, request, body) {
	const [method, path] = request.split(" ");
	const answer = await fetch(base + path, { method, headers: {
	    ...token && { Authorization: `Bearer ${token}` },
	    "Content-Type": "application/json" }, body: JSON.stringify(body) });
	if (!answer.ok)
		throw new Error(`${request}: ${await answer.text()}`);
	return answer.json();
}
const login = (base, email, password) =>
    send(base, null, "POST /v1/auth/login", { email, password });

// An operator who has chosen a password; returns it with a token.
async function newcomer(base, token, email, role) {
	const [temporary, password] = ["temporary horse", "battery staple"];
	await send(base, token, "POST /v1/auth/users", { email, role,
	    password: temporary });
	const first = await login(base, email, temporary);
	await send(base, first.token, "POST /v1/auth/password", { password: temporary,
	    newPassword: password });
	return { email, password, token: (await login(base, email, password)).token };
}

// What the pictures of docs/CONSOLE.md show: an analyst has resolved and snoozed cases,
// about which a receiver did not want to hear, and an author proposes a rule.  Returns
// the author.
export async function beforeOthers(base, { email, password }) {
	const { token } = await login(base, email, password);
	const ana = await newcomer(base, token, "ana@example.com", "analyst");
	const bea = await newcomer(base, token, "bea@example.com", "author");
	await send(base, token, "POST /v1/webhooks", { url: await refuses(),
	    events: ["case.resolved.v1"] });
	const cases = await fetch(`${base}/v1/cases?queue=*&order=oldest`, {
	    headers: { Authorization: `Bearer ${ana.token}` } })
	    .then((answer) => answer.json());
	const others = cases.filter(({ eventId }) => eventId !== RING);
	await send(base, ana.token, `POST /v1/cases/${others[0].id}/snooze`,
	    { until: new Date(Date.now() + 86400000).toISOString() });
	for (const { id } of others.slice(6))
		await send(base, ana.token, `POST /v1/cases/${id}/resolve`,
		    { outcome: "fraud" });
	const { text } = await fetch(`${base}/v1/rules/${RULES}/versions/seed@v0.4`, {
	    headers: { Authorization: `Bearer ${bea.token}` } })
	    .then((answer) => answer.json());
	await send(base, bea.token, "POST /v1/proposals", { action: "POST /v1/rules",
	    reason: "A ring gets too few points.", body: { eventType: RULES,
		version: "rings-1", shadow: true,
		dsl: text.replace(`+= ${FROM}`, `+= ${TO}`) } });
	return bea;
}
