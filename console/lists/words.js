// SPDX-License-Identifier: ISC
// The closed sets of list entries, as the API spells them.
import { t } from "../text.js";
import "./text.js";

export const LIST_KINDS = ["block", "allow", "watch"];
export const KIND_TONES = { block: "bad", allow: "good", watch: "warn" };
export const SUBJECTS = ["user", "device", "fingerprint", "ip", "phone", "bin",
    "country"];

// choices("kind", LIST_KINDS): the options of a Select, [value, text].
export function choices(set, values) {
	return values.map((value) => [value, t(`${set}.${value}`)]);
}
