// SPDX-License-Identifier: ISC
// The texts of the home screen.
import { addText } from "../text.js";

addText({
	"home.decisions": "Decisions",
	"home.review": "For review",
	"home.deny": "Denied",
	"home.resolved": "Cases resolved",
	"home.resolved.note": "{fraud} fraud",
	"home.false": "False positives",
	"home.false.note": "legit of resolved cases",
	"home.day": "Day (UTC)",
	"home.days": "Decisions by day (UTC)",
	"home.mix": "Verdicts",
	"home.tags": "Most frequent tags",
	"home.none": "No decision yet",
	"home.none.text": "Send an event to POST /v1/decisions; it appears here " +
	    "within seconds.",
});
