// SPDX-License-Identifier: ISC
// The dialog that imports list entries from a CSV file, after a check.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { errorText } from "../errors.js";
import { number } from "../format.js";
import { t } from "../text.js";
import { changeLabel, useChange } from "../ui/change.js";
import { Cli } from "../ui/copy.js";
import { Dialog } from "../ui/dialog.js";
import { Button, useId } from "../ui/form.js";
import { Facts, Note } from "../ui/page.js";
import "./text.js";

const SHOWN_LINES = 12;

function Counts({ counts }) {
	return html`<${Facts} items=${["added", "updated", "unchanged", "expired"].map((name) =>
	    [t(`lists.import.${name}`), number(counts[name])])} />`;
}

function Lines({ csv }) {
	const lines = csv.split(/\r?\n/).filter((line) => line !== "");
	return html`<pre class="preview" tabindex="0" aria-label=${
	    t("lists.import.file")}>${lines.slice(0, SHOWN_LINES).join("\n")}</pre>
		${lines.length > SHOWN_LINES && html`<p class="muted">${
		    t("lists.import.more", { n: lines.length - SHOWN_LINES })}</p>`}`;
}

// What importing the file would do: { csv, counts } or { csv, error }.
async function check(file) {
	const csv = await file.text();
	try {
		return { csv, counts: await call("POST /v1/lists/import/check",
		    { csv, reads: true }) };
	} catch (error) {
		return { csv, error };
	}
}

export function ImportDialog({ onClose, onDone }) {
	const [file, setFile] = useState(null);
	const [tried, setTried] = useState(null);
	const [busy, change] = useChange();
	const id = useId();
	async function choose(event) {
		const [chosen] = event.target.files;
		setFile(chosen ?? null);
		setTried(null);
		if (chosen)
			setTried(await check(chosen));
	}
	async function save() {
		const saved = await change({ subject: "lists",
		    operation: "POST /v1/lists/import", csv: tried.csv,
		    done: t("lists.imported") });
		if (saved)
			onDone();
	}
	return html`<${Dialog} title=${t("lists.import")} size="wide"
		onClose=${onClose} actions=${html`
		<${Cli} words="lists import" operands=${[file?.name ?? "FILE"]} />
		<${Button} onClick=${onClose}>${t("dialog.cancel")}</${Button}>
		<${Button} kind="primary" busy=${busy} disabled=${!tried?.counts}
			onClick=${save}>${changeLabel("lists", t("lists.import.do"))}
		</${Button}>`}>
		<div class="stack">
			<div class="field"><label for=${id}>${t("lists.import.file")}</label>
				<input type="file" id=${id} accept=".csv,text/csv"
					aria-describedby=${`${id}h`} onChange=${choose} />
				<p class="hint" id=${`${id}h`}>${t("lists.import.hint")}</p></div>
			${tried?.error && html`<${Note} tone="bad">${
			    errorText(tried.error)}</${Note}>`}
			${tried?.counts && html`<${Counts} counts=${tried.counts} />`}
			${tried && html`<${Lines} csv=${tried.csv} />`}
		</div></${Dialog}>`;
}
