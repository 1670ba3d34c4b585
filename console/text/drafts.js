// SPDX-License-Identifier: ISC
// The texts of unpublished changes.
import { addText } from "../text.js";

addText({
	"drafts.draft": "unpublished changes",
	"drafts.discard": "Discard changes",
	"drafts.discard.text": "The screen shows the published version again.",
	"drafts.moved": "These are your unpublished changes to {base}, not to " +
	    "{version}. Compare before you publish, or discard them.",
});
