// SPDX-License-Identifier: ISC
// The texts of unpublished changes, and of where a text stands.
import { addText } from "../text.js";

addText({
	"drafts.draft": "unpublished changes",
	"standing.places": "Active, in shadow and proposed",
	"standing.places.policy": "Active and proposed",
	"standing.active": "active as {version}",
	"standing.shadow": "in shadow as {version}",
	"standing.proposal": "proposed as {version}",
	"standing.proposedShadow": "proposed as the shadow {version}",
	"standing.but": "{what}, but for comments and layout",
	"drafts.discard": "Discard changes",
	"drafts.discard.text": "The screen shows the published version again.",
	"drafts.moved": "These are your unpublished changes to {base}, not to " +
	    "{version}. Compare before you publish, or discard them.",
});
