// SPDX-License-Identifier: ISC
// What will be true after an act, and what it touches.
import { addText } from "./text.js";

addText({
	"act.operator.new.analyst": "Add an analyst",
	"act.operator.new.analyst.text": "{email} can sign in with this password, work " +
	    "on cases, propose list entries and read everything but the administration.",
	"act.operator.new.author": "Add an author",
	"act.operator.new.author.text": "{email} can sign in with this password, work " +
	    "on cases, try rules and propose all changes.",
	"act.operator.new.admin": "Add an admin",
	"act.operator.new.admin.text": "{email} can sign in with this password and do " +
	    "everything: change rules and lists, add admins, and erase data.",
	"act.operator.role.analyst": "Make an analyst",
	"act.operator.role.analyst.text": "{email} will be an analyst: may work on " +
	    "cases, propose list entries and read everything but the administration, and " +
	    "nothing more.",
	"act.operator.role.author": "Make an author",
	"act.operator.role.author.text": "{email} will be an author: may work on " +
	    "cases, try rules and propose all changes, and nothing more.",
	"act.operator.role.admin": "Make an admin",
	"act.operator.role.admin.text": "{email} will be an admin: may do everything, " +
	    "change rules and lists, add and disable operators, and erase data.",
	"act.operator.disabled.true": "Disable",
	"act.operator.disabled.true.text": "All sessions of {email} end, and {email} " +
	    "cannot sign in. Cases that {email} has taken stay taken.",
	"act.operator.disabled.false": "Enable",
	"act.operator.disabled.false.text": "{email} can sign in again, with the same " +
	    "role and password.",
	"act.operator.endSessions.true": "End sessions",
	"act.operator.endSessions.true.text": "All sessions of {email} end, in " +
	    "browsers and of assayctl. {email} can sign in again.",
	"act.operator.resetSecondFactor.true": "Remove second factor",
	"act.operator.resetSecondFactor.true.text": "All sessions of {email} end, and " +
	    "the password alone signs {email} in. Make sure that it is {email} who " +
	    "asks for it.",
	"act.operator.password": "Set the password",
	"act.operator.password.text": "All sessions of {email} end. {email} can sign in " +
	    "with this password only, and must replace it then.",
	"act.admins": "Admins afterwards",
	"act.key.create": "Create the key",
	"act.key.create.text": "A program that has the key {name} can send these requests.",
	"act.key.revoke": "Revoke the key",
	"act.key.revoke.text": "The service refuses the key {name} from now on. Services " +
	    "that use it get no decisions. This cannot be undone.",
	"act.scopes": "May send",
	"act.days": "Days until it ends",
	"act.days.none": "no end",
	"act.prefix": "Begins with",
	"act.by": "Created by",
	"act.receiver.revoke": "Revoke",
	"act.receiver.revoke.text": "{url} gets nothing more, and what is pending for it " +
	    "is dropped. This cannot be undone.",
	"act.pending": "Pending deliveries that are dropped",
	"act.receiver.redrive": "Retry all",
	"act.receiver.redrive.text": "Every dead letter is sent again now. Those to " +
	    "revoked receivers are dropped.",
	"act.dead": "Dead letters",
	"act.least": "{n} or more",
	"act.untold": "How much it touches is not known. {why}",
	"act.unknown": "too many to count",
	"act.retention.shorten": "Keep data for fewer days",
	"act.retention.shorten.text": "The next sweep removes what is older than the new " +
	    "windows. What it removes cannot be brought back.",
	"act.retention.run": "Run a sweep",
	"act.retention.run.text": "The sweep removes everything that is older than the " +
	    "windows. What it removes cannot be brought back.",
	"act.rows": { one: "{kept}: {n} row from before {day}",
	    other: "{kept}: {n} rows from before {day}" },
	"act.rows.about": { one: "{kept}: about {n} row from before {day}",
	    other: "{kept}: about {n} rows from before {day}" },
	"act.rows.none": "Nothing is older now: the next sweep removes nothing.",
	"act.rows.verdicts": "Verdicts",
	"act.rows.activity": "Requests",
	"act.rows.replay": "Samples",
	"act.rows.idempotency": "Idempotency keys",
	"act.rows.deadLetter": "Dead letters",
	"act.kept": { one: "kept for {n} day", other: "kept for {n} days" },
	"act.erase": "Erase the user",
	"act.erase.text": "What is stored of the user {userId} is removed. Verdicts, " +
	    "labels and list entries stay. This cannot be undone.",
	"act.stored.decisions": "Requests and samples",
	"act.stored.cases": "Cases that lose their amount and notes",
	"act.stored.links": "Links to devices, addresses and phones",
	"act.stored.events": "Events that wait, and dead letters",
	"act.stored.views": "Saved views",
	"act.stored.exceptions": "Exceptions",
	"act.stored.baseline": "Spending baseline",
	"act.stored.listEntries": "List entries, which stay",
	"act.stored.none": "Nothing is stored of this user.",
	"act.yes": "yes",
	"act.entry.remove": "Remove the entry",
	"act.entry.remove.text": "The next decision does not see the entry {kind} " +
	    "{subject} {value} any more.",
	"act.entry.drop": "Remove the entry",
	"act.entry.drop.text": "The next decision does not see the entry any more.",
	"act.view.delete": "Delete the view",
	"act.view.delete.text": "The view {name} is gone. This cannot be undone.",
	"act.view.delete.shared": "Delete the view of all",
	"act.view.delete.shared.text": "The view {name} is gone, for all operators. " +
	    "This cannot be undone.",
});
