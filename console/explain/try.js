// SPDX-License-Identifier: ISC
// "Try it with": decide the event again with other signals, without effect.
import { html, useEffect, useRef, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { errorText } from "../errors.js";
import { t } from "../text.js";
import { Score, Verdict } from "../ui/badge.js";
import { Button, Form, Select, TextField } from "../ui/form.js";
import { Note, Section } from "../ui/page.js";
import { useAct } from "../ui/toast.js";
import { changesOf } from "./changed.js";
import { valueText } from "./value.js";
import { Reasons } from "./why.js";

// A row gets the focus when it is added.
function Row({ row, was, wrong, change, remove }) {
	const field = useRef(null);
	useEffect(() => field.current.focus(), []);
	return html`<div class="try-row"><${TextField} label=${row.signal}
		class="mono" inputRef=${field} value=${row.text} placeholder=${t("explain.unknown")}
		error=${wrong ? t("explain.wrong") : null}
		hint=${t("explain.was", { value: valueText(was) })}
		onInput=${(text) => change({ ...row, text })} />
		<${Button} kind="quiet" icon="x" onClick=${remove}
			label=${t("explain.remove", { signal: row.signal })} /></div>`;
}

function Result({ result }) {
	const { verdict, score, reasons, recorded } = result;
	const same = verdict === recorded.verdict && score === recorded.score;
	return html`<div class="stack" role="status"><p class="marks">
		<span>${t(same ? "explain.same" : "explain.result")}</span>
		<${Verdict} verdict=${verdict} /><${Score} score=${score} />
		<span class="muted">${t("explain.recorded", { score: recorded.score,
		    verdict: t(`verdict.${recorded.verdict}`) })}</span></p>
		<${Reasons} reasons=${reasons} /></div>`;
}

// Try: rows are { signal, text }; without signals there is nothing to try.
export function Try({ explanation, rows, setRows }) {
	const { signals, eventId } = explanation;
	const [answer, setAnswer] = useState(null);
	const [error, setError] = useState(null);
	const [busy, act] = useAct();
	if (signals === null || signals === undefined)
		return null;
	const { set, wrong } = changesOf(rows, signals);
	const free = Object.keys(signals).filter((name) => name !== "event.type" &&
	    rows.every(({ signal }) => signal !== name));
	async function submit() {
		if (rows.length === 0 || wrong.length > 0)
			return;
		setError(null);
		const result = await act(() => call("POST /v1/decisions/{id}/try",
		    { path: { id: eventId }, body: { set } }),
		    { failed: (reason) => { setError(reason); return true; } });
		setAnswer(result ?? null);
	}
	const put = (i, row) => setRows(rows.map((old, at) => at === i ? row : old));
	return html`<${Section} title=${t("explain.try.with")}>
		<${Form} onSubmit=${submit}>
		${rows.map((row, i) => html`<${Row} key=${row.signal} row=${row}
			was=${signals[row.signal]} wrong=${wrong.includes(row.signal)}
			change=${(next) => put(i, next)} remove=${() =>
			    setRows(rows.filter((one) => one !== row))} />`)}
		<${Select} label=${t("explain.add")} value="" options=${[["",
		    t("explain.add.hint")], ...free.map((name) => [name, name])]}
			onInput=${(signal) => signal !== "" && setRows([...rows,
			    { signal, text: String(signals[signal] ?? "") }])} />
		<p class="hint">${t("explain.try.hint")}</p>
		<div class="buttons">
			<${Button} type="submit" kind="primary" busy=${busy}
				disabled=${rows.length === 0 || wrong.length > 0}>
				${t("explain.try.do")}</${Button}></div></${Form}>
		${error && html`<${Note} tone="bad">${errorText(error)}</${Note}>`}
		${answer && html`<${Result} result=${answer} />`}</${Section}>`;
}
