// SPDX-License-Identifier: ISC
// The texts of settings.
import { addText } from "../text.js";

addText({
	"settings.lead": "Changes take effect on every host within 10 seconds.",
	"settings.rates": "Rate limits",
	"settings.rates.text": "Per UTC minute; the used part of the current minute " +
	    "still counts.",
	"settings.alerts": "Anomaly alerts",
	"settings.alerts.text": "An amount this far above the user's usual amounts is an " +
	    "anomaly.",
	"settings.here": "Set here.",
	"settings.remove": "Use the environment's value",
	"settings.removed": "The environment's value will apply.",
	"settings.environment": "From the environment.",
	"settings.number": "Type a number.",
	"settings.save": "Save",
	"settings.saved": "The settings are in effect.",
	"targets.title": "Target times of queues",
	"targets.queue": "Queue",
	"targets.queue.hint": "The name of a queue, as policies have it.",
	"targets.target": "Target",
	"targets.value": { one: "{n} minute", other: "{n} minutes" },
	"targets.none": "none",
	"targets.late": "Late cases",
	"targets.actions": "Actions",
	"targets.add": "Add a target",
	"targets.of": "Target time of {queue}",
	"targets.minutes": "Minutes until a case should be resolved",
	"targets.minutes.hint": "Empty for no target.",
	"targets.minutes.bad": "Type whole minutes, from 1 to {most}.",
	"targets.saved": "The target time of {queue} is in effect.",
	"targets.empty": "No queue has a case or a target.",
	"setting.decisionsPerMin": "Decision requests per key",
	"setting.loginPerMin": "Sign-ins per client address",
	"setting.anomalyZScore": "Standard deviations",
	"setting.verdicts": "Verdicts (days)",
	"setting.activity": "Requests (days)",
	"setting.replay": "Samples (days)",
	"setting.idempotency": "Idempotency keys (days)",
	"setting.deadLetter": "Dead letters (days)",
});
