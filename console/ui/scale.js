// SPDX-License-Identifier: ISC
// Scales of charts: pure functions.

// ticks(max, count): round values from 0 to at least max, about count of them.
export function ticks(max, count = 4) {
	if (!(max > 0))
		return [0, 1];
	const rough = max / count;
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = [1, 2, 2.5, 5, 10].find((m) => m * power >= rough) * power;
	const whole = Math.ceil(max / step - 1e-9);
	return Array.from({ length: whole + 1 }, (_, i) =>
	    Number((i * step).toPrecision(12)));
}

// linear(from, to): a function that maps the interval from to the interval to.
export function linear([a, b], [c, d]) {
	const ratio = b === a ? 0 : (d - c) / (b - a);
	return (value) => c + (value - a) * ratio;
}

// every(count, most): the step that shows at most so many of count labels.
export function every(count, most) {
	return Math.max(1, Math.ceil(count / Math.max(1, most)));
}

// compact VALUE: a number for an axis: 1500 is "1.5k".
export function compact(value) {
	const size = Math.abs(value);
	for (const [unit, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]])
		if (size >= unit)
			return `${Number((value / unit).toFixed(1))}${letter}`;
	return String(Number(value.toFixed(2)));
}
