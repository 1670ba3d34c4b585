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
	"setting.decisionsPerMin": "Decision requests per key",
	"setting.loginPerMin": "Logins per client address",
	"setting.anomalyZScore": "Standard deviations",
	"setting.verdicts": "Verdicts (days)",
	"setting.activity": "Requests (days)",
	"setting.replay": "Samples (days)",
	"setting.idempotency": "Idempotency keys (days)",
	"setting.deadLetter": "Dead letters (days)",
});
