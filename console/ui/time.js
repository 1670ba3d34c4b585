// SPDX-License-Identifier: ISC
// Times on the page, in the zone that the operator chose.
import { html, signal } from "../../third_party/preact/preact.js";
import { skew } from "../api.js";
import { age, time, zoneName } from "../format.js";
import { prefs, setPref } from "../prefs.js";
import { useSignal } from "../store.js";
import { t } from "../text.js";

const TICK_MS = 15000;
// The time of the service, so that ages are right on a machine with a wrong clock.
export const now = signal(Date.now());

// The app calls this once.
export function followTime() {
	setInterval(() => { now.value = Date.now() + skew.value; }, TICK_MS);
}

export function useZone() {
	return useSignal(prefs).zone;
}

export function switchZone() {
	setPref("zone", prefs.value.zone === "utc" ? "local" : "utc");
}

// The time in the other zone, with its name, for a title.
function both(at, zone) {
	const other = zone === "utc" ? "local" : "utc";
	return [zone, other].map((one) =>
	    `${time(at, one)} ${zoneName(one, Date.parse(at))}`).join("\n");
}

// Time at: the date and time.  The zone is named once: in the head of the column
// or by ZoneName.
export function Time({ at }) {
	const zone = useZone();
	return time(at, zone) === "" ? null :
	    html`<time datetime=${at} title=${both(at, zone)}>${time(at, zone)}</time>`;
}

// Age at: how long ago, with the exact time as its title.
export function Age({ at }) {
	const zone = useZone();
	const current = useSignal(now);
	return time(at, zone) === "" ? null :
	    html`<time datetime=${at} title=${both(at, zone)}>${age(at,
	    current)}</time>`;
}

// "Time (UTC)": the head of a column of times.
export function TimeHead({ label }) {
	return html`${label ?? t("time")} <span class="unit">${
	    zoneName(useZone())}</span>`;
}
