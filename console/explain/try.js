// SPDX-License-Identifier: ISC
// "Try it with": decide the event again with other signals, without effect.
import { html, useEffect, useRef, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { errorText } from "../errors.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Score, Verdict } from "../ui/badge.js";
import { Cli } from "../ui/copy.js";
import { Button, Form, Select, TextField } from "../ui/form.js";
import { Note, Section } from "../ui/page.js";
import { useAttempt } from "../ui/toast.js";
import { changesOf } from "./changed.js";
import { changesIn, membersText } from "./members.js";
import { valueText } from "./value.js";
import { Whole } from "./whole.js";
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
		<${Verdict} verdict=${verdict} /><${Score} ...${{ score, verdict }} />
		<span class="muted">${t("explain.recorded", { score: recorded.score,
		    verdict: t(`verdict.${recorded.verdict}`) })}</span></p>
		<${Reasons} reasons=${reasons} /></div>`;
}

// One field for each signal that changes.
function Fields({ rows, setRows, wrong, signals }) {
	const free = Object.keys(signals).filter((name) => name !== "event.type" &&
	    rows.every(({ signal }) => signal !== name));
	const put = (i, row) => setRows(rows.map((old, at) => at === i ? row : old));
	return html`${rows.map((row, i) => html`<${Row} key=${row.signal} row=${row}
		was=${signals[row.signal]} wrong=${wrong.includes(row.signal)}
		change=${(next) => put(i, next)} remove=${() =>
		    setRows(rows.filter((one) => one !== row))} />`)}
	<${Select} label=${t("explain.add")} value="" options=${[["",
	    t("explain.add.hint")], ...free.map((name) => [name, name])]}
		onInput=${(signal) => signal !== "" && setRows([...rows,
		    rowOf(signal, signals[signal])])} />`;
}

const rowOf = (signal, value) => ({ signal, text: String(value ?? "") });

// What the operator changes, as fields or as one text: the part to show, the "set" of
// the request, and whether it can be decided.
function useDraft(signals, picked) {
	const [rows, setRows] = useState([]);
	const [text, setText] = useState(null);
	const catalogue = useLoad((signal) => text === null ? Promise.resolve(null) :
	    call("GET /v1/signals", { signal }), [text === null]);
	useEffect(() => {
		if (picked !== null && text === null)
			setRows((now) => [...now.filter(({ signal }) =>
			    signal !== picked.signal),
			    rowOf(picked.signal, picked.value)]);
	}, [picked]);
	if (text === null) {
		const { set, wrong } = changesOf(rows, signals ?? {});
		return { set, ready: rows.length > 0 && wrong.length === 0, other: {
		    label: t("explain.json.edit"), icon: "pencil",
		    onClick: () => setText(membersText({ ...signals, ...set })) },
		    part: html`<${Fields} ...${{ rows, setRows, wrong, signals }} />` };
	}
	const { set, mistakes } = changesIn(text, signals, catalogue.data?.signals);
	return { set, ready: mistakes.length === 0, other: {
	    label: t("explain.fields.edit"), disabled: mistakes.length > 0,
	    onClick: () => {
		setRows(Object.entries(set).map((one) => rowOf(...one)));
		setText(null);
	    } }, part: html`<${Whole} ...${{ text, setText, mistakes, picked }} />` };
}

// Try: picked is null or { signal, value }, which the operator chose elsewhere on the
// page; without signals there is nothing to try.
export function Try({ explanation, picked }) {
	const { signals, eventId } = explanation;
	const { set, ready, other, part } = useDraft(signals, picked);
	const [answer, setAnswer] = useState(null);
	const [error, setError] = useState(null);
	const [busy, attempt] = useAttempt({ reads: true });
	if (signals === null || signals === undefined)
		return null;
	async function submit() {
		if (!ready)
			return;
		setError(null);
		const result = await attempt(() => call("POST /v1/decisions/{id}/try",
		    { path: { id: eventId }, body: { set }, reads: true }),
		    { failed: (reason) => { setError(reason); return true; } });
		if (result !== null)
			setAnswer(result ?? null);
	}
	return html`<${Section} title=${t("explain.try.with")}
		actions=${html`<${Button} kind="quiet" ...${other}>${other.label}</${Button}>`}>
		<${Form} onSubmit=${submit}>${part}
		<p class="hint">${t("explain.try.hint")}</p>
		<div class="buttons">
			<${Cli} words="try" operands=${[eventId, JSON.stringify(set)]} />
			<${Button} type="submit" kind="primary" busy=${busy}
				disabled=${!ready}>
				${t("explain.try.do")}</${Button}></div></${Form}>
		${error && html`<${Note} tone="bad">${errorText(error)}</${Note}>`}
		${answer && html`<${Result} result=${answer} />`}</${Section}>`;
}
