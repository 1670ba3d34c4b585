#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Reference results for the suites logit, logistic_fit, platt_calibrate
and model_eval.

    python3 t/unit/fit_reference.py >t/unit/fit_reference.tbl

wrote that file with the packages of Debian 12: scikit-learn 1.2.1,
statsmodels 0.13.5, NumPy 1.24.2, mpmath 1.2.1.  Assay needs none of them to
build or test.  scikit-learn fits with a penalty; statsmodels fits without one
and calibrates; mpmath computes with 700 digits.  This program counts card
precision by its definition.
"""
import warnings

import mpmath
import numpy as np
import sklearn
import statsmodels
import statsmodels.api as sm
from sklearn import metrics
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

warnings.filterwarnings("error")
rng = np.random.default_rng(20261121)
ROWS = 400


def rows():
    """Columns of many kinds, among them a rare flag, a constant, one almost
    proportional to another, one with a mean far above its deviation."""
    a = rng.normal(size=ROWS)
    b = (rng.random(ROWS) < 0.07).astype(float)
    c = 3 * a + 0.05 * rng.normal(size=ROWS)
    d = 1e6 + rng.normal(size=ROWS)
    e = np.round(rng.exponential(0.02, ROWS), 3)
    f = np.full(ROWS, 0.1)
    x = np.column_stack([a, b, c, d, e, f])
    eta = -2.6 + 0.9 * a + 2.2 * b + 0.4 * (d - 1e6) + 9 * e
    return x, (rng.random(ROWS) < 1 / (1 + np.exp(-eta))).astype(int)


def number(v):
    return repr(float(v))


def fold(scaler, w, b):
    w = w / scaler.scale_
    return w, b - w @ scaler.mean_


def fits(x, y):
    used = x[:, :5]
    scaler = StandardScaler().fit(used)
    z = scaler.transform(used)
    n = len(y)
    for l2, weight in ((0, 1), (1e-4, 1), (1e-2, 1), (1, 1), (1e-3, 12.5)):
        c = np.where(y == 1, weight, 1.0)
        if l2 == 0:
            model = sm.GLM(y, sm.add_constant(z), family=sm.families.Binomial())
            got = model.fit(tol=0, maxiter=60, tol_criterion="params").params
            w, b = got[1:], got[0]
        else:
            model = LogisticRegression(
                C=1 / (l2 * c.sum()), solver="newton-cholesky", tol=1e-13,
                max_iter=1000)
            model.fit(z, y, sample_weight=c)
            w, b = model.coef_[0], model.intercept_[0]
        w, b = fold(scaler, w, b)
        print("FIT(%s, %s, %s, W(%s))" % (
            number(l2), number(weight), number(b),
            ", ".join(number(v) for v in list(w) + [0])))
    return used @ w + b


def calibrations(z, y):
    for shift, stretch, n in ((0, 1, ROWS), (-7, 30, ROWS), (0.5, 0.01, 60)):
        s = (z[:n] * stretch + shift)
        t = np.where(y[:n] == 1, (y[:n].sum() + 1) / (y[:n].sum() + 2),
                     1 / (n - y[:n].sum() + 2))
        # The targets are between 0 and 1, so each row becomes two with weights.
        exog = sm.add_constant(np.concatenate([s, s]))
        got = sm.GLM(np.repeat([1, 0], n), exog, freq_weights=np.concatenate(
            [t, 1 - t]), family=sm.families.Binomial()).fit(
                tol=0, maxiter=60, tol_criterion="params").params
        print("CALIBRATION(%s, %s, %d, %s, %s)" % (
            number(shift), number(stretch), n, number(got[1]), number(got[0])))


def cards(day, user, z, fraud, k):
    found, precision = set(), []
    for d in sorted(set(day)):
        best, bad = {}, set()
        for i in np.flatnonzero(day == d):
            if user[i] in found:
                continue
            best[user[i]] = max(best.get(user[i], -np.inf), z[i])
            if fraud[i]:
                bad.add(user[i])
        top = sorted(best, key=lambda u: (-best[u], u))[:k]
        hits = [u for u in top if u in bad]
        precision.append(len(hits) / k)
        found.update(hits)
    return np.mean(precision)


def marks():
    n = 300
    day = np.sort(rng.integers(0, 5, n))
    user = rng.integers(0, 40, n)
    fraud = (rng.random(n) < 0.15).astype(int)
    # Rounded, so that many are equal.
    z = np.round(rng.normal(size=n) * 1.5 - 2 + 2 * fraud, 1)
    for row in zip(z, day, user, fraud):
        print("MARK(%s, %d, %d, %d)" % ((number(row[0]),) + row[1:]))
    p = 1 / (1 + np.exp(-z))
    for name, value in (
            ("auc", metrics.roc_auc_score(fraud, z)),
            ("average_precision", metrics.average_precision_score(fraud, z)),
            ("brier", metrics.brier_score_loss(fraud, p)),
            ("log_loss", metrics.log_loss(fraud, p)),
            ("accuracy", metrics.accuracy_score(fraud, p >= 0.5)),
            ("mean_p", p.mean())):
        print("QUALITY(%s, %s)" % (name, number(value)))
    for k in (1, 5, 10, 100):
        print("CARDS(%d, %s)" % (k, number(cards(day, user, z, fraud, k))))


def logits():
    mpmath.mp.dps = 700
    for z in (0, 1e-300, 1e-9, 0.1, -0.1, 0.34657, 0.34658, 1, -1, 2.5, -2.5,
              17, -17, 36.7, -36.7, 100.25, -100.25, 700, -700, 744, -744, 1e4,
              -1e4):
        m = mpmath.mpf(z)
        print("LOGIT(%s, %s, %s)" % (
            number(z), number(1 / (1 + mpmath.exp(-m))),
            number(mpmath.log1p(mpmath.exp(m)))))


print("""/*
 * Made by fit_reference.py, which says what each row is and how (scikit-learn
 * %s, statsmodels %s, NumPy %s, mpmath %s).
 */""" % (sklearn.__version__, statsmodels.__version__, np.__version__,
          mpmath.__version__))
x, y = rows()
for row, truth in zip(x, y):
    print("ROW(%d, W(%s))" % (truth, ", ".join(number(v) for v in row)))
z = fits(x, y)
calibrations(z, y)
marks()
logits()
