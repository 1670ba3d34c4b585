// SPDX-License-Identifier: ISC
// The texts of facts about an event.
import { addText } from "../text.js";

addText({
	"fact.user": "User",
	"fact.amount": "Amount",
	"fact.instrument": "Instrument",
	"fact.3ds": "3-D Secure",
	"fact.device": "Device",
	"fact.ip": "IP address",
	"fact.place": "Place of the address",
	"fact.network": "Network of the address",
	"fact.phone": "Phone",
	"fact.channel": "Channel",
	"fact.verdict": "Verdict",
	"fact.decided": "Decided",
	"fact.policy": "Policy",
	"fact.event": "Event",
	"fact.erased": "The request was erased, or retention has removed it.",
});
