// SPDX-License-Identifier: ISC
// Which values of an event lists are about.

// listValues EXPLANATION: { subject, value } pairs.  Of addresses and phone numbers
// the log has only masked ones, which lists cannot be searched for.
export function listValues({ request, signals }) {
	const subject = request?.subject ?? {};
	return [["user", subject.userId], ["device", subject.deviceId],
	    ["fingerprint", subject.fingerprint], ["bin", request?.instrument?.bin],
	    ["country", signals?.["geo.country"]]]
	    .filter(([, value]) => value)
	    .map(([name, value]) => ({ subject: name, value }));
}

// entityValue KIND ID: what a list has of an entity of the graph.  The first address
// of a /64 stands for all of its addresses there.
export function entityValue(kind, id) {
	return { subject: kind, value: kind === "ip" && id.endsWith("::") ?
	    `${id}/64` : id };
}

// graphValues GRAPH MOST: addresses and phone numbers of the user.
export function graphValues({ ips, phones }, most) {
	return [...ips.slice(0, most).map((id) => entityValue("ip", id)),
	    ...phones.slice(0, most).map((value) => ({ subject: "phone", value }))];
}
