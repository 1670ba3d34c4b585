// SPDX-License-Identifier: ISC
// The texts of releases: what changes what decides, and differences.
import { addText } from "../text.js";

addText({
	"release.choice": "What to do",
	"release.forbidden": "Your role may not change this. An author can propose " +
	    "it, an admin can approve it.",
	"release.version": "Version",
	"release.version.hint": "Up to 64 letters, digits and ._@+-",
	"release.version.bad": "A version has 1 to 64 letters, digits and ._@+-",
	"release.difference": "Against what is active",
	"release.publish": "Publish",
	"release.shadow": "Start as a shadow",
	"release.rollback": "Roll back",
	"release.promote": "Promote",
	"release.rollout": "Roll out",
	"release.end": "End the shadow",
	"release.several.publish": "Publish or propose…",
	"release.several.rollback": "Roll back or propose…",
	"release.several.promote": "Promote or propose…",
	"release.several.rollout": "Roll out or propose…",
	"release.several.publish.shadow": "Publish, propose or try as a shadow…",
	"release.several.propose.publish.shadow": "Propose or try as a shadow…",
	"release.propose.publish": "Propose",
	"release.propose.shadow": "Propose as a shadow",
	"release.propose.rollback": "Propose the rollback",
	"release.propose.promote": "Propose the promotion",
	"release.propose.rollout": "Propose the rollout",
	"release.about.publish": "Decides from now on, for every event of this type.",
	"release.about.shadow": "Scores the same events beside the active rules and " +
	    "decides nothing. It replaces the shadow of this type.",
	"release.about.rollback": "This version decides from now on. Nothing is " +
	    "deleted.",
	"release.about.promote": "The shadow decides from now on.",
	"release.about.rollout": "The shadow decides for these users from now on, always " +
	    "the same ones. It ends by itself if its denials or reviews differ too much.",
	"release.about.end": "The shadow stops. Its results stay in the list.",
	"release.done.publish": "{version} is active.",
	"release.done.shadow": "{version} runs as a shadow.",
	"release.done.shadow.see": "See the shadow",
	"release.done.rollback": "The version is active.",
	"release.done.promote": "The shadow decides now.",
	"release.done.rollout": "The percentage has changed.",
	"release.done.end": "The shadow has ended.",
});
