// SPDX-License-Identifier: ISC
// The frame around every screen: the menu, the bar at the top and the messages.
import { html, signal, useLayoutEffect, useRef } from
    "../../third_party/preact/preact.js";
import { waiting } from "../api.js";
import { zoneName } from "../format.js";
import { Icon } from "../icons.js";
import { keyLabel, keysOf } from "../keys.js";
import { prefs } from "../prefs.js";
import { href, route } from "../router.js";
import screens from "../screens.js";
import { allowed, session, signOut } from "../session.js";
import { useSignal } from "../store.js";
import { t } from "../text.js";
import { Button } from "./form.js";
import { openOverlay } from "./overlay.js";
import { switchZone } from "./time.js";

const MENU_GROUPS = ["work", "decide", "measure", "operate"];
const menuOpen = signal(false);

function Item({ screen, current }) {
	const here = screen.id === current.id || screen.id === current.under;
	return html`<li><a href=${href(screen.paths[0])}
		aria-current=${here ? "page" : undefined}
		onClick=${() => { menuOpen.value = false; }}>
		<${Icon} name=${screen.icon} />${t(`nav.${screen.id}`)}</a></li>`;
}

function Menu({ current }) {
	const shown = useSignal(menuOpen);
	const listed = screens.filter((screen) => screen.letter !== null &&
	    allowed(screen));
	return html`<nav class=${`menu ${shown ? "shown" : ""}`} id="menu"
		aria-label=${t("menu")}>
		${MENU_GROUPS.map((group) => {
			const mine = listed.filter((screen) => screen.group === group);
			return mine.length > 0 && html`<section key=${group}>
				<h2>${t(`group.${group}`)}</h2>
				<ul>${mine.map((screen) => html`<${Item} key=${screen.id}
					screen=${screen} current=${current} />`)}</ul>
			</section>`;
		})}
	</nav>`;
}

function Search() {
	const [key] = keysOf("palette");
	return html`<button type="button" class="search" aria-haspopup="dialog"
		onClick=${() => openOverlay("palette")}>
		<${Icon} name="search" size=${14} /><span>${t("search")}</span>
		${key && html`<kbd aria-hidden="true">${keyLabel(key)}</kbd>`}
	</button>`;
}

function Bar() {
	const { zone } = useSignal(prefs);
	const { me } = useSignal(session);
	const shown = useSignal(menuOpen);
	return html`<header class="top">
		<${Button} kind="quiet" icon="menu" label=${t("menu")} class="menu-button"
			aria-expanded=${shown ? "true" : "false"} aria-controls="menu"
			onClick=${() => { menuOpen.value = !shown; }} />
		<a class="brand" href=${href("/")}><span class="mark" aria-hidden="true">
			</span>Assay</a>
		<${Search} />
		<div class="end">
			<${Button} kind="quiet" class="zone" onClick=${switchZone}
				label=${t("zone.switch", { zone: zoneName(zone) })}>
				${zoneName(zone)}</${Button}>
			<a class="button quiet" href=${href("/account")}
				title=${me.email} aria-label=${t("account.of",
				{ email: me.email })}><${Icon} name="user-round" />
				<span class="email">${me.email}</span></a>
			<${Button} kind="quiet" icon="log-out" onClick=${signOut}
				label=${t("identity.signOut")} />
		</div></header>`;
}

// The service asked to wait, in a line above the page.
function Waiting() {
	const seconds = useSignal(waiting);
	return html`<p class=${`waiting ${seconds === null ? "hidden" : ""}`}
		role="status">${seconds === null ? "" :
		    t("waiting", { n: seconds })}</p>`;
}

// Shell: current is the row of screens.js that is open.  After a change of the
// address the focus is on the new page, before it is seen: a key that is pressed then
// must not be lost.
export function Shell({ current, children }) {
	const main = useRef(null);
	const { path } = useSignal(route);
	useLayoutEffect(() => {
		menuOpen.value = false;
		if (main.current.dataset.path !== undefined) {
			main.current.focus({ preventScroll: true });
			scrollTo(0, 0);
		}
		main.current.dataset.path = path;
	}, [path]);
	function skip(event) {
		event.preventDefault();
		main.current.focus();
	}
	return html`<div class="shell">
		<a class="skip" href="#main" onClick=${skip}>${t("skip")}</a>
		<${Bar} />
		<${Menu} current=${current} />
		<main id="main" tabindex="-1" ref=${main}><${Waiting} />${children}</main>
	</div>`;
}
