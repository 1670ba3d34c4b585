// SPDX-License-Identifier: ISC
// The texts of the log of decisions and of one decision.
import { addText } from "../text.js";

addText({
	"decisions.filters": "Filters",
	"decisions.user": "User",
	"decisions.type": "Type",
	"decisions.verdict": "Verdict",
	"decisions.tag": "Tag",
	"decisions.minScore": "Score from",
	"decisions.maxScore": "Score to",
	"decisions.since": "Since",
	"decisions.until": "Until",
	"decisions.event": "Event",
	"decisions.amount": "Amount",
	"decisions.score": "Score",
	"decisions.tags": "Reasons",
	"decisions.reload": "Reload",
	"decisions.live": "Live",
	"decisions.none": "No decision here",
	"decisions.none.text": "With a filter the log is read back for seven days; " +
	    "set Since to look further.",
	"decisions.cut": "The service read 100,000 decisions and looked back to",
	"decisions.goOn": "Look further back",
	"decisions.count": { one: "{n} decision", other: "{n} decisions" },
	"decision.label": "Label:",
	"decision.noLabel": "no label",
	"decision.by.analyst": "by an analyst",
	"decision.by.chargeback": "by a chargeback",
	"decision.case": "Its case",
	"decision.facts": "Request",
	"decision.rules": "Rules",
	"decision.changes": "What would have changed it",
});
