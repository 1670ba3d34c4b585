/* SPDX-License-Identifier: ISC */
/* Compute the signals of one event, and write them as JSON. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/writer.h"
#include "core/signal/signals.h"
#include "core/state/entity_graph.h"
#include "core/state/entity_risk.h"
#include "core/state/user_state.h"

#define TRAVEL_KM 100 /* up to this distance, travel is always possible */
#define TRAVEL_KM_H 900.0 /* speed of an airliner */
#define HOUR_US 3600e6

static void event_signals(const struct event *ev,
    const struct signal_facts *facts, struct value *ret);
static void instrument_signals(const struct event *ev,
    const struct signal_facts *facts, struct value *ret);
static void velocity_signals(const struct event *ev,
    const struct signal_facts *facts, struct value *ret);
static void device_signals(const struct event *ev,
    const struct signal_facts *facts, struct value *ret);
static void geo_signals(const struct event *ev,
    const struct signal_facts *facts, struct value *ret);
static void network_signals(const struct ip_facts *ip, struct value *ret);
static void travel_signals(const struct signal_facts *facts, struct value *ret);
static void graph_signals(const struct event *ev,
    const struct signal_facts *facts, struct value *ret);
static void amount_signals(const struct event *ev,
    const struct signal_facts *facts, struct value *ret);
static void risk_signals(const struct event *ev,
    const struct signal_facts *facts, struct value *ret);
static void add_known(struct str *s, const char *name, const struct value *v);
static struct value number_or_unknown(double n);
static struct value users_on(const struct graph_node *n);
static struct value first_seen(const struct graph_node *n);
static struct value fingerprint_mismatch(const struct signal_facts *facts);
static struct value sim_mismatch(
    const struct event *ev, const struct signal_facts *facts);
static double z_score(double amount, const struct user_state_amounts *amounts);
static double mean_ratio(
    double amount, const struct user_state_amounts *amounts);
static double amount_variation(const struct user_state_amounts *amounts);

/* One function per namespace; each sets the signals that are known. */
static void (*const namespaces[])(
    const struct event *, const struct signal_facts *, struct value *) = {
	event_signals,
	instrument_signals,
	velocity_signals,
	device_signals,
	geo_signals,
	graph_signals,
	amount_signals,
	risk_signals,
};

void
signals_compute(const struct event *ev, const struct signal_facts *facts,
    struct signals *ret)
{
	size_t i;

	for (i = 0; i < SIGNAL__MAX; i++)
		ret->value[i] = value_unknown();
	for (i = 0; i < sizeof(namespaces) / sizeof(namespaces[0]); i++)
		namespaces[i](ev, facts, ret->value);
	ret->event = ev;
	ret->silences = NULL;
	ret->velocities = NULL;
}

void
signals_json(struct str *s, const struct signals *sigs)
{
	writer_object(s, NULL);
	signals_members(s, sigs);
	writer_end(s);
}

void
signals_members(struct str *s, const struct signals *sigs)
{
	size_t i;

	for (i = 0; i < SIGNAL__MAX; i++)
		add_known(s, signal_name((enum signal)i), &sigs->value[i]);
	signals_attrs(s, sigs->event);
}

void
signals_attrs(struct str *s, const struct event *ev)
{
	char name[sizeof("attr.") + EVENT_ATTR_NAME_MAX];
	size_t i;

	for (i = 0; i < ev->n_attrs; i++) {
		snprintf(name, sizeof(name), "attr.%s", ev->attrs[i].name);
		add_known(s, name, &ev->attrs[i].value);
	}
}

/* Append a member unless its value is unknown. */
static void
add_known(struct str *s, const char *name, const struct value *v)
{
	if (v->type != VALUE_UNKNOWN)
		writer_value(s, name, v);
}

static void
event_signals(
    const struct event *ev, const struct signal_facts *facts, struct value *ret)
{
	(void)facts;
	ret[SIGNAL_EVENT_TYPE] = value_string(event_type_name(ev->type));
	ret[SIGNAL_EVENT_CHANNEL] = value_string(ev->channel);
	ret[SIGNAL_EVENT_CURRENCY] = value_string(ev->currency);
	if (ev->has_amount)
		ret[SIGNAL_EVENT_AMOUNT] = value_number(ev->amount);
}

