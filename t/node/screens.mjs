// SPDX-License-Identifier: ISC
// The screens of the console that a11y.mjs visits.
//
//	id	names the screen in the results
//	hash	its address; a function gets the page and resolves to an address
//	ready	a selector that appears when the screen has its data
//	before	optional: work on the page before it is checked, as opening a dialog
//	empty	optional: false if the screen cannot be opened without data
const press = (name) => (page) => page.getByRole("button", { name,
    exact: true }).click();

// The address of the first case in this state.
function caseIn(query) {
	return async (page) => `#/cases/${await page.evaluate(async (search) => {
		const answer = await fetch(`/v1/cases?queue=*&${search}`,
		    { headers: { "Assay-Session": "cookie" } });
		return (await answer.json())[0].id;
	}, query)}`;
}

export default [
	{ id: "home", hash: "#/", ready: ".stats, .empty" },
	{ id: "rules", hash: "#/rules", ready: "tr[data-row]" },
	{ id: "ruleset", hash: "#/rules/card.capture",
	    ready: "rule-editor .cm-content" },
	{ id: "ruleset-mistake", hash: "#/rules/card.refund",
	    ready: "rule-editor .cm-content", before: async (page) => {
		await page.keyboard.press("e");
		await page.keyboard.type("rule r {\n");
		await page.locator(".mistakes").waitFor();
	    } },
	{ id: "ruleset-propose", hash: "#/rules/order.place",
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
	{ id: "trials", hash: "#/trials", ready: "form.filters",
	    before: async (page) => {
		await page.locator("form.filters button[type=submit]").click();
		await page.locator("table.mix").waitFor();
	    } },
	{ id: "shadows", hash: "#/trials?tab=shadows", ready: ".card .empty, table" },
	{ id: "quality", hash: "#/quality", ready: ".filters" },
	{ id: "account", hash: "#/account", ready: ".facts" },
	{ id: "account-password", hash: "#/account", ready: ".facts",
	    before: press("Change the password") },
	{ id: "account-factor", hash: "#/account", ready: ".facts",
	    before: async (page) => {
		await press("Set up an authenticator app")(page);
		await page.locator(".qr").waitFor();
	    } },
	{ id: "entities", hash: "#/entity", ready: ".filters" },
	{ id: "entity", hash: "#/entity/user/u-1", ready: ".stats" },
	{ id: "analytics", hash: "#/analytics", ready: ".empty, .stats" },
	{ id: "model", hash: "#/model", ready: ".facts" },
	{ id: "proposals", hash: "#/proposals", ready: ".empty, tbody" },
	{ id: "lists", hash: "#/lists", ready: ".empty, tbody" },
	{ id: "lists-add", hash: "#/lists", ready: ".empty, tbody",
	    before: press("Add an entry") },
	{ id: "lists-import", hash: "#/lists", ready: ".empty, tbody",
	    before: press("Import a file") },
	{ id: "deliveries", hash: "#/deliveries", ready: ".stats" },
	{ id: "deliveries-add", hash: "#/deliveries", ready: ".stats",
	    before: press("Add a webhook") },
	{ id: "channels-add", hash: "#/deliveries?kind=alerts", ready: ".stats",
	    before: press("Add a channel") },
	{ id: "users", hash: "#/users", ready: "tbody" },
	{ id: "users-add", hash: "#/users", ready: "tbody",
	    before: press("Add an operator") },
	{ id: "apikeys", hash: "#/keys", ready: ".empty, tbody" },
	{ id: "apikeys-add", hash: "#/keys", ready: ".empty, tbody",
	    before: press("Create a key") },
	{ id: "settings", hash: "#/settings", ready: "form" },
	{ id: "data", hash: "#/data", ready: "form" },
	{ id: "audit", hash: "#/audit", ready: "tbody" },
	{ id: "nowhere", hash: "#/nowhere", ready: ".empty" },
	{ id: "palette", hash: "#/", ready: ".stats, .empty",
	    before: (page) => page.keyboard.press("Control+k") },
	{ id: "keys", hash: "#/", ready: ".stats, .empty",
	    before: (page) => page.keyboard.press("?") },
	{ id: "queue", hash: "#/cases", ready: "tbody tr, .empty" },
	{ id: "queue-filters", hash: "#/cases?userId=nobody&state=resolved",
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
	{ id: "decisions", hash: "#/decisions", ready: "tbody tr, .empty" },
	{ id: "decision", hash: "#/decisions/sample-0241", ready: ".rules",
	    empty: false },
	{ id: "decision-tried", hash: "#/decisions/sample-0241", ready: ".rules",
	    empty: false, before: async (page) => {
		await page.locator(".change button").first().click();
		await page.getByRole("button", { name: "Decide" }).click();
		await page.locator(".stack[role=status]").waitFor();
		await page.evaluate(() => scrollTo(0, 0));
	    } },
];
