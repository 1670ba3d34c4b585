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
	    load: () => import("./screens/home.js") },
	{ id: "queue", paths: ["/cases"], letter: "c", group: "work", icon: "inbox",
	    load: () => import("./screens/queue.js"), ahead: prefetchPage },
	{ id: "case", paths: ["/cases/:id"], letter: null, under: "queue",
	    find: [{ pattern: /^cse_/, name: "find.case", path: "/cases/:id" }],
	    load: () => import("./screens/case.js") },
	{ id: "decisions", paths: ["/decisions"], letter: "d", group: "work",
	    icon: "scroll-text", load: () => import("./screens/decisions.js") },
	{ id: "decision", paths: ["/decisions/:id"], letter: null,
	    under: "decisions",
	    find: [{ pattern: ANY, name: "find.event", guess: 1,
		path: "/decisions/:id" }],
	    load: () => import("./screens/decision.js") },
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
	    load: () => import("./screens/entity.js") },
	{ id: "rules", paths: ["/rules"], letter: "r", group: "rules",
	    icon: "list-tree", load: () => import("./screens/rules.js") },
	{ id: "ruleset", paths: ["/rules/:type"], letter: null, group: "rules",
	    under: "rules", load: () => import("./screens/ruleset.js") },
	{ id: "ruleVersions", paths: ["/rules/:type/versions",
	    "/rules/:type/versions/:version"], letter: null, group: "rules",
	    under: "rules", load: () => import("./screens/rule-versions.js") },
	{ id: "policies", paths: ["/policies"], letter: "p", group: "rules",
	    icon: "sliders-horizontal", load: () => import("./screens/policies.js") },
	{ id: "policy", paths: ["/policies/:id"], letter: null, group: "rules",
	    under: "policies", load: () => import("./screens/policy.js") },
	{ id: "policyVersions", paths: ["/policies/:id/versions",
	    "/policies/:id/versions/:version"], letter: null, group: "rules",
	    under: "policies", load: () => import("./screens/policy-versions.js") },
	{ id: "trials", paths: ["/trials"], letter: "t", group: "rules",
	    icon: "flask-conical", load: () => import("./screens/trials.js") },
	{ id: "backtest", paths: ["/trials/backtests/:id"], letter: null,
	    group: "rules", under: "trials", needs: "backtest.run",
	    find: [{ pattern: /^bkt_/, name: "find.backtest",
		path: "/trials/backtests/:id" }],
	    load: () => import("./screens/backtest.js") },
	{ id: "shadow", paths: ["/trials/shadows/:type/:id"], letter: null,
	    group: "rules", under: "trials",
	    load: () => import("./screens/shadow.js") },
	{ id: "quality", paths: ["/quality"], letter: "q", group: "rules",
	    icon: "gauge", load: () => import("./screens/quality.js") },
	{ id: "proposals", paths: ["/proposals"], letter: "o", group: "rules",
	    icon: "list-checks",
	    load: () => import("./screens/proposals.js") },
	{ id: "proposal", paths: ["/proposals/:id"], letter: null,
	    under: "proposals",
	    find: [{ pattern: /^prp_/, name: "find.proposal",
		path: "/proposals/:id" }],
	    load: () => import("./screens/proposal.js") },
	{ id: "analytics", paths: ["/analytics"], letter: "a", group: "insight",
	    icon: "chart-column", load: () => import("./screens/analytics.js") },
	{ id: "model", paths: ["/model"], letter: "m", group: "insight",
	    icon: "brain", load: () => import("./screens/model.js") },
	{ id: "lists", paths: ["/lists"], letter: "l", group: "operate",
	    icon: "shield-ban", load: () => import("./screens/lists.js") },
	{ id: "deliveries", paths: ["/deliveries"], letter: "w", group: "operate",
	    icon: "send", needs: "webhooks.manage",
	    load: () => import("./screens/deliveries.js") },
	{ id: "users", paths: ["/users"], letter: "u", group: "operate",
	    icon: "users-round", needs: "users.manage",
	    load: () => import("./screens/users.js") },
	{ id: "apikeys", paths: ["/keys"], letter: "k", group: "operate",
	    icon: "key-round", needs: "keys.manage",
	    load: () => import("./screens/apikeys.js") },
	{ id: "settings", paths: ["/settings"], letter: "s", group: "operate",
	    icon: "settings", needs: "settings.write",
	    load: () => import("./screens/settings.js") },
	{ id: "data", paths: ["/data"], letter: "z", group: "operate",
	    icon: "database", needs: "settings.write",
	    load: () => import("./screens/data.js") },
	{ id: "audit", paths: ["/audit"], letter: "i", group: "operate",
	    icon: "footprints", needs: "audit.read",
	    load: () => import("./screens/audit.js") },
	{ id: "account", paths: ["/account"], letter: ",", group: "me",
	    icon: "user-round", load: () => import("./screens/account.js") },
];
