// SPDX-License-Identifier: ISC
// The versions of a ruleset or of a policy: a list, or one of them.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { textOf } from "../policies/bands.js";
import { BandBar } from "../policies/scale.js";
import "../policies/text.js";
import { href } from "../router.js";
import "../rules/text.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Cli } from "../ui/copy.js";
import { known } from "../ui/empty.js";
import { Page } from "../ui/page.js";
import { canonicalOf } from "./standing.js";
import { VersionTabs } from "./tabs.js";
import { loadPair, VersionList, VersionPage } from "./versions.js";

// By the screen above: the requests, the name of the id in their paths, the text of a
// version to compare, and the column of the list that shows what a version has.
const VERSIONED = {
	rules: { list: "GET /v1/rules/{eventType}/versions",
	    one: "GET /v1/rules/{eventType}/versions/{version}",
	    rollback: "POST /v1/rules/{eventType}/rollback",
	    idName: "eventType", canonical: canonicalOf,
	    column: () => ({ id: "rules", label: t("rules.count"), align: "end",
		cell: (row) => row.rules ?? "–" }) },
	policies: { list: "GET /v1/policies/{id}/versions",
	    one: "GET /v1/policies/{id}/versions/{version}",
	    rollback: "POST /v1/policies/{id}/rollback",
	    idName: "id", canonical: textOf,
	    column: () => ({ id: "bands", label: t("policies.bands"),
		cell: (row) => html`<span class="band-bar"><${BandBar}
			bands=${row.bands} /></span>` }) },
};

function Versions({ of, id }) {
	const { list, idName, column } = VERSIONED[of];
	const load = useLoad((signal) => call(list, { path: { [idName]: id }, signal }),
	    [id]);
	return html`<${VersionTabs} of=${of} id=${id} value="versions"
		count=${known(load, (rows) => rows.length)} />
		<${VersionList} load=${load} more=${[column()]} address=${(version) =>
		    href(`/${of}/:id/versions/:version`, { id, version })} />`;
}

function Version({ of, id, version, query }) {
	const { list, one, rollback, idName, canonical } = VERSIONED[of];
	const path = { [idName]: id };
	const load = useLoad((signal) => loadPair({ list, one, path, version },
	    query.against, signal), [id, version, query.against], { keep: true });
	return html`<${VersionPage} load=${load} query=${query} canonical=${canonical}
		edit=${href(`/${of}/:id`, { id }, { from: version })}
		rollback=${{ id: "rollback", needs: `${of}.publish`, subjects: [of],
		    operation: rollback, path, body: () => ({ toVersion: version }),
		    cli: () => ({ words: `${of} rollback`,
			operands: [id, version] }) }} />`;
}

export default function VersionScreen({ params: { id, version }, query, under: of }) {
	const above = [[t(`nav.${of}`), href(`/${of}`)], [id, href(`/${of}/:id`, { id })],
	    [t("versions.all"), href(`/${of}/:id/versions`, { id })]];
	return version === undefined ?
	    html`<${Page} title=${id} crumbs=${above.slice(0, 1)} actions=${html`
		<${Cli} words=${`${of} history`} operands=${[id]} />`}>
		<${Versions} ...${{ of, id }} /></${Page}>` :
	    html`<${Page} title=${t("versions.of", { id, version })}
		crumbs=${above}><${Version} ...${{ of, id, version, query }} /></${Page}>`;
}
