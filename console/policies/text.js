// SPDX-License-Identifier: ISC
// The texts of policies and their bands.
import { addText } from "../text.js";

addText({
	"policies.lead": "Which verdict a score gets.",
	"policies.type": "Event type",
	"policies.active": "Active version",
	"policies.bands": "Bands",
	"policies.state": "State",
	"policies.onError": "If the score cannot be computed",
	"policies.fail_open": "allow",
	"policies.fail_closed": "deny",
	"policies.change": "Change the policy {id}",
	"policies.simulate": "Try a score",
	"policies.score": "Score",
	"policies.these": "with these bands",
	"policies.now": "active now",
	"policies.histogram": "Scores of the last {n} days; heights grow with the " +
	    "square root of the count.",

	"bands.scale": "Bands over the scores",
	"bands.score": "Score {score}: {n}",
	"bands.edge": "Highest score of {from}, before {to}",
	"bands.verdict": "Verdict",
	"bands.verdict.of": "Verdict for {min} to {max}",
	"bands.from": "From",
	"bands.to": "To",
	"bands.to.of": "Highest score of the band from {min}",
	"bands.queue": "Queue",
	"bands.count": "Decisions",
	"bands.change": "Change",
	"bands.split": "Split the band {min} to {max}",
	"bands.remove": "Remove the band {min} to {max}",
});
