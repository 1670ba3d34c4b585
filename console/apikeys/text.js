// SPDX-License-Identifier: ISC
// The texts of service keys.
import { addText } from "../text.js";

addText({
	"apikeys.lead": "A service sends its key with every event and label.",
	"apikeys.add": "Create a key",
	"apikeys.create": "Create",
	"apikeys.name": "Name",
	"apikeys.name.hint": "Which service uses it.",
	"apikeys.prefix": "Begins with",
	"apikeys.scopes": "May send",
	"apikeys.scope.decisions": "events to decide",
	"apikeys.scope.labels": "labels (chargebacks)",
	"apikeys.state": "State",
	"apikeys.active": "active",
	"apikeys.expired": "expired",
	"apikeys.revoked": "revoked",
	"apikeys.expires": "Expires",
	"apikeys.never": "never",
	"apikeys.days": { one: "in {n} day", other: "in {n} days" },
	"apikeys.by": "Created by",
	"apikeys.age": "Age",
	"apikeys.id": "Id",
	"apikeys.actions": "Actions",
	"apikeys.none": "No keys. A service needs one to send events.",
	"apikeys.key": "Key of {name}",
	"apikeys.key.text": "The service sends it in the header X-API-Key.",
	"apikeys.revoke": "Revoke",
	"apikeys.revoked.done": "The key {name} is refused from now on.",
});
