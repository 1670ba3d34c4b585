// SPDX-License-Identifier: ISC
// Every screen.  A module of a screen exports a component as its default; it gets
// { params, query } of the address, and under of its row.
//
//	id	also names the texts: "nav.ID" in the menu and in the title
//	paths	addresses, as router.js matches them
//	letter	"g" and this letter open the first path; null: not in the menu
//	group	where the menu lists it: work, decide, measure, operate, or me
//	icon	of third_party/lucide
//	under	the screen that the menu marks while this one is open
//	needs	a capability of GET /v1/auth/me without which it is not shown
//	find	what a typed id may be: its pattern, the text that offers to open it,
//		the path, and the kind of an entity; guess says that any word may
//		be such an id: those with a lower one come first
//	module	its module, if that is not ID/screen.js
//	ahead	asks for what the screen shows first, before it is known who the
//		operator is
import { prefetchPage } from "./cases/worklist.js";

// What callers may choose as an id.
const ANY = /^\P{Cc}{1,128}$/u;

export default [
	{ id: "home", paths: ["/"], letter: "h", group: "work", icon: "house" },
	{ id: "queue", paths: ["/cases"], letter: "c", group: "work", icon: "inbox",
	    module: "cases/screen.js", ahead: prefetchPage },
	{ id: "case", paths: ["/cases/:id"], letter: null, under: "queue",
	    find: [{ pattern: /^cse_/, name: "find.case", path: "/cases/:id" }],
	    module: "cases/case-screen.js" },
	{ id: "decisions", paths: ["/decisions"], letter: "d", group: "work",
	    icon: "scroll-text" },
	{ id: "decision", paths: ["/decisions/:id"], letter: null,
	    under: "decisions",
	    find: [{ pattern: ANY, name: "find.event", guess: 1,
		path: "/decisions/:id" }],
	    module: "decisions/decision-screen.js" },
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
		path: "/entity/:kind/:id", kind: "device" }] },
	{ id: "rules", paths: ["/rules"], letter: "r", group: "decide",
	    icon: "list-tree" },
	{ id: "ruleset", paths: ["/rules/:type"], letter: null,
	    under: "rules", module: "rules/ruleset-screen.js" },
	{ id: "ruleVersions", paths: ["/rules/:id/versions",
	    "/rules/:id/versions/:version"], letter: null,
	    under: "rules", module: "versions/screen.js" },
	{ id: "policies", paths: ["/policies"], letter: "p", group: "decide",
	    icon: "sliders-horizontal" },
	{ id: "policy", paths: ["/policies/:id"], letter: null,
	    under: "policies", module: "policies/policy-screen.js" },
	{ id: "policyVersions", paths: ["/policies/:id/versions",
	    "/policies/:id/versions/:version"], letter: null,
	    under: "policies", module: "versions/screen.js" },
	{ id: "backtests", paths: ["/backtests"], letter: "t", group: "decide",
	    icon: "flask-conical", module: "backtest/screen.js" },
	{ id: "backtest", paths: ["/backtests/:id"], letter: null,
	    under: "backtests", needs: "backtest.run",
	    find: [{ pattern: /^bkt_/, name: "find.backtest", path: "/backtests/:id" }],
	    module: "backtest/backtest-screen.js" },
	{ id: "shadow", paths: ["/shadows/:type/:id"], letter: null,
	    under: "backtests", module: "backtest/shadow-screen.js" },
	{ id: "quality", paths: ["/quality"], letter: "q", group: "decide",
	    icon: "gauge" },
	{ id: "exceptions", paths: ["/exceptions"], letter: "x", group: "decide",
	    icon: "clock" },
	{ id: "exception", paths: ["/exceptions/:id"], letter: null,
	    under: "exceptions",
	    find: [{ pattern: /^exc_/, name: "find.exception",
		path: "/exceptions/:id" }],
	    module: "exceptions/exception-screen.js" },
	{ id: "proposals", paths: ["/proposals"], letter: "o", group: "decide",
	    icon: "list-checks" },
	{ id: "proposal", paths: ["/proposals/:id"], letter: null,
	    under: "proposals",
	    find: [{ pattern: /^prp_/, name: "find.proposal", path: "/proposals/:id" }],
	    module: "proposals/proposal-screen.js" },
	{ id: "analytics", paths: ["/analytics"], letter: "a", group: "measure",
	    icon: "chart-column" },
	{ id: "model", paths: ["/model"], letter: "m", group: "measure",
	    icon: "brain" },
	{ id: "lists", paths: ["/lists"], letter: "l", group: "operate",
	    icon: "shield-ban" },
	{ id: "deliveries", paths: ["/deliveries"], letter: "w", group: "operate",
	    icon: "send", needs: "webhooks.manage" },
	{ id: "users", paths: ["/users"], letter: "u", group: "operate",
	    icon: "users-round", needs: "users.manage" },
	{ id: "apikeys", paths: ["/keys"], letter: "k", group: "operate",
	    icon: "key-round", needs: "keys.manage" },
	{ id: "settings", paths: ["/settings"], letter: "s", group: "operate",
	    icon: "settings", needs: "settings.write" },
	{ id: "data", paths: ["/data"], letter: "z", group: "operate",
	    icon: "database", needs: "settings.write" },
	{ id: "audit", paths: ["/audit"], letter: "i", group: "operate",
	    icon: "footprints", needs: "audit.read" },
	{ id: "account", paths: ["/account"], letter: ",", group: "me",
	    icon: "user-round" },
];
