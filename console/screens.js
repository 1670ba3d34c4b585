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
	{ id: "queue", paths: ["/cases"], letter: "c", group: "work", icon: "inbox",
	    load: () => import("./screens/queue.js") },
	{ id: "case", paths: ["/cases/:id"], letter: null, under: "queue",
	    find: [{ pattern: /^cse_/, name: "find.case", path: "/cases/:id" }],
	    load: () => import("./screens/case.js") },
	{ id: "decisions", paths: ["/decisions"], letter: "d", group: "work",
	    icon: "scroll-text", load: () => import("./screens/decisions.js") },
	{ id: "decision", paths: ["/decisions/:id"], letter: null,
	    under: "decisions",
	    find: [{ pattern: /^\S{1,128}$/, name: "find.event",
		path: "/decisions/:id" }],
	    load: () => import("./screens/decision.js") },
	{ id: "entity", paths: ["/entity", "/entity/:kind/:id"], letter: "e",
	    group: "work", icon: "fingerprint",
	    load: () => import("./screens/entity.js") },
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
	{ id: "shadow", paths: ["/trials/shadows/:type/:id"], letter: null,
	    group: "rules", under: "trials",
	    load: () => import("./screens/shadow.js") },
	{ id: "account", paths: ["/account"], letter: ",", group: "me",
	    icon: "user-round", load: () => import("./screens/account.js") },
];
