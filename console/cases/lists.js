// SPDX-License-Identifier: ISC
// The entries of lists about the values of a case.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { Listed } from "../lists/listed.js";
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

export function Lists({ explanation }) {
	const values = explanation === undefined ? [] : listValues(explanation);
	return html`<${Listed} values=${values} more=${() => linked(values)} />`;
}
