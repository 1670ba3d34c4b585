// SPDX-License-Identifier: ISC
// The texts of changes that need a second person.
import { addText } from "../text.js";

addText({
	"change.propose": "Propose the change",
	"change.propose.text": "Nothing changes until an admin other than you " +
	    "approves it.",
	"change.reason": "Reason",
	"change.reason.hint": "The admin who approves or rejects the change reads it.",
	"change.label": "{what} (propose)",
	"change.proposed": "The change is proposed and waits for an approval.",
	"change.open": "Open the proposal",
});
