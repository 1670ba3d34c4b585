// SPDX-License-Identifier: ISC
// How times, amounts, numbers and ids are written.  All functions are pure; the
// zone is "utc" or "local".
import { LANG, lazy } from "./text.js";

export const DAY_MS = 86400000;
// Of a time as time() writes it.
export const DAY_CHARS = 10;
const numbers = lazy(() => new Intl.NumberFormat(LANG,
    { maximumFractionDigits: 2 }));
// More than any number has.
const ALL_DIGITS = 20;
const exact = lazy(() => new Intl.NumberFormat(LANG,
    { maximumFractionDigits: ALL_DIGITS }));
const regions = lazy(() => new Intl.DisplayNames([LANG], { type: "region" }));
const AGES = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];

const zones = lazy(() => new Intl.DateTimeFormat("en-GB",
    { timeZoneName: "short" }));
const days = lazy(() => new Intl.DateTimeFormat("en-GB", { timeZone: "UTC",
    day: "numeric", month: "short" }));
// Currency -> its format.
const currencies = new Map();

// "2026-11-23 16:35:02"; "" for a time that is absent or not a time.
export function time(at, zone) {
	const then = Date.parse(at ?? "");
	if (Number.isNaN(then))
		return "";
	const shift = zone === "utc" ? 0 : new Date(then).getTimezoneOffset();
	return new Date(then - shift * 60000).toISOString().slice(0, 19)
	    .replace("T", " ");
}

// The name of the zone at a time: "UTC", "CET", "GMT+5"; "" for NaN.
export function zoneName(zone, at = Date.now()) {
	if (Number.isNaN(at))
		return "";
	return zone === "utc" ? "UTC" : zones().formatToParts(new Date(at))
	    .find(({ type }) => type === "timeZoneName").value;
}

// How far the local zone is from UTC at a time: "UTC+1", "UTC-3:30".  Other than
// zoneName() it needs no data of the browser about zones, which take long to load.
export function zoneOffset(at) {
	const minutes = -new Date(at).getTimezoneOffset();
	const hours = Math.floor(Math.abs(minutes) / 60);
	const rest = String(Math.abs(minutes) % 60).padStart(2, "0");
	return (minutes < 0 ? "UTC-" : "UTC+") + hours + (rest === "00" ? "" : `:${rest}`);
}

// The largest whole unit: "3 h".  Negative times count as 0.
export function duration(seconds) {
	const whole = Math.max(0, Math.floor(seconds));
	for (const [size, unit] of AGES)
		if (whole >= size)
			return `${Math.floor(whole / size)} ${unit}`;
	return "0 s";
}

// How long ago a time was; "" without a time.
export function age(at, now) {
	const then = Date.parse(at ?? "");
	return Number.isNaN(then) ? "" : duration((now - then) / 1000);
}

// Small whole numbers have no separators, and the first format takes 40 ms to load.
export function number(value) {
	if (value === null || value === undefined)
		return "";
	return Number.isInteger(value) && value >= 0 && value < 1000 ?
	    String(value) : numbers().format(value);
}

// 0.1234 is "12.3 %".  Shares under 0.1 % that are not 0 are "<0.1 %".
export function percent(share) {
	if (share === null || share === undefined)
		return "";
	if (share > 0 && share < 0.001)
		return "<0.1 %";
	return `${(share * 100).toFixed(share === 1 ? 0 : 1)} %`;
}

// A share for an axis, without decimals: 0.25 is "25 %".
export function wholePercent(share) {
	return `${Math.round(share * 100)} %`;
}

// An amount, never rounded, with at least the digits of its currency:
// "EUR 1,000.10", "JPY 0.5".
export function amount(value, currency) {
	if (value === null || value === undefined)
		return "";
	if (!/^[A-Z]{3}$/.test(currency ?? ""))
		return exact().format(value);
	if (!currencies.has(currency))
		currencies.set(currency, new Intl.NumberFormat(LANG, { currency,
		    style: "currency", currencyDisplay: "code",
		    maximumFractionDigits: ALL_DIGITS }));
	return currencies.get(currency).format(value).replace(/\u00a0/g, " ");
}

// "DE" is "Germany"; a code without a name stays.
export function country(code) {
	if (!/^[A-Z]{2}$/.test(code ?? ""))
		return code ?? "";
	return regions().of(code) ?? code;
}

// The ends of a long text, with "…" for what is between them.
export function cut(text, most) {
	const letters = [...text], head = Math.ceil((most - 1) / 2);
	return letters.length <= most ? text : `${letters.slice(0, head).join("")}…${
	    letters.slice(letters.length - most + 1 + head).join("")}`;
}

// The end of a long id, which is what differs between ids: "cse_…6p8snrg".
export function shortId(id, keep = 8) {
	const [, prefix = ""] = /^([a-z]+_)/.exec(id) ?? [];
	return id.length <= prefix.length + keep + 1 ? id :
	    `${prefix}…${id.slice(-keep)}`;
}

// A day of UTC as analytics name it: "2026-11-23" is "23 Nov".
export function day(text) {
	return days().format(new Date(`${text}T00:00:00Z`));
}

// One argument of a shell command, quoted if it has to be.
function shellWord(value) {
	const text = String(value);
	return /^[A-Za-z0-9_./:@%+=,-]+$/.test(text) ? text :
	    `'${text.replaceAll("'", "'\\''")}'`;
}

// cliLine("cases resolve", [id, "fraud"], { note: "x" }): the assayctl command of
// an action.  An option that is true has no value; null and false leave it out.
export function cliLine(words, operands = [], options = {}) {
	const line = ["assayctl", words];
	for (const [name, value] of Object.entries(options))
		if (value === true)
			line.push(`--${name}`);
		else if (value !== null && value !== undefined && value !== false)
			line.push(`--${name}`, shellWord(value));
	return [...line, ...operands.map(shellWord)].join(" ");
}

const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

// bytes(734003200) is "700 MiB".
export function bytes(count) {
	let size = count, unit = 0;
	while (size >= 1024 && unit < BYTE_UNITS.length - 1) {
		size /= 1024;
		unit++;
	}
	return `${number(size < 10 && unit > 0 ? Math.round(size * 10) / 10 :
	    Math.round(size))} ${BYTE_UNITS[unit]}`;
}
