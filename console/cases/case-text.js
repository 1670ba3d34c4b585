// SPDX-License-Identifier: ISC
// The texts of the parts of a case.
import { addText } from "../text.js";

addText({
	"cases.facts": "Facts",
	"cases.activity": "Last events of this user",
	"cases.scores": { one: "{n} score", other: "{n} scores from 0 to 100, the newest at " +
	    "the end" },
	"cases.allActivity": "All decisions on this user",
	"cases.noActivity": "The log has no events of this user.",
	"cases.noUser": "The user is not known: the request was erased or removed.",
	"cases.this": "this case",
	"cases.links": "Links",
	"cases.ring": { one: "No other entity is connected.",
	    other: "{n} entities are connected, directly or not." },
	"cases.linked.user": "Users who share something",
	"cases.linked.device": "Devices",
	"cases.linked.ip": "IP addresses",
	"cases.linked.phone": "Phones",
	"cases.moreLinks": "and {n} more",
	"cases.earlier": "Other cases of this user",
	"cases.noEarlier": "No other cases.",
	"cases.trail": "History",
	"cases.did": "What happened",
	"cases.did.opened": "opened",
	"cases.did.assigned": "taken",
	"cases.did.handed_over": "handed over",
	"cases.did.released": "released",
	"cases.did.snoozed": "snoozed",
	"cases.did.woken": "woken",
	"cases.did.noted": "note",
	"cases.did.resolved": "resolved",
	"cases.did.reopened": "reopened",
	"cases.notes": "Notes",
	"cases.noNotes": "No notes.",
	"cases.remark": "Write a note",
	"cases.addNote": "Add",
});
