// SPDX-License-Identifier: ISC
// The texts of secrets that are shown once.
import { addText } from "../text.js";

addText({
	"secret.copy": "Copy",
	"secret.close": "Close",
	"secret.once": "The service cannot show it again.",
	"secret.stored": "I have stored it.",
});
