// SPDX-License-Identifier: ISC
// The texts of the second factor.
import { addText } from "../text.js";

addText({
	"factor.title": "Second factor",
	"factor.none": "You sign in with your password only. With a second factor, " +
	    "a stolen password is not enough.",
	"factor.begin": "Set up an authenticator app",
	"factor.scan": "Scan this code with an authenticator app, or type the key " +
	    "into it. Then enter the code that it shows.",
	"factor.qr": "QR code for an authenticator app",
	"factor.secret": "Key",
	"factor.enable": "Enable",
	"factor.codes": "Recovery codes",
	"factor.codes.text": "Keep these recovery codes where only you find them. " +
	    "Each one replaces a code once. They are not shown again.",
	"factor.codes.done": "I have kept them",
	"factor.since": "Enabled",
	"factor.left": "Recovery codes left",
	"factor.remove": "Remove the second factor",
});
