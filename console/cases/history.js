// SPDX-License-Identifier: ISC
// What analysts wrote about a case, and what happened to it.
import { html, useRef } from "../../third_party/preact/preact.js";
import { time } from "../format.js";
import { useKeys } from "../keys.js";
import { can } from "../session.js";
import { t } from "../text.js";
import { Cli } from "../ui/copy.js";
import { Button, Form, TextArea } from "../ui/form.js";
import { Time, TimeHead, ZonedTime, useZone } from "../ui/time.js";
import { useAttempt } from "../ui/toast.js";
import { addNote } from "./actions.js";
import { Owner } from "./badges.js";
import "./case-text.js";
import { caseLines } from "./commands.js";
import { leaveByEscape, useDraft } from "./outcome.js";

function Written({ note }) {
	return html`<li><p class="by"><${Owner} email=${note.author} />
		${" "}<span class="muted"><${ZonedTime} at=${note.at} /></span></p>
		<p class="typed">${note.text}</p></li>`;
}

export function Notes({ row, reload }) {
	const [draft, change] = useDraft(row.id);
	const [busy, attempt] = useAttempt();
	const field = useRef(null);
	const work = can("cases.work");
	const text = draft.remark.trim();
	async function submit() {
		if (text !== "" && await addNote(attempt, row, text)) {
			change({ remark: "" });
			reload();
		}
	}
	useKeys({ "case.note": work && (() => field.current?.focus()) });
	return html`<div class="stack">
		${row.notes.length > 0 && html`<ul class="notes">${row.notes.map((note) =>
		    html`<${Written} key=${note.id} note=${note} />`)}</ul>`}
		${work && html`<${Form} onSubmit=${submit}><${TextArea} hideLabel
			label=${t("cases.remark")} placeholder=${t("cases.remark")}
			rows="2" maxlength="4000" value=${draft.remark} inputRef=${field}
			readonly=${busy}
			onInput=${(remark) => change({ remark })}
			onKeyDown=${leaveByEscape} />
			<div class="buttons"><${Cli} ...${caseLines.note(row.id, text)} />
			<${Button} type="submit" busy=${busy}
				command="case.note" disabled=${text === ""}>
				${t("cases.addNote")}</${Button}></div></${Form}>`}
		${!work && row.notes.length === 0 && html`<p class="muted">
			${t("cases.noNotes")}</p>`}</div>`;
}

// A detail with its times in the zone of the page.
function withLocalTimes(detail, zone) {
	return detail.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (at) => time(at, zone));
}

// Trail: the newest first.
export function Trail({ row }) {
	const zone = useZone();
	return html`<div class="table-box" tabindex="0" role="region"
		aria-label=${t("cases.trail")}><table class="small"><thead><tr>
		<th scope="col"><${TimeHead} /></th><th scope="col">${t("cases.did")}</th>
		</tr></thead><tbody>${[...row.audit].reverse().map(({ action, at, actor,
		    detail }) => html`<tr key=${at + action}>
		<td class="nowrap"><${Time} at=${at} /></td><td>${t(`cases.did.${action}`)}
			${" "}<span class="muted">${actor}${detail && ` · ${
			    withLocalTimes(detail, zone)}`}
			</span></td></tr>`)}</tbody></table></div>`;
}
