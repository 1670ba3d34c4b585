// SPDX-License-Identifier: ISC
// The texts of the audit trail.
import { addText } from "../text.js";

addText({
	"audit.lead": "Every change by an operator, and every change that the service " +
	    "refused. Entries cannot be altered.",
	"audit.actor": "Who",
	"audit.action": "Action",
	"audit.status": "Status",
	"audit.params": "Parameters",
	"audit.filters": "Filters",
	"audit.since": "Since",
	"audit.until": "Until",
	"audit.none": "No entries.",
});
