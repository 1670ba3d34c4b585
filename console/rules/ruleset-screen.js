// SPDX-License-Identifier: ISC
// The rules of one event type in the editor, with their mistakes and their impact.
import { html, useMemo, useRef, useState } from
    "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { errorText } from "../errors.js";
import { Icon } from "../icons.js";
import { useKeys } from "../keys.js";
import { catalogueOf, describer, Signals } from "./catalogue.js";
import { spansOf } from "./check.js";
import { RuleField } from "./field.js";
import { impactOf } from "../backtest/impact.js";
import { Editing, EditorPage, ImpactBeside, useEditing } from
    "../versions/editing.js";
import { useDebounced } from "../ui/debounce.js";
import { can } from "../session.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import "./text.js";
import { Check } from "../ui/form.js";
import { Mistakes } from "../ui/mistakes.js";
import { Section } from "../ui/page.js";
import { toast } from "../ui/toast.js";

const CHECK_MS = 300;
const IMPACT_MS = 1500;

async function loadRuleset(type, from, signal) {
	const path = { eventType: type };
	const versions = await call("GET /v1/rules/{eventType}/versions",
	    { path, signal });
	const one = (version) => call("GET /v1/rules/{eventType}/versions/{version}",
	    { path: { ...path, version }, signal });
	const active = await one(versions.find((row) => row.active).version);
	const base = from === undefined || from === active.version ? active :
	    await one(from);
	return { versions, active, base,
	    catalogue: await catalogueOf(type, active.text, signal) };
}

function kinds(type, text) {
	const body = (version) => ({ eventType: type, version, dsl: text });
	const operation = "POST /v1/rules";
	const cli = (words) => (version) => ({ words,
	    operands: [type, version, `${type}.rule`] });
	return [{ id: "publish", needs: "rules.publish", subjects: ["rules"], operation,
	    body, cli: cli("rules publish") },
	{ id: "shadow", needs: "rules.shadow", subjects: ["rules"], free: true,
	    operation, body: (version) => ({ ...body(version), shadow: true }),
	    cli: cli("rules shadow") }];
}

function Checked({ spans, check, checked, show }) {
	if (check.error && !check.loading)
		return html`<p class="muted" role="status">${t("rules.unchecked",
		    { why: errorText(check.error) })}</p>`;
	return spans.length > 0 ? html`<${Mistakes} ...${{ spans, show }} />` :
	    html`<p class="checked" role="status">${checked && html`
		<${Icon} name="circle-check" size=${14} />${
		t("rules.checked", { n: checked.rules.length })}${
		checked.tests > 0 && ` ${t("rules.tested", { n: checked.tests })}`}`}</p>`;
}

// Whether a checked text can decide: its tests may fail.
const compiles = (checked) => checked !== null && checked.text !== null;

// What the service says about the text while it is typed.
function useAnswers(type, text, live) {
	const check = useDebounced((signal) => call("POST /v1/rules/check",
	    { body: { eventType: type, dsl: text }, signal, reads: true,
		plain: true }),
	    [type, text], CHECK_MS);
	const current = check.data && !check.stale && !check.error ? check.data :
	    null;
	const impact = useDebounced((signal) => impactOf({ eventType: type, dsl: text },
	    signal), [type, text], live && compiles(current) ? IMPACT_MS : null);
	const spans = useMemo(() => current === null ? [] : spansOf(text, current),
	    [check.data, check.stale, check.error]);
	return { check, current, impact, spans };
}

// Why a text has no impact.
const blockOf = ({ current }) => current !== null && !compiles(current) ?
    t("impact.mistakes") : null;

function Beside({ answers, live, setLive, catalogue }) {
	return html`<${ImpactBeside} later=${answers.impact} blocked=${blockOf(answers)}>
			<${Check} label=${t("impact.live")} checked=${live}
				onInput=${setLive} /></${ImpactBeside}>
		<${Section} title=${t("rules.signals")}>
			<${Signals} catalogue=${catalogue} /></${Section}>`;
}

// The field with the mistakes below.
function Writing({ type, rule, draft, answers, catalogue, editor }) {
	const describe = useMemo(() => describer(catalogue), [catalogue]);
	return html`<${RuleField} label=${t("rules.text", { type })} value=${draft.value}
			rule=${rule} onInput=${draft.write} catalogue=${catalogue}
			describe=${describe} spans=${answers.spans}
			editorRef=${editor} />
		<div class="below">
			<${Checked} spans=${answers.spans} check=${answers.check}
				checked=${answers.current} show=${(at) => editor.current.show(at)} />
			<p class="muted">${t("rules.keys")}</p></div>`;
}

function Editor({ type, rule, ruleset, reload }) {
	const { active, base, versions, catalogue } = ruleset;
	const edit = useEditing({ of: "rules", id: type, versions, reload,
	    version: base.version, published: base.text, active: active.text,
	    textOf: (text) => text, kindsOf: (text) => kinds(type, text) });
	const { draft, text } = edit;
	const [live, setLive] = useState(true);
	const editor = useRef(null);
	const answers = useAnswers(type, text, live && can("backtest.run"));
	function submit() {
		if (answers.current?.ok === false) {
			toast({ text: t("impact.mistakes"), tone: "bad" });
			editor.current.show(answers.spans[0].from);
		} else if (text !== active.text) {
			edit.setOpen(true);
		}
	}
	useKeys({ "rules.edit": () => editor.current?.focus(),
	    "rules.impact": () => { answers.check.run(); answers.impact.run(); },
	    "rules.submit": edit.choices.length > 0 && submit });
	return html`<${Editing} class="flush" title=${t("rules.change", { type })}
		canonical=${answers.current?.text ?? null} impact=${answers.impact}
		blocked=${blockOf(answers)} ...${{ edit, submit }}
		beside=${html`<${Beside} ...${{ answers, live, setLive, catalogue }} />`}>
		<${Writing} ...${{ type, rule, draft, answers, catalogue, editor }} />
		</${Editing}>`;
}

export default function Ruleset({ params: { type }, query }) {
	const load = useLoad((signal) => loadRuleset(type, query.from, signal),
	    [type, query.from]);
	return html`<${EditorPage} of="rules" id=${type} load=${load} lines=${12}>${
	    (ruleset) => html`<${Editor} key=${`${type} ${query.from}`} type=${type}
		rule=${query.rule} ruleset=${ruleset} reload=${load.reload} />`}
		</${EditorPage}>`;
}