static void
instrument_signals(
    const struct event *ev, const struct signal_facts *facts, struct value *ret)
{
	(void)facts;
	ret[SIGNAL_INSTRUMENT_KIND] = value_string(ev->instrument_kind);
	ret[SIGNAL_INSTRUMENT_BIN] = value_string(ev->bin);
	ret[SIGNAL_INSTRUMENT_ISSUER_COUNTRY] =
	    value_string(ev->issuer_country);
	ret[SIGNAL_INSTRUMENT_THREE_DS] = ev->three_ds;
}

static void
velocity_signals(
    const struct event *ev, const struct signal_facts *facts, struct value *ret)
{
	const struct user_state *st = facts->state;

	(void)ev;
	ret[SIGNAL_VELOCITY_ATTEMPTS_2M] =
	    value_number((double)user_state_attempts_2m(st, facts->now));
	ret[SIGNAL_VELOCITY_ATTEMPTS_24H] =
	    value_number((double)user_state_attempts_24h(st, facts->now));
}

static void
device_signals(
    const struct event *ev, const struct signal_facts *facts, struct value *ret)
{
	(void)ev;
	ret[SIGNAL_DEVICE_FIRST_SEEN] = first_seen(facts->device);
	ret[SIGNAL_DEVICE_USERS_ON_DEVICE] = users_on(facts->device);
	ret[SIGNAL_DEVICE_USERS_ON_FINGERPRINT] = users_on(facts->fingerprint);
	ret[SIGNAL_DEVICE_FINGERPRINT_FIRST_SEEN] =
	    first_seen(facts->fingerprint);
	ret[SIGNAL_DEVICE_FINGERPRINT_DEVICE_MISMATCH] =
	    fingerprint_mismatch(facts);
}

static void
geo_signals(
    const struct event *ev, const struct signal_facts *facts, struct value *ret)
{
	network_signals(&facts->ip_facts, ret);
	ret[SIGNAL_GEO_IP_SIM_MISMATCH] = sim_mismatch(ev, facts);
	if (facts->place.country[0] == '\0')
		return;
	ret[SIGNAL_GEO_COUNTRY] = value_string(facts->place.country);
	if (user_state_last_place(facts->state)->place.country[0] != '\0')
		travel_signals(facts, ret);
}

/* What databases know of the ip, apart from its place. */
static void
network_signals(const struct ip_facts *ip, struct value *ret)
{
	ret[SIGNAL_GEO_CITY] = value_string(ip->city);
	ret[SIGNAL_GEO_ASN_ORG] = value_string(ip->asn_org);
	if (ip->asn != 0)
		ret[SIGNAL_GEO_ASN] = value_number(ip->asn);
}

/* Signals about the travel since the last event with a known country. */
static void
travel_signals(const struct signal_facts *facts, struct value *ret)
{
	const struct user_state_place *last =
	    user_state_last_place(facts->state);
	const double km = geo_travel_km(&last->place, &facts->place);
	const double hours = (double)(facts->now - last->at) / HOUR_US;

	ret[SIGNAL_GEO_COUNTRY_CHANGED] =
	    value_bool(!geo_same_network(&last->place, &facts->place) &&
		strcmp(last->place.country, facts->place.country) != 0);
	ret[SIGNAL_GEO_DISTANCE_KM] = number_or_unknown(km);
	if (!isnan(km))
		ret[SIGNAL_GEO_IMPOSSIBLE_TRAVEL] =
		    value_bool(km > TRAVEL_KM && km > TRAVEL_KM_H * hours);
}

static void
graph_signals(
    const struct event *ev, const struct signal_facts *facts, struct value *ret)
{
	(void)ev;
	ret[SIGNAL_GRAPH_RING_SIZE] = value_number(facts->ring_size);
	ret[SIGNAL_GRAPH_USERS_ON_DEVICE] = users_on(facts->device);
	ret[SIGNAL_GRAPH_USERS_ON_IP] = users_on(facts->ip);
	ret[SIGNAL_GRAPH_USERS_ON_PHONE] = users_on(facts->phone);
	ret[SIGNAL_GRAPH_DEVICES_ON_USER] =
	    value_number(user_state_devices(facts->state));
}

/*
 * Compare the amount with earlier ones.  The signals are unknown if the event
 * has no amount, or if the state dropped the history of its currency.
 */
