// SPDX-License-Identifier: ISC
// The texts of impacts and backtests.
import { addText } from "../text.js";

addText({
	"impact.title": "Impact",
	"impact.run": "Run",
	"impact.live": "Run while I type",
	"impact.verdict": "Verdict",
	"impact.before": "Recorded",
	"impact.after": "Candidate",
	"impact.change": "Change",
	"impact.to": "becomes",
	"impact.mix": "Verdicts of the samples",
	"impact.flips": "Changed verdicts",
	"impact.flips.none": "Every sample keeps its verdict.",
	"impact.examples.none": "No example is kept.",
	"impact.unlabeled": "No sample has a label yet, so it is not known " +
	    "which verdicts are right.",
	"impact.balance": {
		one: "On {n} labelled sample: frauds caught {fraud}, " +
		    "false positives {wrong}.",
		other: "On {n} labelled samples: frauds caught {fraud}, " +
		    "false positives {wrong}.",
	},
	"impact.none": "Nothing has been run yet.",
	"impact.samples": { one: "{flips} of {n} sample would get another verdict.",
	    other: "{flips} of the newest {n} samples would get another verdict." },
	"impact.otherScorer": { one: "Another scorer decided {n} of the samples.",
	    other: "Another scorer decided {n} of the samples." },
	"impact.mistakes": "Correct the mistakes first.",
});
