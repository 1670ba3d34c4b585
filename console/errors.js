// SPDX-License-Identifier: ISC
// What an operator reads when a request fails.
import { hasText, t } from "./text.js";

const BY_STATUS = { 0: "error.offline", 403: "error.forbidden",
    404: "error.missing", 429: "error.limited", 503: "error.unavailable" };
// For these the reason of the service says more than a fixed text.
const REASONED = new Set([400, 409, 422]);

// The text of an error: ours for its code, the reason of the service, or what the
// status means.
export function errorText(error) {
	if (error?.status === undefined)
		return t("error.page", { why: error?.message ?? "" });
	const known = `error.${error.code}`;
	if (hasText(known))
		return t(known, { seconds: error.retryAfter ?? 1 });
	if (REASONED.has(error.status) && error.message !== "")
		return t("error.refused", { why: error.message });
	return t(BY_STATUS[error.status] ?? "error.internal",
	    { seconds: error.retryAfter ?? 1 });
}
