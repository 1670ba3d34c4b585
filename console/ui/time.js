// SPDX-License-Identifier: ISC
// Times on the page, in the zone that the operator chose.
import { effect, html, signal, useMemo } from
    "../../third_party/preact/preact.js";
import { skew } from "../api.js";
import { age, time, zoneName, zoneOffset } from "../format.js";
import { prefs, setPref } from "../prefs.js";
import { useSignal } from "../store.js";
import { t } from "../text.js";

const TICK_MS = 15000;
// The time of the service, so that ages are right on a machine with a wrong clock.
export const now = signal(Date.now());

// The app calls this once.
export function followTime() {
	effect(() => { now.value = Date.now() + skew.value; });
	setInterval(() => { now.value = Date.now() + skew.value; }, TICK_MS);
}

export function useZone() {
	return useSignal(prefs).zone;
}

export function switchZone() {
	setPref("zone", prefs.value.zone === "utc" ? "local" : "utc");
}

// The time in this zone and in the other one, for a title; "" for what is not a time.
function both(at, zone) {
	if (time(at, zone) === "")
		return "";
	const other = zone === "utc" ? "local" : "utc";
	return [zone, other].map((one) =>
	    `${time(at, one)} ${one === "utc" ? "UTC" : zoneOffset(at)}`).join("\n");
}

// Time at: the date and time, for a column whose TimeHead names the zone.
export function Time({ at }) {
	const zone = useZone();
	return time(at, zone) === "" ? null :
	    html`<time datetime=${at} title=${both(at, zone)}>${time(at, zone)}</time>`;
}

// ZonedTime at: the date and time with their zone.
export function ZonedTime({ at }) {
	const zone = useZone();
	return time(at, zone) === "" ? null : html`<${Time} at=${at} /> <span class="unit">${
	    zoneName(zone, Date.parse(at))}</span>`;
}

// Age at: how long ago, with the exact time as its title.
export function Age({ at }) {
	const zone = useZone();
	const current = useSignal(now);
	const title = useMemo(() => both(at, zone), [at, zone]);
	return time(at, zone) === "" ? null :
	    html`<time datetime=${at} title=${title}>${age(at, current)}</time>`;
}

// AsOf at: "as of 3 min ago".
export function AsOf({ at }) {
	const zone = useZone();
	const current = useSignal(now);
	return html`<time datetime=${at} title=${both(at, zone)}>${t("asOf",
	    { age: age(at, current) })}</time>`;
}

// "Time (UTC)": the head of a column of times.
export function TimeHead({ label }) {
	return html`${label ?? t("time")} <span class="unit">${
	    zoneName(useZone())}</span>`;
}
