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
	"impact.flips": "Other verdicts",
	"impact.flips.none": "Every sample keeps its verdict.",
	"impact.examples.none": "No example is kept.",
	"impact.unlabeled": "None of the samples has a label, so nothing says which " +
	    "side is right.",
	"impact.balance": "On {labeled} labelled samples: {fraud} frauds caught, " +
	    "{wrong} false positives.",
	"impact.none": "Nothing has been run yet.",
	"impact.samples": { one: "Other verdicts on {flips} of 1 sample.",
	    other: "Other verdicts on {flips} of the newest {n} samples." },
	"impact.otherScorer": { one: "Another scorer decided {n} of the samples.",
	    other: "Another scorer decided {n} of the samples." },
	"impact.mistakes": "Mend the mistakes first.",
});
