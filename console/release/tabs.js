// SPDX-License-Identifier: ISC
// The parts of the screen of one ruleset or policy.
import { html } from "../../third_party/preact/preact.js";
import { href } from "../router.js";
import { t } from "../text.js";
import { Tabs } from "../ui/page.js";

export function RuleTabs({ type, value, count }) {
	return html`<${Tabs} label=${type} value=${value} items=${[
	    ["editor", t("rules.editor"), href("/rules/:type", { type })],
	    ["versions", t("rules.versions"), href("/rules/:type/versions", { type }),
		count]]} />`;
}

export function PolicyTabs({ id, value, count }) {
	return html`<${Tabs} label=${id} value=${value} items=${[
	    ["bands", t("policies.bands"), href("/policies/:id", { id })],
	    ["versions", t("policies.versions"), href("/policies/:id/versions",
		{ id }), count]]} />`;
}
