// SPDX-License-Identifier: ISC
// The way between the pages of a long list.
import { html } from "../../third_party/preact/preact.js";
import { setQuery } from "../router.js";
import { t } from "../text.js";
import { Button } from "./form.js";
import "./pages-text.js";

// Pages at full: at is the number of the page, from 0, which is after in the address;
// full says that there may be another one.
export function Pages({ at, full }) {
	return (at > 0 || full) && html`<div class="buttons pages">
		<${Button} icon="chevron-left" disabled=${at === 0}
			onClick=${() => setQuery({ after: at === 1 ? null : at - 1 })}>
			${t("pages.newer")}</${Button}>
		<${Button} icon="chevron-right" disabled=${!full}
			onClick=${() => setQuery({ after: at + 1 })}>
			${t("pages.older")}</${Button}></div>`;
}
