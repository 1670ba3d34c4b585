// SPDX-License-Identifier: ISC
// The texts of analytics.
import { addText } from "../text.js";

addText({
	"analytics.lead": "Counts of all decisions, also of those that retention has " +
	    "removed. Days are UTC days.",
	"analytics.none": "No decisions yet.",
	"analytics.stretch": "Days shown",
	"analytics.lastDays": { one: "{n} day", other: "{n} days" },
	"analytics.days": "Decisions by day (UTC)",
	"analytics.day": "Day",
	"analytics.decisions": "Decisions",
	"analytics.mix": { one: "Verdicts of {n} day: {total} decisions",
	    other: "Verdicts of {n} days: {total} decisions" },
	"analytics.scores": "Scores of all time",
	"analytics.score": "Score from",
	"analytics.tags": "Most frequent tags of all time",
	"analytics.cases": "Resolved cases",
	"analytics.resolved": "Resolved",
	"analytics.outcomes": "Outcomes",
	"analytics.false": "False positives",
	"analytics.false.note": "legit of resolved cases",
	"analytics.labels": "Labelled events",
	"analytics.analyst": "By analysts",
	"analytics.chargeback": "By chargebacks",
});
