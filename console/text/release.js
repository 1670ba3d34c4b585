// SPDX-License-Identifier: ISC
// The texts of releases: what changes what decides, and differences.
import { addText } from "../text.js";

addText({
	"release.way": "What to do",
	"release.forbidden": "Your role may not change this. An author can propose " +
	    "it, an admin can approve it.",
	"release.version": "Version",
	"release.version.hint": "Up to 64 letters, digits and ._@+-",
	"release.version.bad": "A version has 1 to 64 letters, digits and ._@+-",
	"release.reason": "Reason",
	"release.reason.hint": "The admin who decides reads it.",
	"release.difference": "Against what is active",
	"release.open": "Open the proposal",
	"release.publish": "Publish",
	"release.shadow": "Start as a shadow",
	"release.rollback": "Roll back",
	"release.promote": "Promote",
	"release.end": "End the shadow",
	"release.propose.publish": "Propose",
	"release.propose.rollback": "Propose the rollback",
	"release.propose.promote": "Propose the promotion",
	"release.about.publish": "Decides from now on, for every event of this type.",
	"release.about.shadow": "Scores the same events beside the active rules and " +
	    "decides nothing. It replaces the shadow of this type.",
	"release.about.rollback": "This version decides from now on. Nothing is " +
	    "deleted.",
	"release.about.promote": "The shadow decides from now on.",
	"release.about.end": "The shadow stops. Its results stay in the list.",
	"release.about.propose.publish": "Nothing changes until an admin other than " +
	    "you approves it.",
	"release.about.propose.rollback": "Nothing changes until an admin other " +
	    "than you approves it.",
	"release.about.propose.promote": "Nothing changes until an admin other than " +
	    "you approves it.",
	"release.done.publish": "{version} is active.",
	"release.done.shadow": "{version} runs as a shadow.",
	"release.done.rollback": "The version is active.",
	"release.done.promote": "The shadow decides now.",
	"release.done.end": "The shadow has ended.",
	"release.done.propose.publish": "{version} waits for an approval.",
	"release.done.propose.rollback": "The rollback waits for an approval.",
	"release.done.propose.promote": "The promotion waits for an approval.",
});
