// SPDX-License-Identifier: ISC
// The texts of analytics.
import { addText } from "../text.js";

addText({
	"analytics.lead": "Includes decisions that retention has removed. Days " +
	    "are UTC days.",
	"analytics.none": "No decisions in these days.",
	"analytics.stretch": "Days",
	"analytics.lastDays": { one: "{n} day", other: "{n} days" },
	"analytics.days": "Decisions by day (UTC)",
	"analytics.day": "Day",
	"analytics.decisions": "Decisions",
	"analytics.mix": "Verdicts of these days",
	"analytics.type": "Event type",
	"analytics.filters": "Filters",
	"analytics.queue": "Queue of cases",
	"analytics.since": "From",
	"analytics.until": "To",
	"analytics.work": "Work of analysts",
	"analytics.work.none": "No case was resolved in these days.",
	"analytics.handling": { one: "{n} case: half within {median}, nine in ten " +
	    "within {p90}", other: "{n} cases: half within {median}, nine in ten " +
	    "within {p90}" },
	"analytics.who": "Analyst",
	"analytics.median": "Median time",
	"analytics.scores": "Scores",
	"analytics.score": "Score from",
	"analytics.tags": "Most frequent tags",
	"analytics.cases": "Resolved cases of all time",
	"analytics.resolved": "Resolved",
	"analytics.outcomes": "Outcomes",
	"analytics.false": "False positives",
	"analytics.false.note": "share of legit among cases resolved as fraud or legit",
	"analytics.labels": "Labelled events of all time",
	"analytics.analyst": "By analysts",
	"analytics.chargeback": "By chargebacks",
});
