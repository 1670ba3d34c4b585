// SPDX-License-Identifier: ISC
// How times, amounts, numbers and ids are written.  All functions are pure; the
// zone is "utc" or "local".
import { LANG } from "./text.js";

const numbers = new Intl.NumberFormat(LANG, { maximumFractionDigits: 2 });
const regions = new Intl.DisplayNames([LANG], { type: "region" });
const AGES = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];

const clocks = {
	utc: clock("UTC"),
	local: clock(undefined),
};

function clock(timeZone) {
	return new Intl.DateTimeFormat("en-GB", { timeZone, year: "numeric",
	    month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit",
	    second: "2-digit", hourCycle: "h23", timeZoneName: "short" });
}

function parts(at, zone) {
	return Object.fromEntries(clocks[zone].formatToParts(new Date(at))
	    .map(({ type, value }) => [type, value]));
}

// "2026-11-23 16:35:02"; "" for a time that is absent or not a time.
export function time(at, zone) {
	if (at === null || at === undefined || Number.isNaN(Date.parse(at)))
		return "";
	const p = parts(at, zone);
	return `${p.year}-${p.month}-${p.day} ${p.hour}:${p.minute}:${p.second}`;
}

// The name of the zone: "UTC", "CET", "GMT+5".
export function zoneName(zone, at = Date.now()) {
	return zone === "utc" ? "UTC" : parts(at, "local").timeZoneName;
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

export function number(value) {
	return value === null || value === undefined ? "" : numbers.format(value);
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

// An amount with the digits of its currency: "EUR 1,000.01".
export function amount(value, currency) {
	if (value === null || value === undefined)
		return "";
	if (!/^[A-Z]{3}$/.test(currency ?? ""))
		return number(value);
	return new Intl.NumberFormat(LANG, { style: "currency", currency,
	    currencyDisplay: "code" }).format(value).replace(/\u00a0/g, " ");
}

// "DE" is "Germany"; a code without a name stays.
export function country(code) {
	if (!/^[A-Z]{2}$/.test(code ?? ""))
		return code ?? "";
	return regions.of(code) ?? code;
}

// The end of a long id, which is what differs between ids: "cse_…6p8snrg".
export function shortId(id, keep = 8) {
	const [, prefix = ""] = /^([a-z]+_)/.exec(id) ?? [];
	return id.length <= prefix.length + keep + 1 ? id :
	    `${prefix}…${id.slice(-keep)}`;
}

// A day of UTC as analytics name it: "2026-11-23" is "23 Nov".
export function day(text) {
	return new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric",
	    month: "short" }).format(new Date(`${text}T00:00:00Z`));
}

// One argument of a shell command, quoted if it has to be.
export function shellWord(value) {
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
