// SPDX-License-Identifier: ISC
// The texts of the home screen.
import { addText } from "../text.js";

addText({
	"home.looks": "Looking for what needs attention…",
	"home.quiet": "Nothing needs attention.",
	"home.part.status": "State of the service",
	"home.down": "The database cannot be reached. Events get the verdict " +
	    "that their policy has for errors.",
	"home.degraded": {
		one: "Decisions are degraded: {n} of them waits to be stored.",
		other: "Decisions are degraded: {n} of them wait to be stored.",
	},
	"home.refused": "The service refuses the newest model and uses another one.",
	"home.dead": { one: "{n} delivery failed at every attempt.",
	    other: "{n} deliveries failed at every attempt." },
	"home.outbox": { one: "{n} event waits for delivery for {age}.",
	    other: "{n} events wait for delivery, the oldest for {age}." },
	"home.lag": "The figures are {age} old. Check that the companion " +
	    "(assay-cron) runs.",
	"home.drift": "Score drift (PSI) in {types}.",
	"home.proposals": { one: "{n} proposal waits for a second person.",
	    other: "{n} proposals wait for a second person." },
	"home.proposals.most": "{n} or more proposals wait for a second person.",
	"home.cases": "Cases",
	"home.queue": "Queue",
	"home.open": "Open",
	"home.oldest": "Oldest",
	"home.assigned": "Assigned",
	"home.late": "Late",
	"home.mine": { one: "{n} is yours", other: "{n} are yours" },
	"home.work": "Open the queue",
	"home.next": "Next case",
	"home.idle": "No case waits.",
	"home.newest": "Decided {day}",
	"home.usual": "{n} a day in the week before",
	"home.decisions": "Decided in total",
	"home.review": "For review",
	"home.deny": "Denied",
	"home.resolved": "Cases resolved",
	"home.resolved.note": "{fraud} fraud",
	"home.false": "False positives",
	"home.false.note": "share of legit among cases resolved as fraud or legit",
	"home.days": "Decisions by day (UTC)",
	"home.mix": "Verdicts",
	"home.tags": "Most frequent tags",
	"home.none": "No decision yet",
	"home.none.text": "Send an event to POST /v1/decisions; it appears here " +
	    "within seconds.",
});
