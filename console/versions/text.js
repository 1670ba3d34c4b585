// SPDX-License-Identifier: ISC
// The texts of versions of rulesets and policies.
import { addText } from "../text.js";

addText({
	"versions.all": "Versions",
	"versions.of": "{id} {version}",
	"versions.none": "There is no version.",
	"versions.version": "Version",
	"versions.state": "State",
	"versions.active": "active",
	"versions.shadow": "shadow",
	"versions.at": "Published",
	"versions.author": "By",
	"versions.unknown": "not known",
	"versions.rules": "Rules",
	"versions.edit": "Open in the editor",
	"versions.compare": "Compared with another version",
	"versions.against": "Before",
	"versions.is.active": "{version} (active)",
	"versions.form": "Form",
	"versions.form.canonical": "Canonical",
	"versions.form.written": "As written",
	"versions.rollback": "Roll back to {version}",
});
