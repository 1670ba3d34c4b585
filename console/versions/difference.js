// SPDX-License-Identifier: ISC
// The difference of two texts, line by line.
import { html, useMemo, useState } from "../../third_party/preact/preact.js";
import { t } from "../text.js";
import { Button } from "../ui/form.js";
import { diff, folded } from "./diff.js";
import "./difference-text.js";

function Line({ line }) {
	if (line.kind === "gap")
		return html`<tr class="gap"><td></td><td></td><td colspan="2">${
		    t("difference.gap", { n: line.count })}</td></tr>`;
	return html`<tr class=${line.kind}>
		<td class="end muted">${line.before}</td>
		<td class="end muted">${line.after}</td>
		<td class="sign"><span class="hidden">${
		    t(`difference.${line.kind}`)}</span></td>
		<td><code>${line.parts?.map(({ text, changed }) => changed ?
		    html`<mark>${text}</mark>` : text) ?? line.text}</code></td></tr>`;
}

// Difference before after: label names it; names are those of both texts.
export function Difference({ label, before, after }) {
	const [whole, setWhole] = useState(false);
	const lines = useMemo(() => diff(before, after), [before, after]);
	if (lines.every(({ kind }) => kind === "same"))
		return html`<p class="muted">${t("difference.none")}</p>`;
	const count = (kind) => t(`difference.count.${kind}`,
	    { n: lines.filter((line) => line.kind === kind).length });
	const shown = whole ? lines : folded(lines);
	return html`<div class="difference">
		<p class="muted">${count("out")}, ${count("in")} ${(whole || shown.length < lines.length) &&
		    html`<${Button} kind="quiet" onClick=${() => setWhole(!whole)}>
			${t(whole ? "difference.fold" : "difference.whole")}
		</${Button}>`}</p>
		<div class="table-box" tabindex="0" role="region" aria-label=${label}>
			<table><thead class="hidden"><tr><th>${t("difference.before")}</th>
				<th>${t("difference.after")}</th>
				<th>${t("difference.change")}</th>
				<th>${t("difference.text")}</th></tr></thead>
			<tbody>${shown.map((line, i) =>
			    html`<${Line} key=${i} line=${line} />`)}</tbody></table>
		</div></div>`;
}
