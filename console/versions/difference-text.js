// SPDX-License-Identifier: ISC
// The texts of differences.
import { addText } from "../text.js";

addText({
	"difference.none": "No difference.",
	"difference.count.out": { one: "{n} line removed", other: "{n} lines removed" },
	"difference.count.in": { one: "{n} line added", other: "{n} lines added" },
	"difference.whole": "Show all lines",
	"difference.fold": "Show only changes",
	"difference.gap": { one: "{n} line as before",
	    other: "{n} lines as before" },
	"difference.same": "as before",
	"difference.out": "removed",
	"difference.in": "added",
	"difference.before": "Line before",
	"difference.after": "Line after",
	"difference.change": "Change",
	"difference.text": "Text",
});
