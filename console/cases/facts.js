// SPDX-License-Identifier: ISC
// What is known about an event: the request as the activity log has it, and what
// the service adds.
import { html } from "../../third_party/preact/preact.js";
import { Score, Verdict } from "../ui/badge.js";
import { Value } from "../explain/value.js";
import { amount, country } from "../format.js";
import { href } from "../router.js";
import { exact, t } from "../text.js";
import "./facts-text.js";
import { Alike, Id } from "../ui/copy.js";
import { Facts, Note } from "../ui/page.js";
import { Age, ZonedTime } from "../ui/time.js";

function entity(kind, id) {
	return id && html`<${Id} id=${id} href=${href("/entity/:kind/:id",
	    { kind, id })} />`;
}

function instrument({ kind, bin, issuerCountry, threeDS } = {}) {
	return [kind, bin, issuerCountry && country(issuerCountry),
	    threeDS === true ? t("fact.3ds") : null].filter(Boolean).join(" · ");
}

// placeOf, networkOf SIGNALS: "Addis Ababa, Ethiopia", "AS64500 Example Ltd"; empty
// if nothing is known.
export function placeOf(signals) {
	const city = signals?.["geo.city"], code = signals?.["geo.country"];
	return [city && exact(city), code && country(code)].filter(Boolean)
	    .join(", ");
}

export function networkOf(signals) {
	const asn = signals?.["geo.asn"], name = signals?.["geo.asnOrg"];
	return [asn && `AS${asn}`, name && exact(name)].filter(Boolean).join(" ");
}

function decided({ verdict, score, decidedAt, policyId, policyVersion, eventId },
    own) {
	return [
		[t("fact.verdict"), !own && html`<${Verdict} verdict=${verdict} />
			${" "}<${Score} ...${{ score, verdict }} />`],
		[t("fact.decided"), html`<${ZonedTime} at=${decidedAt} />
			${" "}<span class="muted">(<${Age} at=${decidedAt} />)</span>`],
		[t("fact.policy"), !own && html`<code>${policyId} ${policyVersion}</code>`],
		[t("fact.event"), !own && html`<${Id} id=${eventId}
			href=${href("/decisions/:id", { id: eventId })} />`],
	].filter(([, value]) => value);
}

function attributes(request) {
	return Object.entries(request.attributes ?? {}).map(([name, value]) =>
	    [`attr.${name}`, html`<${Value} value=${value} />`]);
}

// EventFacts explanation: brief leaves out what the reader of a list knows, own
// what the page of the decision shows elsewhere.
export function EventFacts({ explanation, brief = false, own = false }) {
	const { request, signals } = explanation;
	const subject = request?.subject ?? {};
	return html`${request === null && html`<${Note} tone="warn">${
	    t("fact.erased")}</${Note}>`}
		<${Facts} items=${[
		    [t("fact.user"), entity("user", subject.userId)],
		    ...brief ? [] : [[t("fact.amount"), request &&
			amount(request.amount, request.currency)]],
		    [t("fact.instrument"), instrument(request?.instrument ?? {})],
		    [t("fact.device"), entity("device", subject.deviceId)],
		    [t("fact.ip"), subject.ip && html`<code>${subject.ip}</code>`],
		    [t("fact.place"), placeOf(signals)],
		    [t("fact.network"), networkOf(signals)],
		    [t("fact.phone"), subject.phone && html`<code>${subject.phone}
		    </code>`],
		    [t("fact.channel"), subject.channel && html`${exact(subject.channel)}
			<${Alike} text=${subject.channel} />`],
		    ...request ? attributes(request) : [],
		    ...brief ? [] : decided(explanation, own),
		]} />`;
}
