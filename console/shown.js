// SPDX-License-Identifier: ISC
// Preact gives this module each text before the page shows it.  Callers choose ids,
// tags and names, and an id with hidden characters could look like another id.  What
// the operator copies, sends or types into a field stays as it is.
import { options } from "../third_party/preact/preact.js";
import { coded } from "./text.js";

// Attributes that people see or hear.
const SHOWN = ["title", "aria-label", "placeholder"];

// The app calls this once.  Preact makes a node without a type of each text.
export function followTexts() {
	options.vnode = (node) => {
		const { type, props } = node;
		if (type === null && typeof props === "string")
			node.props = coded(props);
		else if (typeof type === "string")
			for (const name of SHOWN)
				if (typeof props[name] === "string")
					props[name] = coded(props[name]);
	};
}
