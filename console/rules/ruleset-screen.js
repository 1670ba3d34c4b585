// SPDX-License-Identifier: ISC
// The rules of one event type in the editor, with their mistakes and their impact.
import { html, useMemo, useRef, useState } from
    "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { errorText } from "../errors.js";
import { Icon } from "../icons.js";
import { useKeys } from "../keys.js";
import { go, href } from "../router.js";
import { catalogueOf, describer, Signals } from "./catalogue.js";
import { openLabel, Release, choicesOf } from "../versions/release.js";
import { spansOf } from "./check.js";
import { Discard, DraftNote, useDraft } from "../versions/drafts.js";
import { RuleField } from "./field.js";
import { Impact, ImpactFlips, impactOf } from "../backtest/impact.js";
import { useDebounced } from "../ui/debounce.js";
import { loadPlaces, Standing } from "../versions/places.js";
import { VersionTabs } from "../versions/tabs.js";
import { can } from "../session.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import "./text.js";
import { Cli } from "../ui/copy.js";
import { known, Loaded, LoadNote } from "../ui/empty.js";
import { Button, Check } from "../ui/form.js";
import { Mistakes } from "../ui/mistakes.js";
import { Page, Section, useHere } from "../ui/page.js";
import { toast } from "../ui/toast.js";

const CHECK_MS = 300;
const IMPACT_MS = 1500;
const PLACES_MS = 15000;

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

function Beside({ answers, live, setLive, catalogue, mayRun }) {
	const { impact } = answers;
	const blocked = blockOf(answers);
	return html`<div class="stack">
		${mayRun && html`<${Section} title=${t("impact.title")} actions=${html`
			<${Button} command="rules.impact" busy=${impact.loading}
				disabled=${blocked !== null} onClick=${impact.run}>
				${t("impact.run")}</${Button}>`}>
			<div class="stack"><${Check} label=${t("impact.live")}
				checked=${live} onInput=${setLive} />
			<${Impact} later=${impact} blocked=${blocked} /></div>
			</${Section}>`}
		<${Section} title=${t("rules.signals")}>
			<${Signals} catalogue=${catalogue} /></${Section}></div>`;
}

// The editor with its buttons above and the mistakes below.
function Writing({ type, rule, draft, answers, places, catalogue, editor, choices,
    ready, submit }) {
	const describe = useMemo(() => describer(catalogue), [catalogue]);
	return html`<${Section} class="flush" title=${html`<span class="tags">
		<code>${draft.base}</code><${Standing} text=${draft.value}
			changed=${draft.changed} places=${places}
			canonical=${answers.current?.text ?? null} /></span>`}
		actions=${html`<${Discard} draft=${draft} />
		${choices.length > 0 && html`<${Button} kind="primary" disabled=${!ready}
			command="rules.submit" onClick=${submit}>
			${openLabel(choices)}</${Button}>`}`}>
		<${RuleField} label=${t("rules.text", { type })} value=${draft.value}
			rule=${rule} onInput=${draft.write} catalogue=${catalogue}
			describe=${describe} spans=${answers.spans}
			editorRef=${editor} />
		<div class="below">
			<${Checked} spans=${answers.spans} check=${answers.check}
				checked=${answers.current} show=${(at) => editor.current.show(at)} />
			<p class="muted">${t("rules.keys")}</p></div>
	</${Section}>`;
}

function Editor({ type, rule, ruleset, reload }) {
	const { active, base, versions, catalogue } = ruleset;
	const draft = useDraft(`rules/${type}`, base.version, base.text,
	    (a, b) => a === b);
	const text = draft.value;
	const [live, setLive] = useState(true);
	const [open, setOpen] = useState(false);
	const editor = useRef(null);
	const mayRun = can("backtest.run");
	const answers = useAnswers(type, text, live && mayRun);
	const places = useLoad((signal) => loadPlaces(type, signal), [type],
	    { every: PLACES_MS });
	const choices = choicesOf(kinds(type, text));
	function submit() {
		if (answers.current?.ok === false) {
			toast({ text: t("impact.mistakes"), tone: "bad" });
			editor.current.show(answers.spans[0].from);
		} else if (text !== active.text) {
			setOpen(true);
		}
	}
	useKeys({ "rules.edit": () => editor.current?.focus(),
	    "rules.impact": () => { answers.check.run(); answers.impact.run(); },
	    "rules.submit": choices.length > 0 && submit });
	const here = useHere();
	function done(choice, version) {
		const stays = choice.id !== "publish" || !draft.settle(text, version);
		if (!here())
			return;
		setOpen(false);
		places.reload();
		if (stays)
			return reload();
		go(href("/rules/:type/versions/:version", { type, version }));
	}
	return html`<${DraftNote} draft=${draft} version=${base.version} />
	<${LoadNote} load=${places} part=${t("standing.places")} />
	<div class="split-view">
		<${Writing} ...${{ type, rule, draft, answers, catalogue, editor, choices,
		    submit, ready: text !== active.text,
		    places: places.data }} />
		<${Beside} ...${{ answers, live, setLive, catalogue, mayRun }} />
	</div>
	<${ImpactFlips} later=${answers.impact} blocked=${blockOf(answers)} />
	${open && html`<${Release} title=${t("rules.change", { type })} choices=${choices}
		taken=${[...versions, ...places.data ?? []]
		    .map(({ version }) => version)} before=${active.text}
		after=${text} onClose=${() => setOpen(false)} onDone=${done} />`}`;
}

export default function Ruleset({ params: { type }, query }) {
	const load = useLoad((signal) => loadRuleset(type, query.from, signal),
	    [type, query.from]);
	return html`<${Page} title=${type} crumbs=${[[t("nav.rules"),
	    href("/rules")]]} actions=${html`<${Cli} words="rules show"
		operands=${[type]} />`}>
		<${VersionTabs} of="rules" id=${type} value="editor"
			count=${known(load, ({ versions }) => versions.length)} />
		<${Loaded} load=${load} lines=${12}>${(ruleset) =>
		    html`<${Editor} key=${`${type} ${query.from}`} type=${type}
			rule=${query.rule} ruleset=${ruleset}
			reload=${load.reload} />`}</${Loaded}></${Page}>`;
}
