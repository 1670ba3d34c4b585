// SPDX-License-Identifier: ISC
// The all-clears of the console: texts that say that there is nothing, or that all is
// well.  Only an answer of the service may bring one onto a page.
// t/console/clears.test.mjs wants each text with a word of DENIES in one of the tables.
import { readdirSync, readFileSync } from "node:fs";
import { t } from "../../console/text.js";

export const DENIES = /\b(no|none|nothing|nobody|never)\b/i;

export const CLEARS = [
    "analytics.none", "analytics.work.none", "apikeys.none", "audit.none",
    "cases.noActivity", "cases.noEarlier", "cases.noNotes", "cases.none",
    "cases.ring", "decision.noLabel", "decisions.none", "deliveries.dead.none",
    "deliveries.none.alerts", "deliveries.none.webhooks", "deliveries.pending.none",
    "entity.alone", "entity.unlabelled", "explain.no.milder", "explain.no.stricter",
    "home.idle", "home.none", "home.quiet", "impact.flips.none", "impact.unlabeled",
    "exceptions.none", "exceptions.uses.none",
    "lists.never", "lists.none", "lists.none.found", "lists.none.named",
    "model.calibration.none", "model.no", "model.none", "model.tags.none",
    "model.weights.none", "palette.none", "proposals.none",
    "proposals.none.pending", "quality.never", "quality.none", "quality.rules.none",
    "quality.unlabeled", "queue.empty", "queue.none", "rules.checked",
    "rules.signals.none", "rules.tested", "targets.empty", "targets.none",
    "backtest.examples.none", "backtest.shadows.none", "backtest.tags.none",
    "backtest.unlabelled", "users.factor.no", "users.none", "versions.none"];

// The texts of the questions before acts (console/acts.js).
export const isQuestion = (key) => key.startsWith("act.");

// Texts that say what something does, why it failed, or what this page has not done.
export const OTHERS = [
    "account.stored", "apikeys.never", "cases.snooze.text", "change.propose.text",
    "data.erase.nothing", "data.erase.partial", "decision.unknown",
    "deliveries.revoke.done", "deliveries.throttle.hint", "difference.none",
    "error.CASE_NOT_FOUND", "error.USER_MISSING", "explain.find.none",
    "explain.json.after", "explain.json.unknown", "exceptions.wide.bin", "exceptions.wide.country", "explain.other", "explain.same",
    "identity.locked.text", "impact.none", "lists.import.hint", "lists.none.values",
    "login.register.text", "missed.late", "nowhere.text",
    "proposals.approve.shadow.text", "proposals.lead", "proposals.off",
    "proposals.why.stale", "release.about.rollback", "release.about.shadow",
    "targets.minutes.hint", "backtest.none", "backtest.none.text",
    "users.resetSecondFactor.done", "views.none"];

// readTexts(): all keys of the tables of texts, which are there for t() afterwards.
export async function readTexts() {
	const folder = new URL("../../console/", import.meta.url);
	const files = readdirSync(folder, { recursive: true })
	    .filter((name) => /[/-]text\.js$/.test(name))
	    .map((name) => new URL(name, folder));
	await Promise.all(files.map((file) => import(file)));
	return files.flatMap((file) => [...readFileSync(file, "utf8")
	    .matchAll(/^\t"([^"]+)":/gm)].map(([, key]) => key));
}

// clearPatterns(): patterns of the all-clears, after readTexts().  A text of one word
// is a whole line, as a figure of 0 is at the beginning of one.
export function clearPatterns() {
	const text = (key, n) => t(key, { n }).replace(/[.*+?^$()|[\]\\]/g, "\\$&")
	    .replace(/\{\w+\}/g, ".+").replace(/\b[12]\b/g, "[\\d,]+");
	return [...CLEARS.flatMap((key) => [text(key, 1), text(key, 2)])
	    .map((one) => one.includes(" ") ? one : `^${one}$`), "^0( |$)"];
}

// clearsIn(patterns): the lines of the page that match one.
export function clearsIn(patterns) {
	const all = new RegExp(patterns.join("|"), "m");
	return document.querySelector("main").innerText.split("\n")
	    .filter((line) => all.test(line.trim()));
}
