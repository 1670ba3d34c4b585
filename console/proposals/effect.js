// SPDX-License-Identifier: ISC
// What a proposal about rules or bands would change, and what came of it.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { Impact, ImpactFlips, impactOf } from "../backtest/impact.js";
import { useKeys } from "../keys.js";
import { policyOf } from "../versions/places.js";
import { href } from "../router.js";
import { can } from "../session.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { useDebounced } from "../ui/debounce.js";
import { Button } from "../ui/form.js";
import { Section } from "../ui/page.js";
import { isRollout } from "./state.js";
import "./text.js";

// The screens of what these subjects change.
const SCREENS = { rules: "/rules/:target", shadow: "/rules/:target",
    policies: "/policies/:target" };

// The screen of what a proposal changes, or undefined.
const screenOf = ({ subject, target }) =>
    target === "model" ? undefined : SCREENS[subject];

// targetOf(proposal): a link to what it changes, or null.
export function targetOf(proposal) {
	const { target } = proposal;
	const screen = screenOf(proposal);
	return screen === undefined ? null :
	    html`<a href=${href(screen, { target })}>${target}</a>`;
}

function VersionLink({ proposal: { target, version }, screen }) {
	return html`<a href=${href(`${screen}/versions/:version`, { target, version })}>
		${t("proposals.result.version", { version })}</a>`;
}

// The shadow, or its version after another shadow has taken its place.
function ShadowLink({ proposal, screen }) {
	const { target, version } = proposal;
	const { data } = useLoad((signal) => call("GET /v1/model/shadow", { signal }),
	    []);
	const found = data?.find((one) => one.kind === "ruleset" &&
	    one.eventType === target && one.version === version);
	return found === undefined ?
	    html`<${VersionLink} proposal=${proposal} screen=${screen} />` :
	    html`<a href=${href("/shadows/:type/:id", { type: target,
		id: found.id })}>${t("proposals.result.shadow", { version })}</a>`;
}

// resultOf(proposal): a link to what came of it, or null.
export function resultOf(proposal) {
	const screen = screenOf(proposal);
	if (proposal.status !== "approved" || screen === undefined)
		return null;
	const Link = proposal.shadow || isRollout(proposal) ? ShadowLink : VersionLink;
	return html`<${Link} proposal=${proposal} screen=${screen} />`;
}

async function effectOf({ subject, target, after, body }, signal) {
	if (subject !== "policies")
		return impactOf({ eventType: target, dsl: after }, signal);
	const [policies, policy] = await Promise.all([
	    call("GET /v1/policies", { signal }),
	    policyOf({ target, body }, signal)]);
	const { eventType } = policies.find((row) => row.policy.id === target);
	return impactOf({ eventType, policy }, signal);
}

// hasEffect(proposal): whether samples can be decided by what is proposed.
export function hasEffect(proposal) {
	return ["pending", "failed"].includes(proposal.status) &&
	    screenOf(proposal) !== undefined && proposal.after !== null &&
	    !isRollout(proposal) &&
	    can("backtest.run");
}

export function Effect({ proposal }) {
	const later = useDebounced((signal) => effectOf(proposal, signal), [proposal.id], 0);
	useKeys({ "rules.impact": later.run });
	return html`<${Section} title=${t("impact.title")} actions=${html`
		<${Button} command="rules.impact" busy=${later.loading}
			onClick=${later.run}>${t("impact.run")}</${Button}>`}>
		<${Impact} later=${later} /></${Section}>
		<${ImpactFlips} later=${later} />`;
}
