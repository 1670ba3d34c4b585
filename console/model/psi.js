// SPDX-License-Identifier: ISC
// What a population stability index says, by the usual rule of thumb (B. Yurdakul,
// Statistical Properties of Population Stability Index, 2018).
const SMALL = 0.1, MODERATE = 0.25;

// stateOf(psi): none without an index, else small, moderate or large.
export function stateOf(psi) {
	if (psi === null)
		return "none";
	return psi < SMALL ? "small" : psi < MODERATE ? "moderate" : "large";
}

export const PSI_TONES = { none: "plain", small: "good", moderate: "warn",
    large: "bad" };

// sharesOf(bins): the share of each bin; 0 for all without decisions.
export function sharesOf(bins) {
	const sum = bins.reduce((total, n) => total + n, 0);
	return bins.map((n) => sum === 0 ? 0 : n / sum);
}

// pointsOf(calibration, period): [mean, rate] of the bins of a period that have
// labels, by their mean; the score counts as its hundredth.
export function pointsOf(calibration, period) {
	return calibration.map(({ by, [period]: { rate, mean } }) =>
	    [mean === null || by === "p" ? mean : mean / 100, rate])
	    .filter(([mean, rate]) => mean !== null && rate !== null)
	    .sort(([a], [b]) => a - b);
}
