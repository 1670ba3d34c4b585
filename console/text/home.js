// SPDX-License-Identifier: ISC
// The texts of the home screen.
import { addText } from "../text.js";

addText({
	"home.down": "The database cannot be reached. Decisions come from the " +
	    "policies' answer for errors.",
	"home.degraded": {
		one: "Decisions are degraded: {n} of them waits to be stored.",
		other: "Decisions are degraded: {n} of them wait to be stored.",
	},
	"home.refused": "The service refuses the newest model and uses another one.",
	"home.dead": { one: "{n} delivery failed for the last time.",
	    other: "{n} deliveries failed for the last time." },
	"home.outbox": { one: "{n} event waits for delivery for {age}.",
	    other: "{n} events wait for delivery, the oldest for {age}." },
	"home.lag": "The figures are {age} old. Does the companion run?",
	"home.drift": "Scores have shifted (index of stability): {types}.",
	"home.proposals": { one: "{n} proposal waits for a second person.",
	    other: "{n} proposals wait for a second person." },
	"home.cases": "Cases",
	"home.queue": "Queue",
	"home.open": "Open",
	"home.oldest": "Oldest",
	"home.assigned": "Assigned",
	"home.late": "Late",
	"home.mine": { one: "{n} is yours", other: "{n} are yours" },
	"home.work": "Work on cases",
	"home.idle": "No case waits.",
	"home.newest": "On {day}",
	"home.usual": "{n} a day in the week before",
	"home.ever": "in total",
	"home.decisions": "Decisions",
	"home.review": "For review",
	"home.deny": "Denied",
	"home.resolved": "Cases resolved",
	"home.resolved.note": "{fraud} fraud",
	"home.false": "False positives",
	"home.false.note": "legit of resolved cases",
	"home.days": "Decisions by day (UTC)",
	"home.mix": "Verdicts",
	"home.tags": "Most frequent tags",
	"home.none": "No decision yet",
	"home.none.text": "Send an event to POST /v1/decisions; it appears here " +
	    "within seconds.",
});
