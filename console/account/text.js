// SPDX-License-Identifier: ISC
// The texts of the account.
import { addText } from "../text.js";

addText({
	"account.me": "You",
	"account.role": "Role",
	"account.since": "Password entered",
	"account.until": "Session ends without activity",
	"account.everywhere": "Sign out everywhere",
	"account.everywhere.text": "All your sessions end: this one, those of other " +
	    "browsers, and those of assayctl.",
	"account.appearance": "Appearance",
	"account.theme": "Colours",
	"account.theme.auto": "As the system",
	"account.theme.light": "Light",
	"account.theme.dark": "Dark",
	"account.zone": "Times",
	"account.zone.utc": "UTC",
	"account.zone.local": "Local time",
	"account.password": "Password",
	"account.password.done": "Your password is changed. All other sessions of " +
	    "yours have ended.",
	"account.keys": "Keys",
	"account.keys.single": "Use keys without Ctrl",
	"account.keys.single.hint": "Switch this off if you speak to the " +
	    "computer or press keys by accident.",
	"account.keys.set": "Change",
	"account.keys.press": "Press a key…",
	"account.keys.change": "Change the key of: {name}",
	"account.keys.off": "Switch off the key of: {name}",
	"account.keys.reset": "Use the usual keys",
	"account.keys.clash": "{key} is already the key of: {name}. Choose " +
	    "another one.",
	"account.stored": "This browser stores the colours, the time zone and the " +
	    "keys, and nothing about people or events.",
});
