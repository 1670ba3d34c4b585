// SPDX-License-Identifier: ISC
// The texts of a list of mistakes.
import { addText } from "../text.js";

addText({
	"mistakes": "Mistakes and warnings",
	"mistakes.at": "{line}:{column}",
	"mistakes.more": { one: "and {n} more", other: "and {n} more" },
});
