// SPDX-License-Identifier: ISC
// Small parts of cases: state, owner, target, what the event is.
import { html } from "../../third_party/preact/preact.js";
import { skew } from "../api.js";
import { amount, duration } from "../format.js";
import { session } from "../session.js";
import { useSignal } from "../store.js";
import { t } from "../text.js";
import { Badge, Outcome } from "../ui/badge.js";
import { Ends } from "../ui/copy.js";
import { now } from "../ui/time.js";
import "./text.js";

// State: in which state a case is, or how it ended.
export function State({ row }) {
	if (row.resolution !== null)
		return html`<${Outcome} outcome=${row.resolution.outcome} />`;
	if (row.snoozedUntil !== null)
		return html`<${Badge}>${t("cases.is.snoozed")}</${Badge}>`;
	return html`<${Badge} tone=${row.status === "assigned" ? "info" : "plain"}>${
	    t(`cases.is.${row.status}`)}</${Badge}>`;
}

export function mine(row) {
	return row.assignedTo !== null && row.assignedTo === session.value.me?.email;
}

// True if another analyst works on it and the claim has not expired.
export function othersClaim(row) {
	return row.status === "assigned" && !mine(row) &&
	    Date.parse(row.claimExpiresAt ?? "") > Date.now() + skew.value;
}

export function Owner({ email, most = Infinity }) {
	const { me } = useSignal(session);
	return email === null ? null : email === me?.email ?
	    html`<b>${t("cases.you")}</b>` : html`<span class="owner"><${Ends}
		text=${email} most=${most} /></span>`;
}

// Due at: how long until the target of the queue, or how long past it.
export function Due({ at }) {
	const current = useSignal(now);
	if (at === null || at === undefined)
		return null;
	const left = (Date.parse(at) - current) / 1000;
	return left >= 0 ? html`<${Badge} tone=${left < 900 ? "warn" : "plain"}
		title=${at}>${t("cases.due", { time: duration(left) })}</${Badge}>` :
	    html`<${Badge} tone="bad" title=${at}>${t("cases.late",
		{ time: duration(-left) })}</${Badge}>`;
}

// "order.place EUR 12.50": what was decided.
export function eventName({ eventType, eventId, amount: value, currency }) {
	const money = amount(value, currency);
	return `${eventType ?? eventId}${money === "" ? "" : ` ${money}`}`;
}
