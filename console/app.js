// SPDX-License-Identifier: ISC
// The console: shows the screen of the address, or asks who the operator is.
import { html, render, useEffect, useErrorBoundary, useLayoutEffect } from
    "../third_party/preact/preact.js";
import { followHold } from "./hold.js";
import { followKeys, useKeys } from "./keys.js";
import { followPrefs, prefs } from "./prefs.js";
import { followHandles } from "./foreign-handles.js";
import { followAddress, go, href, match, route } from "./router.js";
import screens from "./screens.js";
import { allowed, followSession, session, start } from "./session.js";
import { followTexts } from "./shown.js";
import { effect, followVisibility, useSignal } from "./store.js";
import { t } from "./text.js";
import "./ui/text.js";
import { SignIn } from "./account/login.js";
import { Questions, withdrawQuestion } from "./ui/dialog.js";
import { Empty, Forgotten, Loading, Problem } from "./ui/empty.js";
import { Identity } from "./ui/identity.js";
import { useModule } from "./ui/module.js";
import { closeOverlay, loadOverlays, openOverlay, Overlay } from "./ui/overlay.js";
import { Page } from "./ui/page.js";
import { Shell } from "./ui/shell.js";
import { followTime, switchZone } from "./ui/time.js";
import { Toasts } from "./ui/toast.js";

// The overlays are loaded after the first page.
const OVERLAYS_MS = 1000;

// find SEGMENTS: the screen of an address and the values of its path.
function find(segments) {
	for (const screen of screens)
		for (const path of screen.paths) {
			const params = match(path, segments);
			if (params !== null)
				return { screen, params };
		}
	return null;
}

// load(screen): imports the module of a screen.
function load({ id, module = `${id}/screen.js` }) {
	return import(`./${module}`);
}

// A mistake in a screen must not take the menu away.
function Guarded({ children }) {
	const [error, reset] = useErrorBoundary((reason) => console.error(reason));
	return error ? html`<${Problem} error=${error} reload=${reset} />` :
	    children;
}

function Homeward() {
	return html`<a href=${href("/")}>${t("nowhere.home")}</a>`;
}

// Whether authors may open a screen that analysts may not.
function forAuthors({ needs }) {
	return needs === "backtest.run";
}

function Screen({ found, query, foreign }) {
	const { module, error, again } = useModule(found?.screen.id,
	    found && (() => load(found.screen)));
	if (found === null)
		return html`<${Page} title=${t("nowhere")}><${Empty} icon="search"
			title=${t("nowhere.text")}><${Homeward} /></${Empty}></${Page}>`;
	if (!allowed(found.screen))
		return html`<${Page} title=${t(`nav.${found.screen.id}`)}><${Empty}
			icon="lock" title=${t(forAuthors(found.screen) ?
			    "nowhere.authors" : "nowhere.admins")}>
			<${Homeward} /></${Empty}></${Page}>`;
	if (error)
		return html`<${Problem} error=${error} reload=${again} />`;
	if (module === undefined || foreign.length > 0)
		return html`<${Loading} />`;
	// The link leaves out what is forgotten and keeps the other filters.
	if (Object.values(query).includes(null))
		return html`<${Page} title=${t(`nav.${found.screen.id}`)}><${Forgotten}
			again=${href(found.screen.paths[0], {}, query)} /></${Page}>`;
	return html`<${module.default} params=${found.params} query=${query}
		under=${found.screen.under} />`;
}

// What is open over the page belongs to its address, which Back may change.
function closeOverlays() {
	closeOverlay();
	withdrawQuestion();
}

function Console() {
	const { segments, query, path, foreign } = useSignal(route);
	const found = find(segments);
	useLayoutEffect(() => closeOverlays, [path]);
	useEffect(() => {
		const timer = setTimeout(loadOverlays, OVERLAYS_MS);
		return () => clearTimeout(timer);
	}, []);
	useKeys({
		help: () => openOverlay("help"),
		palette: () => openOverlay("palette"),
		search: () => openOverlay("palette"),
		zone: switchZone,
		back: () => history.back(),
		...Object.fromEntries(screens.filter((screen) =>
		    screen.letter !== null && allowed(screen)).map(({ id, paths }) =>
		    [`go.${id}`, () => go(href(paths[0]))])),
	});
	return html`<${Shell} current=${found?.screen ?? {}}>
		<${Guarded} key=${path}><${Screen} ...${{ found, query, foreign }} />
		</${Guarded}></${Shell}>
		<${Overlay} /><${Questions} /><${Identity} /><${Toasts} />`;
}

function App() {
	const { phase, error } = useSignal(session);
	if (phase === "starting")
		return html`<${Loading} />`;
	if (phase === "failed")
		return html`<main class="alone"><${Problem} error=${error}
			reload=${start} /></main>`;
	if (["open", "locked"].includes(phase))
		return html`<${Console} />`;
	return html`<${SignIn} phase=${phase} /><${Identity} /><${Toasts} />`;
}

// Load the screen of the address, and what it shows first, while the service says
// who the operator is.
function loadAhead() {
	const { segments, query } = route.value;
	const found = find(segments);
	if (found === null)
		return;
	load(found.screen).catch(() => {});
	found.screen.ahead?.(query);
}

effect(() => {
	document.documentElement.dataset.theme = prefs.value.theme;
});
followAddress();
followHandles();
followHold();
followKeys();
followPrefs();
followSession();
followTexts();
followTime();
followVisibility();
start();
loadAhead();
render(html`<${App} />`, document.getElementById("app"));
