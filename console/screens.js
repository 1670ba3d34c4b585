// SPDX-License-Identifier: ISC
// Every screen.  A module of a screen exports a component as its default; it gets
// { params, query } of the address.
//
//	id	also names the texts: "nav.ID" in the menu and in the title
//	paths	addresses, as router.js matches them
//	letter	"g" and this letter open the first path; null: not in the menu
//	group	where the menu lists it: work, rules, insight, operate, or me
//	icon	of third_party/lucide
//	under	the screen that the menu marks while this one is open
//	needs	a capability of GET /v1/auth/me without which it is not shown
//	find	what a typed id may be: its pattern, the text that offers to open it,
//		the path, and the kind of an entity; guess says that any word may
//		be such an id: those with a lower one come first
//	load	imports the module
//	ahead	asks for what the screen shows first, before it is known who the
//		operator is
import { prefetchPage } from "./cases/worklist.js";

// What callers may choose as an id.
const ANY = /^\P{Cc}{1,128}$/u;

export default [
	{ id: "home", paths: ["/"], letter: "h", group: "work", icon: "house",
	    load: () => import("./home/screen.js") },
	{ id: "queue", paths: ["/cases"], letter: "c", group: "work", icon: "inbox",
	    load: () => import("./cases/screen.js"), ahead: prefetchPage },
	{ id: "case", paths: ["/cases/:id"], letter: null, under: "queue",
	    find: [{ pattern: /^cse_/, name: "find.case", path: "/cases/:id" }],
	    load: () => import("./cases/case-screen.js") },
	{ id: "decisions", paths: ["/decisions"], letter: "d", group: "work",
	    icon: "scroll-text", load: () => import("./decisions/screen.js") },
	{ id: "decision", paths: ["/decisions/:id"], letter: null,
	    under: "decisions",
	    find: [{ pattern: ANY, name: "find.event", guess: 1,
		path: "/decisions/:id" }],
	    load: () => import("./decisions/decision-screen.js") },
	{ id: "entity", paths: ["/entity", "/entity/:kind/:id"], letter: "e",
	    group: "work", icon: "fingerprint",
	    find: [{ pattern: /^(\d{1,3}\.){3}\d{1,3}$|^[\da-f.]*(:[\da-f.]*){2,}$/i,
		name: "find.ip", path: "/entity/:kind/:id", kind: "ip" },
	    { pattern: /^(tel:|\+|00)(\D{0,3}\d){8,15}$/i, name: "find.phone",
		path: "/entity/:kind/:id", kind: "phone" },
	    { pattern: /^(?!00)\d([ ()-]{0,2}\d){7,14}$/, name: "find.phone", guess: 2,
		path: "/entity/:kind/:id", kind: "phone" },
	    { pattern: /^\P{Cc}+@\P{Cc}+$/u, name: "find.user",
		path: "/entity/:kind/:id", kind: "user" },
	    { pattern: /^[^@\p{Cc}]{1,128}$/u, name: "find.user", guess: 2,
		path: "/entity/:kind/:id", kind: "user" },
	    { pattern: ANY, name: "find.device", guess: 3,
		path: "/entity/:kind/:id", kind: "device" }],
	    load: () => import("./entity/screen.js") },
	{ id: "rules", paths: ["/rules"], letter: "r", group: "rules",
	    icon: "list-tree", load: () => import("./rules/screen.js") },
	{ id: "ruleset", paths: ["/rules/:type"], letter: null, group: "rules",
	    under: "rules", load: () => import("./rules/ruleset-screen.js") },
	{ id: "ruleVersions", paths: ["/rules/:type/versions",
	    "/rules/:type/versions/:version"], letter: null, group: "rules",
	    under: "rules", load: () => import("./rules/versions-screen.js") },
	{ id: "policies", paths: ["/policies"], letter: "p", group: "rules",
	    icon: "sliders-horizontal", load: () => import("./policies/screen.js") },
	{ id: "policy", paths: ["/policies/:id"], letter: null, group: "rules",
	    under: "policies", load: () => import("./policies/policy-screen.js") },
	{ id: "policyVersions", paths: ["/policies/:id/versions",
	    "/policies/:id/versions/:version"], letter: null, group: "rules",
	    under: "policies", load: () => import("./policies/versions-screen.js") },
	{ id: "trials", paths: ["/trials"], letter: "t", group: "rules",
	    icon: "flask-conical", load: () => import("./backtest/screen.js") },
	{ id: "backtest", paths: ["/trials/backtests/:id"], letter: null,
	    group: "rules", under: "trials", needs: "backtest.run",
	    find: [{ pattern: /^bkt_/, name: "find.backtest",
		path: "/trials/backtests/:id" }],
	    load: () => import("./backtest/backtest-screen.js") },
	{ id: "shadow", paths: ["/trials/shadows/:type/:id"], letter: null,
	    group: "rules", under: "trials",
	    load: () => import("./backtest/shadow-screen.js") },
	{ id: "quality", paths: ["/quality"], letter: "q", group: "rules",
	    icon: "gauge", load: () => import("./quality/screen.js") },
	{ id: "proposals", paths: ["/proposals"], letter: "o", group: "rules",
	    icon: "list-checks",
	    load: () => import("./proposals/screen.js") },
	{ id: "proposal", paths: ["/proposals/:id"], letter: null,
	    under: "proposals",
	    find: [{ pattern: /^prp_/, name: "find.proposal",
		path: "/proposals/:id" }],
	    load: () => import("./proposals/proposal-screen.js") },
	{ id: "analytics", paths: ["/analytics"], letter: "a", group: "insight",
	    icon: "chart-column", load: () => import("./analytics/screen.js") },
	{ id: "model", paths: ["/model"], letter: "m", group: "insight",
	    icon: "brain", load: () => import("./model/screen.js") },
	{ id: "lists", paths: ["/lists"], letter: "l", group: "operate",
	    icon: "shield-ban", load: () => import("./lists/screen.js") },
	{ id: "deliveries", paths: ["/deliveries"], letter: "w", group: "operate",
	    icon: "send", needs: "webhooks.manage",
	    load: () => import("./deliveries/screen.js") },
	{ id: "users", paths: ["/users"], letter: "u", group: "operate",
	    icon: "users-round", needs: "users.manage",
	    load: () => import("./users/screen.js") },
	{ id: "apikeys", paths: ["/keys"], letter: "k", group: "operate",
	    icon: "key-round", needs: "keys.manage",
	    load: () => import("./apikeys/screen.js") },
	{ id: "settings", paths: ["/settings"], letter: "s", group: "operate",
	    icon: "settings", needs: "settings.write",
	    load: () => import("./settings/screen.js") },
	{ id: "data", paths: ["/data"], letter: "z", group: "operate",
	    icon: "database", needs: "settings.write",
	    load: () => import("./data/screen.js") },
	{ id: "audit", paths: ["/audit"], letter: "i", group: "operate",
	    icon: "footprints", needs: "audit.read",
	    load: () => import("./audit/screen.js") },
	{ id: "account", paths: ["/account"], letter: ",", group: "me",
	    icon: "user-round", load: () => import("./account/screen.js") },
];
