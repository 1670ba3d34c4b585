// SPDX-License-Identifier: ISC
// Masks of addresses and phone numbers, as lib/json/body_mask.c makes them.

// The first half of an IPv4 address, a quarter of an IPv6 address.
function maskIp(ip) {
	const [, first, second] = /^(?:::ffff:)?(\d+)\.(\d+)\.\d+\.\d+$/.exec(ip) ?? [];
	if (first !== undefined)
		return `${first}.${second}.•.•`;
	const [head, tail = [], more] = ip.split("::").map((part) =>
	    part.split(":").filter(Boolean));
	const gap = 8 - head.length - tail.length;
	if (more || gap < 0 || gap > 0 !== ip.includes("::") ||
	    /[^\da-f:.]/i.test(ip))
		return "•";
	return `${[...head, ...Array(gap).fill("0"), ...tail].slice(0, 2)
	    .map((group) => Number.parseInt(group, 16).toString(16)).join(":")}:•`;
}

// The first digits of a phone number, which show the country, and the last two.
function maskPhone(phone) {
	const digits = phone.replace(/\D/g, "").slice(0, 15);
	return digits.length <= 7 ? "•••••" : `+${digits.slice(0,
	    Math.min(4, digits.length - 7))}•••••${digits.slice(-2)}`;
}

// masked KIND ID: an address or a phone number as the service masks it in requests;
// other ids stay.  A network keeps its size.
export function masked(kind, id) {
	const [ip, bits] = id.split("/");
	return kind === "phone" ? maskPhone(id) : kind !== "ip" ? id :
	    bits === undefined ? maskIp(ip) : `${maskIp(ip)}/${bits}`;
}
