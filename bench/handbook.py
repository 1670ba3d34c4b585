#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Evaluate the handbook's own logistic regression on the weeks that
`make evaluate` tests, with the same protocol and without any part of Assay.

    python3 bench/handbook.py FILE [WEEKS]

The model has the fifteen features of the Fraud Detection Handbook: amount,
weekend, night; count and mean amount of the customer's transactions in 1, 7 and
30 days, including this one; count and fraud rate of the terminal's transactions
in windows of the same lengths that ended a week before.  The last column is the
result of a model that knows the truth: on most days fewer than a hundred cards
are compromised.  It needs the Debian packages python3-numpy and python3-sklearn.
"""
import csv
import datetime
import gzip
import sys

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.preprocessing import StandardScaler

DAY, DELAY, WEEK, CARDS = 86400, 7, 7, 100
AMOUNT, FRAUD = 0, 1


def read(path):
    """Read times in seconds, customers, terminals, and pairs of amount and fraud."""
    times, who, where, values = [], [], [], []
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", newline="") as file:
        for row in csv.DictReader(file):
            times.append(row["time"].rstrip("Z"))
            who.append(int(row["customer"]))
            where.append(int(row["terminal"]))
            values.append((float(row["amount"]), int(row["fraud"])))
    times = np.array(times, "datetime64[s]").astype(int)
    return times, np.array(who), np.array(where), np.array(values)


class Windows:
    """Counts and sums of one key's rows in windows that end at each row."""

    def __init__(self, key, times, values):
        self.order = np.lexsort((np.arange(len(key)), times, key))
        # One time axis for all keys, each key in its own section.
        self.line = (key * (times.max() + 400 * DAY) + times)[self.order]
        self.sums = np.vstack([np.zeros(2), values[self.order].cumsum(axis=0)])

    def over(self, days, delay=0):
        """Count and sum the rows in (t - delay - days, t - delay]."""
        last, first = (np.searchsorted(self.line, self.line - ago * DAY,
                                       side="right")
                       for ago in (delay, delay + days))
        count, sums = np.empty(len(last)), np.empty((len(last), 2))
        count[self.order] = last - first
        sums[self.order] = self.sums[last] - self.sums[first]
        return count, sums


def features(times, customer, terminal, values):
    weekday = (times // DAY + 3) % 7  # 1970-01-01 was a Thursday
    columns = [values[:, AMOUNT], weekday >= 5, times % DAY // 3600 <= 6]
    own = Windows(customer, times, values)
    theirs = Windows(terminal, times, values)
    for days in (1, 7, 30):
        count, sums = own.over(days)
        columns += [count, sums[:, AMOUNT] / count]
    for days in (1, 7, 30):
        count, sums = theirs.over(days, DELAY)
        columns += [count, sums[:, FRAUD] / np.maximum(count, 1)]
    return np.column_stack(columns).astype(float)


def card_precision(day, customer, score, fraud):
    found, precision = set(), []
    for today in np.unique(day):
        best, bad = {}, set()
        for i in np.flatnonzero(day == today):
            if customer[i] not in found:
                best[customer[i]] = max(best.get(customer[i], 0), score[i])
                if fraud[i]:
                    bad.add(customer[i])
        top = sorted(best, key=lambda c: (-best[c], c))[:CARDS]
        hits = bad.intersection(top)
        precision.append(len(hits) / CARDS)
        found |= hits
    return np.mean(precision)


def tested(day, customer, fraud, begin, end):
    """Rows of the week before end without customers whose fraud was known."""
    rows = []
    for today in range(end - WEEK, end):
        known = np.unique(customer[
            fraud & (day >= begin) & (day < today - DELAY)])
        rows.append(np.flatnonzero(
            (day == today) & ~np.isin(customer, known)))
    return np.concatenate(rows)


def main(path, weeks="6"):
    times, customer, terminal, values = read(path)
    x, fraud = features(times, customer, terminal, values), values[:, FRAUD]
    day = times // DAY
    print("%-16s  %7s  %7s  %7s  %7s" % (
        "TEST WEEK FROM", "AUC ROC", "AVG PR", "CP@100", "AT MOST"))
    for ago in reversed(range(int(weeks))):
        end = day.max() + 1 - ago * WEEK
        begin = end - 3 * WEEK
        train = (day >= begin) & (day < begin + WEEK)
        scaler = StandardScaler().fit(x[train])
        model = LogisticRegression(max_iter=1000).fit(
            scaler.transform(x[train]), fraud[train])
        test = tested(day, customer, fraud == 1, begin, end)
        p = model.predict_proba(scaler.transform(x[test]))[:, 1]
        print("%-16s  %7.3f  %7.3f  %7.3f  %7.3f" % (
            datetime.date.fromordinal(719163 + end - WEEK),
            roc_auc_score(fraud[test], p),
            average_precision_score(fraud[test], p),
            card_precision(day[test], customer[test], p, fraud[test]),
            card_precision(
                day[test], customer[test], fraud[test], fraud[test])))


main(*sys.argv[1:])
