// SPDX-License-Identifier: ISC
// The texts of the rules and their editor.
import { addText } from "../text.js";

addText({
	"rules.lead": "What adds points to the score of an event.",
	"rules.type": "Event type",
	"rules.active": "Active version",
	"rules.count": "Rules",
	"rules.tags": "Tags",
	"rules.state": "State",
	"rules.shadow": "shadow {version}",
	"rules.editor": "Editor",
	"rules.text": "Rules of {type}",
	"rules.change": "Change the rules of {type}",
	"rules.checked": { one: "{n} rule without a mistake.",
	    other: "{n} rules without a mistake." },
	"rules.unchecked": "Not checked: {why}",
	"rules.tested": { one: "{n} test passes.", other: "{n} tests pass." },
	"rules.keys": "Ctrl+Space completes, F8 goes to the next mistake, Esc and " +
	    "then Tab leaves the editor.",
	"rules.signals": "Signals",
	"rules.signals.find": "Find a signal",
	"rules.signals.more": { one: "and {n} more", other: "and {n} more" },
	"rules.signals.none": "No signal matches.",
	"rules.signal.from": "from {min}",
	"rules.signal.range": "{min} to {max}",
	"rules.attribute": "attribute of recent events",
	"rules.type.number": "number",
	"rules.type.text": "text",
	"rules.type.boolean": "true or false",
});
