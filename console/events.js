// SPDX-License-Identifier: ISC
// The words of events, as docs/openapi.json lists them.
export const eventTypes = ["card.authorize", "card.capture", "card.refund",
    "payment.authorize", "wallet.withdraw", "account.login", "order.place"];
// From the mildest to the strictest.
export const verdicts = ["allow", "challenge", "review", "deny"];
export const outcomes = ["fraud", "legit", "inconclusive"];
