// SPDX-License-Identifier: ISC
// The texts of changes that need a second person.
import { addText } from "../text.js";

addText({
	"change.propose": "Propose the change",
	"change.propose.text": "An admin must approve this change before it takes effect.",
	"change.reason": "Reason",
	"change.label": "{what} (propose)",
	"change.proposed": "The change waits for the approval of an admin.",
	"change.open": "Open",
});
