// SPDX-License-Identifier: ISC
// The versions of a policy: a list, or one of them.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { PolicyTabs } from "../release/tabs.js";
import { loadPair, VersionList, VersionPage } from "../release/versions.js";
import { href } from "../router.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Cli } from "../ui/copy.js";
import { known } from "../ui/empty.js";
import { Page } from "../ui/page.js";
import { textOf } from "./bands.js";
import { BandBar } from "./scale.js";
import "./text.js";

const LIST = "GET /v1/policies/{id}/versions";
const ONE = "GET /v1/policies/{id}/versions/{version}";

function Versions({ id }) {
	const load = useLoad((signal) => call(LIST, { path: { id }, signal }), [id]);
	return html`<${PolicyTabs} id=${id} value="versions"
		count=${known(load, (rows) => rows.length)} />
		<${VersionList} load=${load} address=${(version) =>
		    href("/policies/:id/versions/:version", { id, version })}
		more=${[{ id: "bands", label: t("policies.bands"), cell: (row) => html`
		    <span class="band-bar"><${BandBar} bands=${row.bands} /></span>` }]}
		/>`;
}

function Version({ id, version, query }) {
	const path = { id };
	const load = useLoad((signal) => loadPair({ list: LIST, one: ONE, path,
	    version }, query.against, signal), [id, version, query.against],
	    { keep: true });
	return html`<${VersionPage} load=${load} query=${query} canonical=${textOf}
		edit=${href("/policies/:id", { id }, { from: version })}
		rollback=${{ id: "rollback", needs: "policies.publish",
		    subjects: ["policies"], operation: "POST /v1/policies/{id}/rollback",
		    path, body: () => ({ toVersion: version }), cli: () => ({
		    words: "policies rollback", operands: [id, version] }) }} />`;
}

export default function PolicyVersions({ params: { id, version }, query }) {
	const above = [[t("nav.policies"), href("/policies")],
	    [id, href("/policies/:id", { id })],
	    [t("policies.versions"), href("/policies/:id/versions", { id })]];
	return version === undefined ?
	    html`<${Page} title=${id} crumbs=${above.slice(0, 1)}
		actions=${html`<${Cli} words="policies history" operands=${[id]} />`}>
		<${Versions} id=${id} /></${Page}>` :
	    html`<${Page} title=${t("policies.version.of", { id, version })}
		crumbs=${above}><${Version} ...${{ id, version, query }} /></${Page}>`;
}
