// SPDX-License-Identifier: ISC
// The entries of lists about the values of a case.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { Listed } from "../lists/listed.js";
import { t } from "../text.js";
import { Loaded } from "../ui/empty.js";
import { Section } from "../ui/page.js";
import { graphValues, listValues } from "./values.js";

const MOST_LINKED = 5;

// Addresses and numbers that the user of these values has used.
async function linked(values) {
	const user = values.find(({ subject }) => subject === "user");
	if (user === undefined)
		return [];
	const graph = await call("GET /v1/graph/{kind}/{id}",
	    { path: { kind: "user", id: user.value } });
	return graphValues(graph, MOST_LINKED);
}

// Lists load: of the explanation of the case.
export function Lists({ load }) {
	if (load.data === undefined)
		return html`<${Section} title=${t("nav.lists")}>
			<${Loaded} load=${load} lines=${2} /></${Section}>`;
	const values = listValues(load.data);
	return html`<${Listed} values=${values} more=${() => linked(values)} />`;
}
