// SPDX-License-Identifier: ISC
// The screens of the console that a11y.mjs visits.
//
//	id	names the screen in the results
//	hash	its address; a function gets the page and resolves to an address
//	ready	a selector that appears when the screen has its data
//	before	optional: work on the page before it is checked, as opening a dialog
//	empty	optional: false if the screen cannot be opened without data, or looks the
//		same with data
//	calls	optional: false if opening the screen calls nothing that can fail

// screensIn(state, pass): the screens that a11y.mjs visits then.  While all calls fail it
// can do nothing on a screen.
export function screensIn(state, pass) {
	return screens.filter(({ hash, before, empty, calls }) =>
	    (state === "full" || empty !== false) && (pass !== "failing" ||
	    typeof hash === "string" && before === undefined && calls !== false));
}

// The figures of the screen are known.
const KNOWN = ".stats:not(:has(.unknown))";
const press = (name) => (page) => page.getByRole("button", { name }).click();

// What the service answers to this request.
function answerTo(page, path) {
	return page.evaluate(async (to) => (await fetch(to,
	    { headers: { "Assay-Session": "cookie" } })).json(), path);
}

// The address of the first case in this state.
function caseIn(query) {
	return async (page) => `#/cases/${(await answerTo(page,
	    `/v1/cases?queue=*&${query}`))[0].id}`;
}

