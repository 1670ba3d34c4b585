// SPDX-License-Identifier: ISC
// The texts of the buttons between pages.
import { addText } from "../text.js";

addText({
	"pages.newer": "Newer",
	"pages.older": "Older",
});
