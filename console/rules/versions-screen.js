// SPDX-License-Identifier: ISC
// The versions of a ruleset: a list, or one of them.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { canonicalOf } from "../release/standing.js";
import { RuleTabs } from "../release/tabs.js";
import { loadPair, VersionList, VersionPage } from "../release/versions.js";
import { href } from "../router.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Cli } from "../ui/copy.js";
import { known } from "../ui/empty.js";
import { Page } from "../ui/page.js";
import "./text.js";

const LIST = "GET /v1/rules/{eventType}/versions";
const ONE = "GET /v1/rules/{eventType}/versions/{version}";

function Versions({ type }) {
	const load = useLoad((signal) => call(LIST, { path: { eventType: type },
	    signal }), [type]);
	return html`<${RuleTabs} type=${type} value="versions"
		count=${known(load, (rows) => rows.length)} />
		<${VersionList} load=${load} address=${(version) =>
		    href("/rules/:type/versions/:version", { type, version })}
		more=${[{ id: "rules", label: t("rules.count"), align: "end",
		    cell: (row) => row.rules ?? "–" }]} />`;
}

function Version({ type, version, query }) {
	const path = { eventType: type };
	const load = useLoad((signal) => loadPair({ list: LIST, one: ONE, path,
	    version }, query.against, signal), [type, version, query.against],
	    { keep: true });
	return html`<${VersionPage} load=${load} query=${query}
		canonical=${canonicalOf}
		edit=${href("/rules/:type", { type }, { from: version })}
		rollback=${{ id: "rollback", needs: "rules.publish", subjects: ["rules"],
		    operation: "POST /v1/rules/{eventType}/rollback", path,
		    body: () => ({ toVersion: version }), cli: () => ({
		    words: "rules rollback", operands: [type, version] }) }} />`;
}

export default function RuleVersions({ params: { type, version }, query }) {
	const above = [[t("nav.rules"), href("/rules")],
	    [type, href("/rules/:type", { type })],
	    [t("rules.versions"), href("/rules/:type/versions", { type })]];
	return version === undefined ?
	    html`<${Page} title=${type} crumbs=${above.slice(0, 1)}
		actions=${html`<${Cli} words="rules history"
			operands=${[type]} />`}><${Versions} type=${type} /></${Page}>` :
	    html`<${Page} title=${t("rules.version.of", { type, version })}
		crumbs=${above}><${Version} ...${{ type, version, query }} /></${Page}>`;
}
