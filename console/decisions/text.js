// SPDX-License-Identifier: ISC
// The texts of the log of decisions and of one decision.
import { addText } from "../text.js";

addText({
	"decisions.filters": "Filters",
	"decisions.user": "User",
	"decisions.type": "Event type",
	"decisions.verdict": "Verdict",
	"decisions.tag": "Tag",
	"decisions.minScore": "Score from",
	"decisions.maxScore": "Score to",
	"decisions.since": "Since",
	"decisions.until": "Until",
	"decisions.event": "Event",
	"decisions.amount": "Amount",
	"decisions.score": "Score",
	"decisions.tags": "Tags",
	"decisions.reload": "Reload",
	"decisions.live": "Live",
	"decisions.none": "No decision here",
	"decisions.none.text": "With filters the search covers the last seven " +
	    "days. Set Since to search further back.",
	"decisions.cut": "The search stopped after 100,000 decisions. It " +
	    "reached back to",
	"decisions.goOn": "Search further back",
	"decisions.count": { one: "{n} decision", other: "{n} decisions" },
	"decision.unknown": "There is no decision on an event {id}, or retention has " +
	    "removed it.",
	"decision.label": "Label:",
	"decision.noLabel": "no label",
	"decision.by.analyst": "by an analyst",
	"decision.by.chargeback": "by a chargeback",
	"decision.case": "Its case",
	"decision.facts": "Request",
	"decision.rules": "Rules",
	"decision.changes": "What would have changed it",
});
