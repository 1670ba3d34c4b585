/* SPDX-License-Identifier: ISC */
/*
 * core/signal/features.c: the feature vector of this version, and each
 * transform.
 */
#include "config.h"

#include "core/base/value.h"
#include "core/signal/features.h"
#include "core/signal/signals.h"
#include "t/unit/unit.h"

/*
 * The vector of FEATURES_VERSION 2.  A change of the vector raises the version.
 */
static const char *const names[] = {
	"velocity.attemptsLast2m",
	"velocity.attemptsLast24h",
	"velocity.amountLast1h",
	"device.firstSeen",
	"device.usersOnDevice",
	"device.usersOnFingerprint",
	"device.fingerprintDeviceMismatch",
	"geo.impossibleTravel",
	"geo.countryChanged",
	"geo.ipSimMismatch",
	"graph.ringSize",
	"graph.usersOnIp",
	"anomaly.amountZScore",
	"rules.score",
	"event.amount.log",
	"event.amount.100",
	"event.amount.200",
	"event.amount.500",
	"event.amount.1000",
	"event.amount.2000",
	"event.amount.5000",
	"anomaly.amountZScore.sqrt",
	"anomaly.amountRatio.2",
	"anomaly.amountRatio.5",
	"anomaly.amountRatio.20",
	"anomaly.amountVariation",
	"velocity.attemptsLast24h.log",
	"risk.deviceFraudRate",
	"risk.deviceFraudRate.sqrt",
	"risk.deviceFraudRate7d",
	"risk.deviceFraudRate7d.sqrt",
	"risk.deviceFraudRate1d",
	"risk.deviceFraudRate1d.sqrt",
	"risk.deviceLabels.log",
	"risk.ipFraudRate",
	"risk.ipFraudRate.sqrt",
	"event.amount.missing",
	"device.usersOnDevice.missing",
	"device.usersOnFingerprint.missing",
	"geo.impossibleTravel.missing",
	"geo.ipSimMismatch.missing",
	"graph.usersOnIp.missing",
};

/* The number of a signal, and the value of a feature. */
static const struct {
	enum signal signal;
	double number;
	enum feature feature;
	double want;
} numbers[] = {
	{ SIGNAL_VELOCITY_ATTEMPTS_2M, 0, FEATURE_ATTEMPTS_2M, 0 },
	{ SIGNAL_VELOCITY_ATTEMPTS_2M, 3, FEATURE_ATTEMPTS_2M, 0.3 },
	{ SIGNAL_VELOCITY_ATTEMPTS_2M, 10, FEATURE_ATTEMPTS_2M, 1 },
	{ SIGNAL_VELOCITY_ATTEMPTS_2M, 11, FEATURE_ATTEMPTS_2M, 1 },
	{ SIGNAL_VELOCITY_AMOUNT_1H, 1e15, FEATURE_AMOUNT_1H, 1 },
	{ SIGNAL_VELOCITY_AMOUNT_1H, 2500, FEATURE_AMOUNT_1H, 0.25 },
	{ SIGNAL_GRAPH_RING_SIZE, 1, FEATURE_RING_SIZE, 0.02 },
	{ SIGNAL_ANOMALY_AMOUNT_Z_SCORE, 2.5, FEATURE_AMOUNT_Z_SCORE, 0.25 },
	{ SIGNAL_ANOMALY_AMOUNT_Z_SCORE, -4, FEATURE_AMOUNT_Z_SCORE, 0 },
	{ SIGNAL_EVENT_AMOUNT, 0, FEATURE_AMOUNT_LOG, 0 },
	{ SIGNAL_EVENT_AMOUNT, 999, FEATURE_AMOUNT_LOG, 0.5 },
	{ SIGNAL_EVENT_AMOUNT, 1e6, FEATURE_AMOUNT_LOG, 1 },
	{ SIGNAL_EVENT_AMOUNT, 1e15, FEATURE_AMOUNT_LOG, 1 },
	{ SIGNAL_EVENT_AMOUNT, -7, FEATURE_AMOUNT_LOG, 0 },
	{ SIGNAL_EVENT_AMOUNT, 150, FEATURE_AMOUNT_100, 1 },
	{ SIGNAL_EVENT_AMOUNT, 150, FEATURE_AMOUNT_200, 0.75 },
	{ SIGNAL_EVENT_AMOUNT, 150, FEATURE_AMOUNT_5000, 0.03 },
	{ SIGNAL_ANOMALY_AMOUNT_RATIO, 5, FEATURE_AMOUNT_RATIO_20, 0.25 },
	{ SIGNAL_ANOMALY_AMOUNT_RATIO, 5, FEATURE_AMOUNT_RATIO_2, 1 },
	{ SIGNAL_ANOMALY_AMOUNT_VARIATION, 1.5, FEATURE_AMOUNT_VARIATION, 0.5 },
	{ SIGNAL_RISK_DEVICE_FRAUD_RATE_7D, 0.25, FEATURE_DEVICE_RISK_7D,
	    0.25 },
	{ SIGNAL_RISK_DEVICE_FRAUD_RATE_1D, 0.25, FEATURE_DEVICE_RISK_1D_SQRT,
	    0.5 },
	{ SIGNAL_RISK_DEVICE_LABELS, 100, FEATURE_DEVICE_LABELS_LOG, 1 },
	{ SIGNAL_EVENT_AMOUNT, 5, FEATURE_AMOUNT_MISSING, 0 },
	{ SIGNAL_GRAPH_USERS_ON_IP, 5, FEATURE_IP_MISSING, 0 },
};

