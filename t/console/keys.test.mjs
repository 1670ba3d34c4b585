// SPDX-License-Identifier: ISC
// The keys of commands: sequences, other keys, and keys that are switched off.
import assert from "node:assert/strict";
import test from "node:test";
import commands from "../../console/commands.js";
import { clash, commandFor, isSingle, keyLabel, keyOf, keysOf } from
    "../../console/keys.js";
import { cleaned } from "../../console/prefs.js";

const usual = cleaned(null);
const all = commands.map(([id]) => id);

test("a key press has a name", () => {
	const press = (key, more = {}) => keyOf({ key, ...more });
	assert.equal(press("j"), "j");
	assert.equal(press("X", { shiftKey: true }), "X");
	assert.equal(press("K", { ctrlKey: true }), "Mod+k");
	assert.equal(press("k", { metaKey: true }), "Mod+k");
	assert.equal(press("Enter", { shiftKey: true }), "Shift+Enter");
	assert.equal(press(" "), "Space");
});
test("a sequence begins, and then runs its command", () => {
	assert.deepEqual(commandFor("g", all, usual), { id: null, begins: true });
	assert.equal(commandFor("g h", all, usual).id, "go.home");
	assert.equal(commandFor("ArrowDown", all, usual).id, "list.next");
	assert.deepEqual(commandFor("q", all, usual), { id: null, begins: false });
});
test("a command that this page does not have is not run", () => {
	assert.equal(commandFor("j", ["help"], usual).id, null);
});
test("another key replaces the usual ones", () => {
	const prefs = { ...usual, keys: { "list.next": "n", help: "" } };
	assert.equal(commandFor("n", all, prefs).id, "list.next");
	assert.equal(commandFor("j", all, prefs).id, null);
	assert.deepEqual(keysOf("help", prefs), []);
});
test("without single keys only those with Ctrl and arrows work", () => {
	const prefs = { ...usual, singleKeys: false };
	for (const key of ["j", "?", "g h", "X"])
		assert.equal(isSingle(key), true);
	for (const key of ["Mod+k", "ArrowDown", "Shift+Enter"])
		assert.equal(isSingle(key), false);
	assert.equal(commandFor("j", all, prefs).id, null);
	assert.equal(commandFor("Mod+k", all, prefs).id, "palette");
});
test("no two commands that work together have one key", () => {
	for (const [id, , keys] of commands)
		for (const key of keys)
			assert.equal(clash(id, key, usual), null, `${id} ${key}`);
	assert.equal(clash("help", "j", usual), "list.next");
});
test("a key is shown as it is pressed", () => {
	assert.equal(keyLabel("Mod+k"), "Ctrl+K");
	assert.equal(keyLabel("g h"), "g h");
	assert.equal(keyLabel("ArrowDown"), "↓");
});
test("stored preferences that make no sense are the usual ones", () => {
	assert.deepEqual(cleaned({ theme: "<b>", zone: 3, keys: { help: {} } }),
	    usual);
	assert.deepEqual(cleaned("x"), usual);
	assert.equal(cleaned({ theme: "dark" }).theme, "dark");
});
