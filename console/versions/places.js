// SPDX-License-Identifier: ISC
// The places where the text of a ruleset or policy may stand, with links to them.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { candidateOf, textOf } from "../policies/bands.js";
import { href } from "../router.js";
import { can } from "../session.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Badge } from "../ui/badge.js";
import { DraftBadge } from "./drafts.js";
import "./drafts-text.js";
import { canonicalOf, standing } from "./standing.js";

// The page of the service with the most proposals.
const MOST_PROPOSALS = 200;
// Proposals of one ruleset or policy that are compared, the newest ones.
const MOST_COMPARED = 10;

const PLACES = {
	active: { text: "standing.active", tone: "good",
	    path: "/rules/:type/versions/:version" },
	policy: { text: "standing.active", tone: "good",
	    path: "/policies/:type/versions/:version" },
	shadow: { text: "standing.shadow", tone: "info", path: "/shadows/:type/:id" },
	proposal: { text: "standing.proposal", tone: "info", path: "/proposals/:id" },
	proposedShadow: { text: "standing.proposedShadow", tone: "info",
	    path: "/proposals/:id" },
};

// The texts of versions and of proposals never change.
const known = new Map();
async function remembered(key, load) {
	if (!known.has(key))
		known.set(key, await load());
	return known.get(key);
}

async function versionPlace(kind, type, version, id, signal) {
	return { kind, type, version, id,
	    ...await remembered(`${type} ${version}`, async () => {
		const found = await call(
		    "GET /v1/rules/{eventType}/versions/{version}",
		    { path: { eventType: type, version }, signal });
		return { text: found.text, canonical: canonicalOf(found) };
	    }) };
}

async function proposalPlace(type, { id, version, shadow }, signal) {
	return { kind: shadow ? "proposedShadow" : "proposal", type, version, id,
	    ...await remembered(id, async () => {
		const { after } = await call("GET /v1/proposals/{id}",
		    { path: { id }, signal });
		// One that was decided meanwhile may have no text.
		const { text } = after === null ? { text: null } :
		    await call("POST /v1/rules/check", { signal, reads: true,
		    plain: true, body: { dsl: after } });
		return { text: after, canonical: text };
	    }) };
}

// policyOf({ target, body }, signal): what a proposal makes the policy.
export async function policyOf({ target, body }, signal) {
	return candidateOf(body.toVersion === undefined ? body : await call(
	    "GET /v1/policies/{id}/versions/{version}", { signal,
		path: { id: target, version: body.toVersion } }));
}

async function bandsPlace(type, { id, version }, signal) {
	return { kind: "proposal", type, version, id,
	    ...await remembered(id, async () => {
		const proposal = await call("GET /v1/proposals/{id}",
		    { path: { id }, signal });
		// That of one that was decided meanwhile may be gone.
		const text = proposal.body === null ? null :
		    textOf(await policyOf(proposal, signal));
		return { text, canonical: text };
	    }) };
}

// The newest proposals that wait and change this target.
async function waitingFor(target, subjects, signal) {
	const all = !can("rules.propose") ? [] : await call("GET /v1/proposals",
	    { signal, query: { status: "pending", limit: MOST_PROPOSALS } });
	return all.filter((one) => one.target === target &&
	    subjects.includes(one.subject)).slice(0, MOST_COMPARED);
}

// loadPlaces(type, signal): what decides, runs as a shadow and is proposed for an event
// type, { kind, type, version, id, text, canonical }: kind is active, shadow, proposal,
// or proposedShadow, a shadow that is proposed.
export async function loadPlaces(type, signal) {
	const [versions, mine] = await Promise.all([
	    call("GET /v1/rules/{eventType}/versions", { signal,
		path: { eventType: type } }),
	    waitingFor(type, ["rules", "shadow"], signal)]);
	const live = versions.filter(({ active }) => active)
	    .map(({ version }) => ["active", version, null]);
	const running = !versions.some(({ shadow }) => shadow) ? [] :
	    (await call("GET /v1/model/shadow", { signal })).filter((one) =>
	    one.kind === "ruleset" && one.eventType === type && !one.endedAt)
	    .map(({ version, id }) => ["shadow", version, id]);
	return Promise.all([...[...live, ...running].map(([kind, version, id]) =>
	    versionPlace(kind, type, version, id, signal)),
	    ...mine.map((one) => proposalPlace(type, one, signal))]);
}

// loadPolicyPlaces(id, signal): the same of a policy: kind is policy, the active one, or
// proposal.
export async function loadPolicyPlaces(id, signal) {
	const [policies, mine] = await Promise.all([
	    call("GET /v1/policies", { signal }),
	    waitingFor(id, ["policies"], signal)]);
	const { policy } = policies.find((row) => row.policy.id === id);
	return Promise.all([{ kind: "policy", type: id, version: policy.version,
	    id: null, text: textOf(policy), canonical: textOf(policy) },
	    ...mine.map((one) => bandsPlace(id, one, signal))]);
}

function Place({ place: { kind, type, version, id, exact } }) {
	const { text, tone, path } = PLACES[kind];
	const what = t(text, { version });
	return html`<a href=${href(path, { type, version, id })}><${Badge} tone=${tone}>
		${exact ? what : t("standing.but", { what })}</${Badge}></a>`;
}

// Standing text changed canonical places: where a text stands; changed: it is a draft.
// places is undefined until they are loaded.
export function Standing({ text, changed, canonical = null, places }) {
	const found = standing(text, canonical, places ?? []);
	return html`<span class="tags" role="status">${found.map((place) =>
	    html`<${Place} key=${`${place.kind} ${place.id}`} place=${place} />`)}
		${found.length === 0 && changed && places !== undefined &&
		    html`<${DraftBadge} />`}</span>`;
}

// DraftStanding text load: where the text of a draft stands, for a list.
export function DraftStanding({ text, load }) {
	const { data, error } = useLoad(load, []);
	return data === undefined && error !== null ? html`<${DraftBadge} />` :
	    html`<${Standing} changed text=${text} places=${data} />`;
}
