// SPDX-License-Identifier: ISC
// The texts of storage, retention and erasure.
import { addText } from "../text.js";

addText({
	"data.lead": "How much is stored, how long it is kept, and how a user is erased.",
	"data.storage": "Storage",
	"data.total": "In total",
	"data.disk": "Disk {path}",
	"data.free": "{free} free, {used} % used",
	"data.rows": "Rows (estimates)",
	"data.rows.activity": "requests",
	"data.rows.apikeys": "service keys",
	"data.rows.asyncQueue": "asynchronous requests",
	"data.rows.audit": "entries of the audit trail",
	"data.rows.cases": "cases",
	"data.rows.deadLetter": "dead letters",
	"data.rows.deliveries": "deliveries",
	"data.rows.entities": "entities",
	"data.rows.idempotency": "idempotency keys",
	"data.rows.labels": "labels",
	"data.rows.links": "entity links",
	"data.rows.lists": "list entries",
	"data.rows.operators": "operators",
	"data.rows.outbox": "events to deliver",
	"data.rows.policies": "policies",
	"data.rows.replay": "samples",
	"data.rows.rulesets": "rulesets",
	"data.rows.users": "user profiles",
	"data.rows.verdicts": "verdicts",
	"data.windows": "Kept for",
	"data.windows.text": "0 keeps the data forever. A change takes effect " +
	    "with the next sweep.",
	"data.sweep": "Retention sweep",
	"data.sweep.text": "The companion removes what is too old at regular times; a " +
	    "sweep by hand does the same now.",
	"data.run": "Run a sweep",
	"data.ran": "The sweep is done.",
	"data.pruned.verdicts": "Verdicts removed",
	"data.pruned.activity": "Requests removed",
	"data.pruned.replay": "Samples removed",
	"data.pruned.idempotency": "Idempotency keys removed",
	"data.pruned.deadLetter": "Dead letters removed",
	"data.erase": "Erase a user",
	"data.erase.text": "Removes the user's requests, samples, links and baseline. The " +
	    "verdicts stay, without personal data.",
	"data.erase.do": "Erase",
	"data.user": "Id of the user",
	"data.erase.removed": "The data of the user {userId} is removed:",
	"data.erase.nothing": "Nothing was stored of the user {userId}.",
	"data.erase.partial": "A spool may still hold decisions of the user. They will be " +
	    "logged without the user; erase the user again to see that none is left.",
});
