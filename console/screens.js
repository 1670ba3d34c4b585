// SPDX-License-Identifier: ISC
// Every screen.  A module of screens/ exports a component as its default; it gets
// { params, query } of the address.
//
//	id	also names the texts: "nav.ID" in the menu and in the title
//	paths	addresses, as router.js matches them
//	letter	"g" and this letter open the first path; null: not in the menu
//	group	where the menu lists it: work, rules, insight, operate, or me
//	icon	of third_party/lucide
//	under	the screen that the menu marks while this one is open
//	needs	a capability of GET /v1/auth/me without which it is not shown
//	load	imports the module
export default [
	{ id: "home", paths: ["/"], letter: "h", group: "work", icon: "house",
	    load: () => import("./screens/home.js") },
	{ id: "account", paths: ["/account"], letter: ",", group: "me",
	    icon: "user-round", load: () => import("./screens/account.js") },
];
