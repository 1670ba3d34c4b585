// SPDX-License-Identifier: ISC
// Icons, drawn as inline SVG.
import { html } from "../third_party/preact/preact.js";
import paths from "../third_party/lucide/icons.js";

// Icon name: one of third_party/lucide.  It is decoration; what it means must
// also be in words.
export function Icon({ name, size = 16 }) {
	return html`<svg class="icon" width=${size} height=${size}
		viewBox="0 0 24 24" aria-hidden="true" focusable="false">
		<path d=${paths[name]} /></svg>`;
}
