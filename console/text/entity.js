// SPDX-License-Identifier: ISC
// The texts of entities.
import { addText } from "../text.js";

addText({
	"entity.lead": "Everything that the service knows about a user, a device, an IP " +
	    "address or a phone number.",
	"entity.kind": "Kind",
	"entity.id": "Id",
	"entity.open": "Open",
	"entity.forgotten": "The page no longer knows this address or number, because " +
	    "it is never stored in the browser.",
	"entity.again": "Type it again",
	"entity.events": "Scored events",
	"entity.unlabelled": "no labels yet",
	"entity.fraud": { one: "{frauds} fraud of {n} label ({share})",
	    other: "{frauds} fraud of {n} labels ({share})" },
	"entity.users": "Users",
	"entity.things": "Devices, addresses, phones",
	"entity.ring": "Ring",
	"entity.ring.note": "connected directly or not",
	"entity.ring.most": "500 or more",
	"entity.cases": "Cases",
	"entity.lists": "Lists",
	"entity.unlisted": "No list names it.",
	"entity.links": "Links",
	"entity.alone": "It is linked to nothing.",
	"entity.seen": "First seen",
	"entity.view": "View",
	"entity.view.drawing": "Drawing",
	"entity.view.table": "Table",
});