/* The features that are 1 if their signal is unknown. */
static const struct {
	enum signal signal;
	enum feature feature;
} unknown[] = {
	{ SIGNAL_EVENT_AMOUNT, FEATURE_AMOUNT_MISSING },
	{ SIGNAL_DEVICE_USERS_ON_DEVICE, FEATURE_DEVICE_MISSING },
	{ SIGNAL_DEVICE_USERS_ON_FINGERPRINT, FEATURE_FINGERPRINT_MISSING },
	{ SIGNAL_GEO_IMPOSSIBLE_TRAVEL, FEATURE_TRAVEL_MISSING },
	{ SIGNAL_GEO_IP_SIM_MISMATCH, FEATURE_IP_SIM_MISSING },
	{ SIGNAL_GRAPH_USERS_ON_IP, FEATURE_IP_MISSING },
};

static struct signals sigs;
static double x[FEATURE__MAX];

/* Set all signals to unknown, or to 0, false or a text. */
static void
fill(bool known)
{
	static const char text[] = "x";
	int i;

	for (i = 0; i < SIGNAL__MAX; i++) {
		switch (known ? signal_type((enum signal)i) : VALUE_UNKNOWN) {
		case VALUE_NUMBER:
			sigs.value[i] = value_number(0);
			break;
		case VALUE_STRING:
			sigs.value[i] = value_string(text);
			break;
		case VALUE_BOOL:
			sigs.value[i] = value_bool(false);
			break;
		default:
			sigs.value[i] = value_unknown();
		}
	}
}

START_TEST(feature_vector_is_that_of_version_2)
{
	unsigned int i;

	ck_assert_int_eq(FEATURES_VERSION, 2);
	ck_assert_uint_eq(nitems(names), FEATURE__MAX);
	for (i = 0; i < FEATURE__MAX; i++)
		ck_assert_str_eq(feature_name((enum feature)i), names[i]);
}
END_TEST

START_TEST(number_is_transformed_to_0_to_1)
{
	fill(true);
	sigs.value[numbers[_i].signal] = value_number(numbers[_i].number);
	features_extract(&sigs, 0, x);
	ck_assert_double_eq_tol(x[numbers[_i].feature], numbers[_i].want, 1e-7);
}
END_TEST

START_TEST(true_becomes_1)
{
	fill(true);
	sigs.value[SIGNAL_GEO_COUNTRY_CHANGED] = value_bool(true);
	features_extract(&sigs, 0, x);
	ck_assert(x[FEATURE_COUNTRY_CHANGED] == 1);
	ck_assert(x[FEATURE_IMPOSSIBLE_TRAVEL] == 0);
}
END_TEST

START_TEST(score_of_rules_is_a_feature)
{
	fill(true);
	features_extract(&sigs, 45, x);
	ck_assert_double_eq_tol(x[FEATURE_RULES_SCORE], 0.45, 1e-12);
	features_extract(&sigs, 100, x);
	ck_assert(x[FEATURE_RULES_SCORE] == 1);
}
END_TEST

START_TEST(unknown_signals_set_only_their_missing_features)
{
	double sum = 0;
	int i;

	fill(false);
	features_extract(&sigs, 0, x);
	for (i = 0; i < (int)nitems(unknown); i++)
		ck_assert(x[unknown[i].feature] == 1);
	for (i = 0; i < FEATURE__MAX; i++)
		sum += x[i];
	ck_assert(sum == (double)nitems(unknown));
}
END_TEST

START_TEST(one_unknown_signal_sets_one_missing_feature)
{
	int i;

	fill(true);
	features_extract(&sigs, 0, x);
	for (i = 0; i < FEATURE__MAX; i++)
		ck_assert(x[i] == 0);
	sigs.value[unknown[_i].signal] = value_unknown();
	features_extract(&sigs, 0, x);
	for (i = 0; i < FEATURE__MAX; i++)
		ck_assert(x[i] == (i == (int)unknown[_i].feature ? 1 : 0));
}
END_TEST

Suite *
suite_features(void)
{
	Suite *s = suite_create("features");
	TCase *tc = tcase_create("features");

	tcase_add_test(tc, feature_vector_is_that_of_version_2);
	tcase_add_loop_test(
	    tc, number_is_transformed_to_0_to_1, 0, (int)nitems(numbers));
	tcase_add_test(tc, true_becomes_1);
	tcase_add_test(tc, score_of_rules_is_a_feature);
	tcase_add_test(tc, unknown_signals_set_only_their_missing_features);
	tcase_add_loop_test(tc, one_unknown_signal_sets_one_missing_feature, 0,
	    (int)nitems(unknown));
	suite_add_tcase(s, tc);
	return s;
}