static void
amount_signals(
    const struct event *ev, const struct signal_facts *facts, struct value *ret)
{
	struct user_state_amounts amounts;

	if (!ev->has_amount)
		return;
	user_state_amounts(facts->state, ev->currency, facts->now, &amounts);
	if (amounts.hour_known)
		ret[SIGNAL_VELOCITY_AMOUNT_1H] =
		    value_number(amounts.last_hour);
	if (!amounts.baseline_known)
		return;
	ret[SIGNAL_ANOMALY_AMOUNT_Z_SCORE] =
	    value_number(z_score(ev->amount, &amounts));
	ret[SIGNAL_ANOMALY_AMOUNT_MEAN] = value_number(amounts.mean);
	ret[SIGNAL_ANOMALY_AMOUNT_RATIO] =
	    value_number(mean_ratio(ev->amount, &amounts));
	ret[SIGNAL_ANOMALY_SAMPLES] = value_number((double)amounts.samples);
	ret[SIGNAL_ANOMALY_AMOUNT_VARIATION] =
	    value_number(amount_variation(&amounts));
}

/*
 * Fraud rates of the event's device and ip.  An entity without history
 * gets the rate of no events.
 */
static void
risk_signals(
    const struct event *ev, const struct signal_facts *facts, struct value *ret)
{
	const struct entity_risk_rates none = entity_risk_rates(NULL, 0, 0);
	const struct entity_risk_rates *device =
	    facts->device_risk == NULL ? &none : facts->device_risk;
	const struct entity_risk_rates *ip =
	    facts->ip_risk == NULL ? &none : facts->ip_risk;

	(void)ev;
	if (facts->device != NULL) {
		ret[SIGNAL_RISK_DEVICE_FRAUD_RATE] = value_number(device->rate);
		ret[SIGNAL_RISK_DEVICE_FRAUD_RATE_1D] =
		    value_number(device->rate_1d);
		ret[SIGNAL_RISK_DEVICE_FRAUD_RATE_7D] =
		    value_number(device->rate_7d);
		ret[SIGNAL_RISK_DEVICE_LABELS] =
		    value_number((double)device->labels);
	}
	if (facts->ip != NULL)
		ret[SIGNAL_RISK_IP_FRAUD_RATE] = value_number(ip->rate);
}

static struct value
number_or_unknown(double n)
{
	return isnan(n) ? value_unknown() : value_number(n);
}

static struct value
users_on(const struct graph_node *n)
{
	return n == NULL ? value_unknown() : value_number(n->users);
}

static struct value
first_seen(const struct graph_node *n)
{
	return n == NULL ? value_unknown() : value_bool(!n->seen);
}

static struct value
fingerprint_mismatch(const struct signal_facts *facts)
{
	const struct graph_node *n = facts->fingerprint;

	if (n == NULL || facts->device == NULL)
		return value_unknown();
	return value_bool(n->devices > 1 ||
	    (n->devices == 1 && n->first_device != facts->device_id));
}

/*
 * If the country of the phone or of the ip is unknown, use the caller's
 * attribute geoMismatch.
 */
static struct value
sim_mismatch(const struct event *ev, const struct signal_facts *facts)
{
	const struct attr *attr;
	enum truth same = TRUTH_UNKNOWN;

	if (ev->phone != NULL && facts->place.country[0] != '\0')
		same = geo_phone_in_country(ev->phone, facts->place.country);
	if (same != TRUTH_UNKNOWN)
		return value_bool(same == TRUTH_FALSE);
	attr = event_attr(ev, "geoMismatch");
	if (attr == NULL || attr->value.type != VALUE_BOOL)
		return value_unknown();
	return attr->value;
}

static double
z_score(double amount, const struct user_state_amounts *amounts)
{
	if (amounts->samples < USER_STATE_SAMPLES_MIN ||
	    amounts->deviation <= 0)
		return 0;
	return (amount - amounts->mean) / amounts->deviation;
}

/* The amount divided by the mean; 1 if the baseline is not usable. */
static double
mean_ratio(double amount, const struct user_state_amounts *amounts)
{
	if (amounts->samples < USER_STATE_SAMPLES_MIN || amounts->mean <= 0)
		return 1;
	return amount / amounts->mean;
}

/* The coefficient of variation; 0 if the baseline is not usable. */
static double
amount_variation(const struct user_state_amounts *amounts)
{
	if (amounts->samples < USER_STATE_SAMPLES_MIN || amounts->mean <= 0)
		return 0;
	return amounts->deviation / amounts->mean;
}
