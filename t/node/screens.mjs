// SPDX-License-Identifier: ISC
// The screens of the console that a11y.mjs visits.
//
//	id	names the screen in the results
//	hash	its address; a function gets the page and resolves to an address
//	ready	a selector that appears when the screen has its data
//	before	optional: work on the page before it is checked, as opening a dialog
//	empty	optional: false if the screen cannot be opened without data
export default [
	{ id: "home", hash: "#/", ready: ".stats, .empty" },
	{ id: "account", hash: "#/account", ready: ".facts" },
	{ id: "account-password", hash: "#/account", ready: ".facts",
	    before: (page) => page.getByRole("button",
	    { name: "Change the password" }).click() },
	{ id: "nowhere", hash: "#/nowhere", ready: ".empty" },
	{ id: "palette", hash: "#/", ready: ".stats, .empty",
	    before: (page) => page.keyboard.press("Control+k") },
	{ id: "keys", hash: "#/", ready: ".stats, .empty",
	    before: (page) => page.keyboard.press("?") },
];