const screens = [
	{ id: "home", hash: "#/", ready: ".stats, .empty" },
	{ id: "rules", hash: "#/rules", ready: "tr[data-row]" },
	{ id: "ruleset", hash: "#/rules/card.capture",
	    ready: "rule-editor .cm-content" },
	{ id: "ruleset-mistake", empty: false, hash: "#/rules/card.refund",
	    ready: "rule-editor .cm-content", before: async (page) => {
		await page.keyboard.press("e");
		await page.keyboard.type("rule r {\n");
		await page.locator(".mistakes").waitFor();
	    } },
	{ id: "ruleset-propose", empty: false, hash: "#/rules/order.place",
	    ready: "rule-editor .cm-content", before: async (page) => {
		await page.keyboard.press("e");
		await page.keyboard.type("# nothing but a comment\n");
		await page.locator(".checked .icon").waitFor();
		await page.keyboard.press("Control+s");
		await page.locator(".difference").waitFor();
	    } },
	{ id: "rule-versions", hash: "#/rules/card.authorize/versions",
	    ready: "tr[data-row]" },
	{ id: "rule-version", hash: "#/rules/card.authorize/versions/seed%40v0.4",
	    ready: ".facts" },
	{ id: "policies", hash: "#/policies", ready: "tr[data-row]" },
	{ id: "policy", hash: "#/policies/pol_card_authorize", ready: ".edge" },
	{ id: "policy-versions", hash: "#/policies/pol_card_authorize/versions",
	    ready: "tr[data-row]" },
	{ id: "policy-version", hash: "#/policies/pol_card_authorize/versions/v0.4.0",
	    ready: ".facts" },
	{ id: "backtests", hash: "#/backtests", ready: "form.filters",
	    before: async (page) => {
		await page.locator("form.filters button[type=submit]").click();
		await page.locator("table.mix").waitFor();
	    } },
	{ id: "shadows", hash: "#/backtests?tab=shadows", ready: ".card .empty, table" },
	{ id: "shadow", ready: ".facts", empty: false, hash: async (page) => {
		const [{ eventType, id }] = await answerTo(page, "/v1/model/shadow");
		return `#/shadows/${eventType}/${id}`;
	    } },
	{ id: "backtest", ready: "table.mix", empty: false, hash: async (page) => {
		const { kept: [{ id }] } = await answerTo(page, "/v1/backtest");
		return `#/backtests/${id}`;
	    } },
	{ id: "quality", hash: "#/quality", ready: ".filters" },
	{ id: "account", hash: "#/account", ready: ".facts", calls: false },
	{ id: "account-password", empty: false, hash: "#/account", ready: ".facts",
	    before: press("Change the password") },
	{ id: "account-factor", empty: false, hash: "#/account", ready: ".facts",
	    before: async (page) => {
		await press("Set up an authenticator app")(page);
		await page.locator(".qr").waitFor();
	    } },
	{ id: "entities", hash: "#/entity", ready: ".filters", calls: false },
	{ id: "entity", hash: "#/entity", ready: ".filters", before: async (page) => {
		await page.locator(".filters input").fill("u-1");
		await page.keyboard.press("Enter");
		await page.locator(".stats").waitFor();
	    } },
	{ id: "forgotten", hash: "#/decisions?userId=u-1", ready: ".empty",
	    calls: false },
	{ id: "analytics", hash: "#/analytics", ready: ".empty, .stats" },
	{ id: "model", hash: "#/model", ready: ".facts" },
	{ id: "proposals", hash: "#/proposals", ready: ".empty, tbody" },
	{ id: "exceptions", hash: "#/exceptions", ready: ".empty, tbody" },
	{ id: "exceptions-add", empty: false, hash: "#/exceptions",
	    ready: ".empty, tbody", before: press("Make an exception") },
	{ id: "exception", ready: ".facts", empty: false, hash: async (page) => {
		const [{ id }] = await answerTo(page, "/v1/exceptions");
		return `#/exceptions/${id}`;
	    } },
	{ id: "lists", hash: "#/lists", ready: ".empty, tbody" },
	{ id: "lists-add", empty: false, hash: "#/lists", ready: ".empty, tbody",
	    before: press("Add an entry") },
	{ id: "lists-import", empty: false, hash: "#/lists", ready: ".empty, tbody",
	    before: press("Import a file") },
	{ id: "deliveries", hash: "#/deliveries", ready: KNOWN },
	{ id: "deliveries-add", empty: false, hash: "#/deliveries", ready: KNOWN,
	    before: press("Add a webhook") },
	{ id: "channels-add", empty: false, hash: "#/deliveries?kind=alerts",
	    ready: KNOWN, before: press("Add a channel") },
	{ id: "users", hash: "#/users", ready: "tbody" },
	{ id: "users-add", empty: false, hash: "#/users", ready: "tbody",
	    before: press("Add an operator") },
	{ id: "apikeys", hash: "#/keys", ready: ".empty, tbody" },
	{ id: "apikeys-add", empty: false, hash: "#/keys", ready: ".empty, tbody",
	    before: press("Create a key") },
	{ id: "settings", hash: "#/settings", ready: "form" },
	{ id: "settings-target", empty: false, hash: "#/settings", ready: "form",
	    before: press("Add a target") },
	{ id: "data", hash: "#/data", ready: "form" },
	{ id: "audit", hash: "#/audit", ready: "tbody" },
	{ id: "nowhere", hash: "#/nowhere", ready: ".empty", calls: false },
	{ id: "palette", empty: false, hash: "#/", ready: ".stats, .empty",
	    before: (page) => page.keyboard.press("Control+k") },
	{ id: "keys", empty: false, hash: "#/", ready: ".stats, .empty",
	    before: (page) => page.keyboard.press("?") },
	{ id: "queue", hash: "#/cases", ready: "tbody tr, .empty" },
	{ id: "queue-filters", hash: "#/cases?tag=nothing&state=resolved",
	    ready: ".empty" },
	{ id: "queue-marked", hash: "#/cases", ready: ".case-preview .rules", empty: false,
	    before: async (page) => {
		await page.keyboard.press("j");
		await page.keyboard.press("x");
		await page.locator(".bulk").waitFor();
	    } },
	{ id: "case", hash: caseIn("status=open"), ready: ".timeline", empty: false },
	{ id: "case-watch", hash: caseIn("status=open"), ready: ".timeline",
	    empty: false, before: (page) => page.keyboard.press("w") },
	{ id: "case-commands", hash: caseIn("status=open"), ready: ".timeline",
	    empty: false, before: press("Commands of assayctl") },
	{ id: "decisions", hash: "#/decisions", ready: "tbody tr, .empty" },
	{ id: "decision", hash: "#/decisions/sample-0241", ready: ".rules",
	    empty: false },
	{ id: "decision-tried", hash: "#/decisions/sample-0241", ready: ".rules",
	    empty: false, before: async (page) => {
		await page.locator(".change button").first().click();
		await page.getByRole("button", { name: "Decide" }).click();
		await page.locator(".stack[role=status]").waitFor();
		await press("Edit the whole event")(page);
		await page.locator(".whole textarea").pressSequentially("x");
		await page.locator(".mistakes").waitFor();
		await page.evaluate(() => scrollTo(0, 0));
	    } },
];
