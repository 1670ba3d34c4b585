// SPDX-License-Identifier: ISC
// Every key command of the console: where it works, its key and its name in the
// texts ("key.ID").  A screen says what a command does with useKeys() of keys.js.
//
//	id, scope, keys
//
// scope: "all" works everywhere; "go" opens a screen; any other word names the
// screens that have it, in the order of the help.  keys: "g c" is g, then c;
// "Mod" is Ctrl, on a Mac Cmd.  Some have two keys; the first one is shown.
// screens.js gives each screen its "go" command.
import screens from "./screens.js";

export default [
	["help", "all", ["?"]],
	["search", "all", ["/"]],
	["palette", "all", ["Mod+k"]],
	["zone", "all", ["U"]],
	["back", "all", ["u"]],
	["undo", "all", ["Z"]],
	...screens.filter(({ letter }) => letter !== null).map(({ id, letter }) =>
	    [`go.${id}`, "go", [`g ${letter}`]]),
	["list.next", "list", ["j", "ArrowDown"]],
	["list.previous", "list", ["k", "ArrowUp"]],
	["list.open", "list", ["o"]],
	["list.select", "list", ["x"]],
	["list.range", "list", ["X"]],
	["list.more", "list", ["m"]],
	["case.next", "case", ["n"]],
	["case.take", "case", ["a"]],
	["case.release", "case", ["r"]],
	["case.fraud", "case", ["1"]],
	["case.legit", "case", ["2"]],
	["case.inconclusive", "case", ["3"]],
	["case.previous", "case", ["["]],
	["case.following", "case", ["]"]],
	["case.note", "case", ["c"]],
	["case.why", "case", ["e"]],
	["case.links", "case", ["v"]],
	["case.block", "case", ["b"]],
	["case.watch", "case", ["w"]],
	["case.handOver", "case", ["h"]],
	["case.snooze", "case", ["z"]],
	["case.reopen", "case", ["R"]],
	["case.copy", "case", ["y"]],
	["decisions.live", "decisions", ["l"]],
	["decisions.reload", "decisions", ["r"]],
	["decision.copy", "decisions", ["y"]],
	["rules.edit", "rules", ["e"]],
	["rules.impact", "rules", ["Mod+Enter"]],
	["rules.submit", "rules", ["Mod+s"]],
	["rules.rollback", "rules", ["R"]],
	["shadow.rollout", "shadow", ["O"]],
	["shadow.promote", "shadow", ["P"]],
	["shadow.end", "shadow", ["E"]],
	["proposal.approve", "proposal", ["A"]],
	["proposal.reject", "proposal", ["R"]],
	["proposal.withdraw", "proposal", ["W"]],
];
