// SPDX-License-Identifier: ISC
// The texts of entities.
import { addText } from "../text.js";

addText({
	"entity.lead": "Everything that the service knows about a user, a device, an IP " +
	    "address or a phone number.",
	"entity.kind": "Kind",
	"entity.id": "Id",
	"entity.open": "Open",
	"entity.events": "Scored events",
	"entity.decisions": "Decisions",
	"entity.events.n": "Events",
	"entity.events.most": "{n} or more",
	"entity.frauds": "Frauds",
	"entity.frauds.n": { one: "{n} fraud", other: "{n} frauds" },
	"entity.labels.n": { one: "of {n} label", other: "of {n} labels" },
	"entity.had": { one: "{n} event", other: "{n} events" },
	"entity.unlabelled": "no labels yet",
	"entity.fraud": { one: "{frauds} fraud of {n} label ({share})",
	    other: "{frauds} fraud of {n} labels ({share})" },
	"entity.users": "Users",
	"entity.things": "Devices, IP addresses, phones",
	"entity.ring": "Ring",
	"entity.ring.note": "connected directly or not",
	"entity.ring.most": "500 or more",
	"entity.cases": "Cases",
	"entity.links": "Links",
	"entity.alone": "It has no links.",
	"entity.many": "more than {n} users, or a fraud",
	"entity.shared": { one: "{n} user", other: "{n} users" },
	"entity.drawn": "{drawn} of {n} are drawn; see the table.",
	"entity.seen": "First seen",
	"entity.show": "Show",
	"entity.show.what": "Show the {kind} {id}: the audit trail records it",
	"entity.view": "View",
	"entity.view.drawing": "Drawing",
	"entity.view.table": "Table",
});
