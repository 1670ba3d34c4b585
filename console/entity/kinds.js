// SPDX-License-Identifier: ISC
// The kinds of entities of the graph, as the API spells them.
export const KINDS = ["user", "device", "ip", "phone"];
