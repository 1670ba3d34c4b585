// SPDX-License-Identifier: ISC
// What preact.js exports: the part of Preact, its hooks, signals and htm that the
// console uses.
import htm from "htm";
import { h } from "preact";

export { Component, Fragment, h, options, render } from "preact";
export { useCallback, useEffect, useErrorBoundary, useLayoutEffect, useMemo,
    useRef, useState } from "preact/hooks";
export { batch, computed, effect, signal, untracked } from
    "@preact/signals-core";
export const html = htm.bind(h);
