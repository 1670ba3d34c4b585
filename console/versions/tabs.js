// SPDX-License-Identifier: ISC
// The parts of the screen of one ruleset or policy.
import { html } from "../../third_party/preact/preact.js";
import { href } from "../router.js";
import { t } from "../text.js";
import { Tabs } from "../ui/page.js";
import "./text.js";

const EDITORS = { rules: "rules.editor", policies: "policies.bands" };

export function VersionTabs({ of, id, value, count }) {
	return html`<${Tabs} label=${id} value=${value} items=${[
	    ["editor", t(EDITORS[of]), href(`/${of}/:id`, { id })],
	    ["versions", t("versions.all"), href(`/${of}/:id/versions`, { id }),
		count]]} />`;
}
