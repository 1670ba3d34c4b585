// SPDX-License-Identifier: ISC
// The session of the operator: who it is, when it ends, and what to do when the
// service asks for a password.  The token itself is in a cookie that no script
// can read.
import { signal } from "../third_party/preact/preact.js";
import { call, remedy, skew } from "./api.js";

const WARN_SECONDS = 60;
const TICK_MS = 1000;
// Characters of a password, as the service wants them.
export const LEAST_PASSWORD = 8;

// phase: starting, failed (no answer), register (no operator exists yet), signIn,
// password (a temporary one must be changed), enrol (a second factor is needed),
// open, or locked: the session ended while the page was open.
export const session = signal({ phase: "starting", me: null, error: null });
// Seconds until the session ends, in its last minute; otherwise null.
export const endsIn = signal(null);
// The open question for a password, or null: { answer(value) }.
export const question = signal(null);

// To the other windows; null until the page follows the session.
let tabs = null;
let input = false;
let refreshed = 0;
let unlock = null;

function set(change) {
	session.value = { ...session.value, ...change };
}

// can(CAPABILITY): what the role of the operator may do.
export function can(capability) {
	return session.value.me?.capabilities?.includes(capability) ?? false;
}

// allowed(SCREEN): whether the operator may open this row of screens.js.
export function allowed({ needs }) {
	return needs === undefined || can(needs);
}

// Subjects that every operator may propose: the capability to change them alone.
const ALONE = { lists: "lists.write" };

// needsApproval(SUBJECT): whether a second person approves what the operator changes:
// FOUR_EYES wants it, or the role only proposes.
export function needsApproval(subject) {
	return (session.value.me?.fourEyes?.includes(subject) ?? false) ||
	    subject in ALONE && !can(ALONE[subject]);
}

function phaseOf(me) {
	if (me.passwordTemporary)
		return "password";
	return me.secondFactorRequired && !me.secondFactor ? "enrol" : "open";
}

async function readMe() {
	const me = await call("GET /v1/auth/me", { plain: true });
	refreshed = Date.now();
	return me;
}

// Read who the operator is, and open the console.
export async function enter() {
	const me = await readMe();
	const before = session.value.me;
	if (before !== null && before.email !== me.email) {
		location.reload(); // nothing of the other operator stays
		return;
	}
	set({ phase: phaseOf(me), me, error: null });
	unlock?.(true);
	unlock = null;
}

// Find out whether the browser has a session.
export async function start() {
	set({ phase: "starting", error: null });
	try {
		await enter();
	} catch (error) {
		if (error.status === 401)
			await offerSignIn();
		else
			set({ phase: "failed", error });
	}
}

async function offerSignIn() {
	try {
		const { needsBootstrap } = await call("GET /v1/auth/status",
		    { plain: true });
		set({ phase: needsBootstrap ? "register" : "signIn", me: null });
	} catch (error) {
		set({ phase: "failed", error });
	}
}

// signIn({ email, password, code }): throws an ApiError with CODE_REQUIRED if the
// operator has a second factor.
export async function signIn(credentials) {
	await call("POST /v1/auth/login", { body: credentials, plain: true });
	await enter();
	tabs?.postMessage({ kind: "in", email: session.value.me.email });
}

export async function register(credentials) {
	await call("POST /v1/auth/register", { body: credentials, plain: true });
	await enter();
}

export async function changePassword(body) {
	await call("POST /v1/auth/password", { body });
	await enter();
}

// Sign out and reload, which drops what the page holds.  If the service does not
// answer, the cookie stays until the session ends; the page says so.
export function signOut() {
	return leaveBy("POST /v1/auth/logout");
}

// The same for all sessions of the operator, of browsers and of assayctl.
export function signOutEverywhere() {
	return leaveBy("POST /v1/auth/logout-all");
}

async function leaveBy(operation) {
	try {
		await call(operation, { plain: true });
	} catch (error) {
		if (error.status !== 401) {
			set({ phase: "failed", me: null, error });
			return;
		}
	}
	tabs?.postMessage({ kind: "out" });
	history.replaceState(null, "", "#/");
	location.reload();
}

// The session has ended: keep the page, ask for the password over it, and resolve
// to true when the operator has signed in again.
let locked = null;
function lock() {
	if (!["open", "locked"].includes(session.value.phase))
		return Promise.resolve(false);
	set({ phase: "locked" });
	endsIn.value = null;
	locked ??= new Promise((done) => { unlock = done; })
	    .finally(() => { locked = null; });
	return locked;
}

// Ask for the password; resolves to true when the service has accepted it, to
// false when the operator gives up.
let asking = null;
function confirmPassword() {
	asking ??= new Promise((done) => {
		question.value = { answer: done };
	}).finally(() => {
		asking = null;
		question.value = null;
	});
	return asking;
}

// The answer of the dialog: throws if the password is wrong.
export async function confirm(body) {
	await call("POST /v1/auth/confirm", { body });
	set({ me: await readMe() });
	question.value?.answer(true);
}

export function giveUp() {
	question.value?.answer(false);
}

// Lengthen the session by SESSION_IDLE_MINUTES, if it may last longer.
export async function extend() {
	refreshed = Date.now();
	try {
		await call("POST /v1/auth/refresh", { plain: true });
		set({ me: await readMe() });
		endsIn.value = null;
		tabs?.postMessage({ kind: "longer",
		    expiresAt: session.value.me.expiresAt });
	} catch (error) {
		if (error.status === 401)
			lock();
	}
}

function secondsLeft() {
	return Math.floor((Date.parse(session.value.me.expiresAt) -
	    (Date.now() + skew.value)) / 1000);
}

// Every second: extend the session after input, at most once in a third of its
// idle time; warn before its end; lock the page at its end.
function tick() {
	if (session.value.phase !== "open" || session.value.me.session === "token")
		return;
	const left = secondsLeft();
	const idle = session.value.me.idleSeconds ?? 1800;
	if (input && left > 0 && Date.now() - refreshed > idle * 1000 / 3 &&
	    endsIn.value === null) {
		input = false;
		extend();
	} else if (left <= 0) {
		lock();
	} else {
		endsIn.value = left <= WARN_SECONDS ? left : null;
	}
}

// Whether a reload would lose a draft: rules/drafts.js then cancels this event.
const keepsWork = () => !dispatchEvent(new Event("beforeunload", { cancelable: true }));

const heard = {
	// A page with drafts stays, hidden, until the same operator signs in again.
	out() {
		if (["open", "locked"].includes(session.value.phase) && keepsWork())
			lock();
		else
			location.reload();
	},
	in({ email }) {
		if (session.value.me === null || session.value.me.email !== email)
			location.reload();
		else if (session.value.phase === "locked")
			enter().catch(() => {});
	},
	longer({ expiresAt }) {
		if (session.value.me !== null)
			set({ me: { ...session.value.me, expiresAt } });
		endsIn.value = null;
	},
};

// The app calls this once.
export function followSession() {
	for (const kind of ["keydown", "pointerdown"])
		addEventListener(kind, () => { input = true; }, { passive: true });
	tabs = new BroadcastChannel("assay.console");
	tabs.addEventListener("message", ({ data }) => heard[data.kind]?.(data));
	setInterval(tick, TICK_MS);
	remedy("UNAUTHENTICATED", lock);
	remedy("REAUTH_REQUIRED", confirmPassword);
	remedy("PASSWORD_CHANGE_REQUIRED", () => {
		set({ phase: "password" });
		return false;
	});
	remedy("SECOND_FACTOR_REQUIRED", () => {
		set({ phase: "enrol" });
		return false;
	});
}
