// SPDX-License-Identifier: ISC
// The texts of impacts and backtests.
import { addText } from "../text.js";

addText({
	"impact.title": "Impact",
	"impact.run": "Run",
	"impact.live": "Run while I type",
	"impact.verdict": "Verdict",
	"impact.before": "Active",
	"impact.after": "Candidate",
	"impact.then": "Recorded",
	"impact.change": "Change",
	"impact.to": "becomes",
	"impact.mix": "Verdicts of the samples",
	"impact.flips": "Changed verdicts",
	"impact.flips.none": "Every sample keeps the verdict of the active version.",
	"impact.pairs": "Changed verdicts by pair",
	"impact.pair": "{from} becomes {to}",
	"impact.event": "Event",
	"impact.events": "Events",
	"impact.user": "User",
	"impact.amount": "Amount",
	"impact.money": "Amounts",
	"impact.label": "Label",
	"impact.fraud": "Fraud",
	"impact.legit": "Legit",
	"impact.show": "Show",
	"impact.show.all": "all changes",
	"impact.shown": "{n} of {of}",
	"impact.loading": "The service decides the samples again.",
	"impact.again": "Each further page decides the samples again.",
	"impact.kept": "A kept result has only the newest {n}, without users and amounts.",
	"impact.unlabeled": "No sample has a label yet, so it is not known " +
	    "which verdicts are right.",
	"impact.balance": {
		one: "On {n} labelled sample: frauds caught {fraud}, " +
		    "false positives {wrong}.",
		other: "On {n} labelled samples: frauds caught {fraud}, " +
		    "false positives {wrong}.",
	},
	"impact.none": "Nothing has been run yet.",
	"impact.rules": {
		one: "Other verdicts than the active rules on {flips} of {n} sample.",
		other: "Other verdicts than the active rules on {flips} of the " +
		    "newest {n} samples.",
	},
	"impact.bands": {
		one: "Other verdicts than the active bands on {flips} of {n} sample.",
		other: "Other verdicts than the active bands on {flips} of the " +
		    "newest {n} samples.",
	},
	"impact.recorded": {
		one: "Other verdicts than were recorded, by the version of then, " +
		    "on {flips} of it.",
		other: "Other verdicts than were recorded, by the versions of then, " +
		    "on {flips} of them.",
	},
	"impact.velocity": "Samples by their value of velocity.{name}: " +
	    "recorded {recorded}, computed {computed}, unknown {unknown}.",
	"impact.otherScorer": { one: "Another scorer decided {n} of the samples.",
	    other: "Another scorer decided {n} of the samples." },
	"impact.mistakes": "Correct the mistakes first.",
});
