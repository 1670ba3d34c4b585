// SPDX-License-Identifier: ISC
// The form of a backtest: which rules and which bands are tried, on how many samples.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { candidateOf } from "../policies/bands.js";
import { drafts } from "../versions/drafts.js";
import { useLoad, useSignal } from "../store.js";
import { t } from "../text.js";
import { Cli } from "../ui/copy.js";
import { Loaded } from "../ui/empty.js";
import { Button, Form, Select } from "../ui/form.js";
import { useAttempt } from "../ui/toast.js";
import { NEWEST } from "./impact.js";
import { startRun } from "./runs.js";

const SIZES = [NEWEST, 100000, 1000000];
const RULES = "GET /v1/rules/{eventType}/versions";
const POLICIES = "GET /v1/policies/{id}/versions";

async function loadChoices(type, signal) {
	const policies = await call("GET /v1/policies", { signal });
	const { eventType, policy } = policies.find((row) =>
	    row.eventType === type) ?? policies[0];
	const [rules, bands] = await Promise.all([
	    call(RULES, { path: { eventType }, signal }),
	    call(POLICIES, { path: { id: policy.id }, signal })]);
	return { types: policies.map((row) => row.eventType), eventType,
	    policyId: policy.id, rules, bands };
}

// The versions that can be tried, the operator's own draft first.
function options(first, draft, versions) {
	return [["", first], ...draft === undefined ? [] :
	    [["draft", t("backtest.draft")]], ...versions.map((row) =>
	    [`v ${row.version}`, row.active ? t("backtest.active", row) :
		row.version])];
}

async function rulesOf(choice, draft, eventType) {
	if (choice === "")
		return {};
	if (choice === "draft")
		return { dsl: draft.value };
	return { dsl: (await call("GET /v1/rules/{eventType}/versions/{version}",
	    { path: { eventType, version: choice.slice(2) } })).text };
}

async function policyOf(choice, draft, id) {
	if (choice === "")
		return {};
	return { policy: candidateOf(choice === "draft" ? draft.value :
	    await call("GET /v1/policies/{id}/versions/{version}",
	    { path: { id, version: choice.slice(2) } })) };
}

const named = (choice) => choice === "draft" ? t("backtest.draft") :
    choice.slice(2);

function Fields({ eventType, policyId, types, rules, bands, setType, onStart }) {
	const all = useSignal(drafts);
	const ruleDraft = all.get(`rules/${eventType}`);
	const bandDraft = all.get(`policies/${policyId}`);
	const [form, setForm] = useState({ rules: ruleDraft ? "draft" : "",
	    policy: bandDraft ? "draft" : "", size: String(NEWEST) });
	const set = (part) => setForm({ ...form, ...part });
	const [busy, attempt] = useAttempt({ reads: true });
	const start = () => attempt(async () => {
		const candidate = { ...await rulesOf(form.rules, ruleDraft, eventType),
		    ...await policyOf(form.policy, bandDraft, policyId) };
		const title = [form.rules && t("backtest.title.rules",
		    { what: named(form.rules) }), form.policy &&
		    t("backtest.title.policy", { what: named(form.policy) })]
		    .filter(Boolean).join(", ") || t("backtest.title.none");
		onStart(startRun(title, { eventType, ...candidate,
		    ...form.size === "" ? {} : { newest: Number(form.size) } }));
	});
	return html`<${Form} onSubmit=${start} class="filters">
		<${Select} label=${t("backtest.type")} value=${eventType}
			options=${types.map((one) => [one, one])} onInput=${setType} />
		<${Select} label=${t("backtest.rules")} value=${form.rules}
			options=${options(t("backtest.recorded"), ruleDraft, rules)}
			onInput=${(value) => set({ rules: value })} />
		<${Select} label=${t("backtest.policy")} value=${form.policy}
			options=${options(t("backtest.current"), bandDraft, bands)}
			onInput=${(value) => set({ policy: value })} />
		<${Select} label=${t("backtest.size")} value=${form.size}
			options=${[...SIZES.map((n) => [String(n), t("backtest.newest",
			    { n })]), ["", t("backtest.all")]]}
			onInput=${(size) => set({ size })} />
		<${Button} type="submit" kind="primary" busy=${busy}>
			${t("backtest.start")}</${Button}>
		<${Cli} words="backtest" operands=${[eventType]} options=${{
		    rules: form.rules && `${eventType}.rule`,
		    policy: form.policy && `${policyId}.json` }} />
	</${Form}>`;
}

// Candidate type setType onStart: onStart(id) gets the run of runs.js.
export function Candidate({ type, setType, onStart }) {
	const load = useLoad((signal) => loadChoices(type, signal), [type],
	    { keep: true });
	return html`<${Loaded} load=${load} lines=${2}>${(data) =>
	    html`<${Fields} key=${data.eventType} ...${data} setType=${setType}
		onStart=${onStart} />`}</${Loaded}>`;
}
