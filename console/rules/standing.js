// SPDX-License-Identifier: ISC
// The texts of rules: their canonical form, and what stays a draft.

// canonicalOf(version): as POST /v1/rules/check prints it; the text as it is if no
// release of today compiles it.
export function canonicalOf({ rules, tests, text }) {
	return rules === null ? text :
	    [...rules, ...tests].map(({ dsl }) => `${dsl}\n`).join("");
}

// remaining(draft, value, version, same): what stays a draft, or null, after a version
// with this value is published: what was written meanwhile, as a change to it.
export function remaining(draft, value, version, same) {
	return draft === undefined || same(draft.value, value) ? null :
	    { value: draft.value, base: version };
}
