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

// graphValues GRAPH MOST: addresses and phone numbers of the user.
export function graphValues({ ips, phones }, most) {
	return [...ips.slice(0, most).map((value) => ({ subject: "ip", value })),
	    ...phones.slice(0, most).map((value) => ({ subject: "phone", value }))];
}
