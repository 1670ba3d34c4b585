// SPDX-License-Identifier: ISC
// The places where the text of the editor may stand, with links to them.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { href } from "../router.js";
import { can } from "../session.js";
import { t } from "../text.js";
import "../text/drafts.js";
import { Badge } from "../ui/badge.js";
import { DraftBadge } from "./drafts.js";
import { canonicalOf, standing } from "./standing.js";

// The page of the service with the most proposals.
const MOST_PROPOSALS = 200;
// Proposals of one event type that are compared, the newest ones.
const MOST_COMPARED = 10;

const PLACES = {
	active: { text: "standing.active", tone: "good",
	    path: "/rules/:type/versions/:version" },
	shadow: { text: "standing.shadow", tone: "info",
	    path: "/trials/shadows/:type/:id" },
	proposal: { text: "standing.proposal", tone: "info", path: "/proposals/:id" },
	trial: { text: "standing.trial", tone: "info", path: "/proposals/:id" },
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
	return { kind: shadow ? "trial" : "proposal", type, version, id,
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

// loadPlaces(type, signal): what decides, runs as a shadow and is proposed for an event
// type, { kind, type, version, id, text, canonical }: kind is active, shadow, proposal,
// or trial, a shadow that is proposed.
export async function loadPlaces(type, signal) {
	const [versions, proposals] = await Promise.all([
	    call("GET /v1/rules/{eventType}/versions", { signal,
		path: { eventType: type } }),
	    can("rules.propose") ? call("GET /v1/proposals", { signal,
		query: { status: "pending", limit: MOST_PROPOSALS } }) : []]);
	const live = versions.filter(({ active }) => active)
	    .map(({ version }) => ["active", version, null]);
	const trials = !versions.some(({ shadow }) => shadow) ? [] :
	    (await call("GET /v1/model/shadow", { signal })).filter((one) =>
	    one.kind === "ruleset" && one.eventType === type && !one.endedAt)
	    .map(({ version, id }) => ["shadow", version, id]);
	const mine = proposals.filter(({ subject, target }) => target === type &&
	    ["rules", "shadow"].includes(subject)).slice(0, MOST_COMPARED);
	return Promise.all([...[...live, ...trials].map(([kind, version, id]) =>
	    versionPlace(kind, type, version, id, signal)),
	    ...mine.map((one) => proposalPlace(type, one, signal))]);
}

function Place({ place: { kind, type, version, id, exact } }) {
	const { text, tone, path } = PLACES[kind];
	const what = t(text, { version });
	return html`<a href=${href(path, { type, version, id })}><${Badge} tone=${tone}>
		${exact ? what : t("standing.but", { what })}</${Badge}></a>`;
}

// Standing draft canonical places: where the text of the draft stands; places is
// undefined until they are loaded.
export function Standing({ draft, canonical, places }) {
	const found = standing(draft.value, canonical, places ?? []);
	return html`<span class="tags" role="status">${found.map((place) =>
	    html`<${Place} key=${`${place.kind} ${place.id}`} place=${place} />`)}
		${found.length === 0 && draft.changed && places !== undefined &&
		    html`<${DraftBadge} />`}</span>`;
}
