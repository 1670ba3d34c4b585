// SPDX-License-Identifier: ISC
// The two kinds of receivers, which have the same routes under other names.
//
//	member	of the list that has the receivers
//	owner	member of a delivery: the id of its receiver
//	group	the command group of assayctl
export const RECEIVER_KINDS = {
	webhooks: {
		list: "GET /v1/webhooks", create: "POST /v1/webhooks",
		revoke: "POST /v1/webhooks/{id}/revoke", test: null,
		deliveries: "GET /v1/webhooks/deliveries",
		redriveAll: "POST /v1/webhooks/deliveries/redrive",
		redriveOne: "POST /v1/webhooks/deliveries/{id}/redrive",
		member: "endpoints", owner: "endpointId", group: "webhooks",
	},
	alerts: {
		list: "GET /v1/notifications", create: "POST /v1/notifications",
		revoke: "POST /v1/notifications/{id}/revoke",
		test: "POST /v1/notifications/{id}/test",
		deliveries: "GET /v1/notifications/deliveries",
		redriveAll: "POST /v1/notifications/deliveries/redrive",
		redriveOne: "POST /v1/notifications/deliveries/{id}/redrive",
		member: "channels", owner: "channelId", group: "notifications",
	},
};

// Whether one of the events can be limited to strict verdicts.
export function hasVerdict(events) {
	return events.some((event) => event.startsWith("verdict."));
}

// draftOf ROW: what the dialog begins with: that of a revoked receiver, as far as the
// service shows it, or nothing.
export function draftOf(row) {
	const { url = "", events = [], type = "slack", minVerdict, throttlePerMin } =
	    row ?? {};
	return { url, events, type, target: "", minVerdict: minVerdict ?? "",
	    throttle: String(throttlePerMin ?? "") };
}

// bodyOf(kind, draft): the body of the request, without members that the kind or
// the type does not take.
export function bodyOf(kind, { url, events, type, target, minVerdict, throttle }) {
	const body = { url: url.trim(), events };
	if (kind === "webhooks")
		return body;
	body.type = type;
	if (type === "telegram")
		body.target = target.trim();
	if (minVerdict !== "" && hasVerdict(events))
		body.minVerdict = minVerdict;
	if (throttle.trim() !== "")
		body.throttlePerMin = Number(throttle);
	return body;
}
