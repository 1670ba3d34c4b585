// SPDX-License-Identifier: ISC
// The texts of the quality of rules.
import { addText } from "../text.js";

addText({
	"quality.lead": "How often each rule fires, and how often it is right.",
	"quality.type": "Event type",
	"quality.days": "Days",
	"quality.last": { one: "Last day", other: "Last {n} days" },
	"quality.rule": "Rule",
	"quality.tag": "Tag",
	"quality.points": "Points",
	"quality.fired": "Fired",
	"quality.never": "Never fired",
	"quality.labels": "Fraud",
	"quality.of": "of {n}",
	"quality.precision": "Precision, 95 % interval",
	"quality.interval": "{low} to {high}",
	"quality.unlabeled": "no labels",
	"quality.few": "Too few labels",
	"quality.few.note": "rules with fewer than {n}",
	"quality.money": "Fraud amount",
	"quality.decisions": "Newest samples",
	"quality.since": "since",
	"quality.rules": "Rules",
	"quality.rules.none": "There are no rules.",
	"quality.overlap": "Rules that fire together",
	"quality.with": "With",
	"quality.both": "Both fired",
	"quality.overlap.share": "Share of the rarer one",
	"quality.none": "These days have no sample of this type.",
});
