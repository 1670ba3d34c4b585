// SPDX-License-Identifier: ISC
// The texts of the second factor.
import { addText } from "../text.js";

addText({
	"factor.title": "Second factor",
	"factor.text": "With a second factor you sign in with your password " +
	    "and a code of an authenticator app.",
	"factor.start": "Set up an authenticator app",
	"factor.scan": "Scan this code with an authenticator app.",
	"factor.qr": "QR code for an authenticator app",
	"factor.type": "Or type this key into the app:",
	"factor.key": "the key",
	"factor.open": "Open in the app of this device",
	"factor.enable": "Enable",
	"factor.recovery": "Recovery codes",
	"factor.recovery.text": "The second factor is enabled. Without your app " +
	    "you sign in with one of these codes; each works once. Keep them " +
	    "apart from your password.",
	"factor.state": "State",
	"factor.on": "enabled",
	"factor.since": "Since",
	"factor.left": "Recovery codes left",
	"factor.few": "For ten new recovery codes disable the second factor and " +
	    "set it up again.",
	"factor.disable": "Disable the second factor",
	"factor.disabled": "The second factor is disabled.",
});
