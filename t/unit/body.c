/* SPDX-License-Identifier: ISC */
/* lib/json/body.c: events from JSON, masked requests, bodies of operators. */
#include "config.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/event/event.h"
#include "lib/json/body.h"
#include "t/unit/unit.h"

#define PAN "4111111111111111"
#define EVENT_ID_WHY ID_WHY ", and not climb by \"..\" above where a URL begins"
#define ID_WHY "must be a string of 1 to 128 bytes, no control characters"
#define CARD "\"type\":\"card.authorize\","
#define USER "\"subject\":{\"userId\":\"u\"}"
#define TEN(s) s s s s s s s s s s
#define BULLET "\xe2\x80\xa2"
#define BULLETS BULLET BULLET BULLET BULLET BULLET

static _Alignas(16) char block[4 << 20];

/* Events with one field each, and the error. */
static const struct {
	const char *json;
	enum code code; /* 0: accepted */
	const char *where;
	const char *why; /* NULL: any */
} events[] = {
	{ "{" CARD USER "}", 0, NULL, NULL },
	{ "[]", INGEST_INVALID, "", "an event must be a JSON object" },
	{ "[{" CARD USER "}]", INGEST_INVALID, "", NULL },
	{ "null", INGEST_INVALID, "", NULL },
	{ "\"x\"", INGEST_INVALID, "", NULL },
	{ "7", INGEST_INVALID, "", NULL },
	/* type */
	{ "{" USER "}", INGEST_UNKNOWN_TYPE, "type", "is missing or unknown" },
	{ "{\"type\":null," USER "}", INGEST_UNKNOWN_TYPE, "type", NULL },
	{ "{\"type\":7," USER "}", INGEST_UNKNOWN_TYPE, "type", NULL },
	{ "{\"type\":\"\"," USER "}", INGEST_UNKNOWN_TYPE, "type", NULL },
	{ "{\"type\":\"card\"," USER "}", INGEST_UNKNOWN_TYPE, "type", NULL },
	{ "{\"type\":\"CARD.AUTHORIZE\"," USER "}", INGEST_UNKNOWN_TYPE, "type",
	    NULL },
	{ "{\"type\":[\"card.authorize\"]," USER "}", INGEST_UNKNOWN_TYPE,
	    "type", NULL },
	{ "{\"type\":\"x\",\"amount\":-1}", INGEST_UNKNOWN_TYPE, "type",
	    NULL }, /* before other fields */
	{ "{\"type\":\"wallet.withdraw\"," USER "}", 0, NULL, NULL },
	{ "{\"type\":\"account.login\"," USER "}", 0, NULL, NULL },
	/* id */
	{ "{" CARD "\"id\":\"e-1\"," USER "}", 0, NULL, NULL },
	{ "{" CARD "\"id\":\"\"," USER "}", INGEST_INVALID, "id",
	    EVENT_ID_WHY },
	{ "{" CARD "\"id\":7," USER "}", INGEST_INVALID, "id", EVENT_ID_WHY },
	{ "{" CARD "\"id\":{}," USER "}", INGEST_INVALID, "id", NULL },
	{ "{" CARD "\"id\":\"a\\nb\"," USER "}", INGEST_INVALID, "id", NULL },
	{ "{" CARD "\"id\":\"a\\u007fb\"," USER "}", INGEST_INVALID, "id",
	    EVENT_ID_WHY },
	{ "{" CARD "\"id\":\"a\\u0085b\"," USER "}", INGEST_INVALID, "id",
	    NULL },
	{ "{" CARD "\"id\":\"a\\u009fb\"," USER "}", INGEST_INVALID, "id",
	    NULL },
	{ "{" CARD "\"id\":\"a\\u00a0b\"," USER "}", 0, NULL, NULL },
	{ "{" CARD "\"id\":\"\\u1230\\ud83d\\ude00 /?%\"," USER "}", 0, NULL,
	    NULL },
	{ "{" CARD "\"id\":\"" TEN("0123456789") "0123456789012345678901234567"
						 "\"," USER "}",
	    0, NULL, NULL },
	{ "{" CARD "\"id\":\"" TEN("0123456789") "01234567890123456789012345678"
						 "\"," USER "}",
	    INGEST_INVALID, "id", NULL },
	{ "{" CARD "\"id\":\"..\"," USER "}", 0, NULL, NULL },
	{ "{" CARD "\"id\":\"../../x\"," USER "}", 0, NULL, NULL },
	{ "{" CARD "\"id\":\"a/../../../b\"," USER "}", 0, NULL, NULL },
	{ "{" CARD "\"id\":\"../../..a\"," USER "}", 0, NULL, NULL },
	{ "{" CARD "\"id\":\"../../..\"," USER "}", INGEST_INVALID, "id",
	    EVENT_ID_WHY },
	{ "{" CARD "\"id\":\"../.././/../x\"," USER "}", INGEST_INVALID, "id",
	    EVENT_ID_WHY },
	/* amount, currency */
	{ "{" CARD "\"amount\":1,\"currency\":\"ETB\"," USER "}", 0, NULL,
	    NULL },
	{ "{" CARD "\"amount\":0,\"currency\":\"ETB\"," USER "}", 0, NULL,
	    NULL },
	{ "{" CARD "\"amount\":-0,\"currency\":\"ETB\"," USER "}", 0, NULL,
	    NULL },
	{ "{" CARD "\"amount\":1e15,\"currency\":\"ETB\"," USER "}", 0, NULL,
	    NULL },
	{ "{" CARD "\"amount\":1000000000000000.2,\"currency\":\"ETB\"," USER
	  "}",
	    INGEST_INVALID, "amount",
	    "must be a number from 0 to 1e15, written in up to 128 bytes" },
	{ "{" CARD "\"amount\":99999999999999999999,\"currency\":\"ETB\"," USER
	  "}",
	    INGEST_INVALID, "amount", NULL },
	{ "{" CARD "\"amount\":-1,\"currency\":\"ETB\"," USER "}",
	    INGEST_INVALID, "amount", NULL },
	{ "{" CARD "\"amount\":-1e-9,\"currency\":\"ETB\"," USER "}",
	    INGEST_INVALID, "amount", NULL },
	{ "{" CARD "\"amount\":\"1\",\"currency\":\"ETB\"," USER "}",
	    INGEST_INVALID, "amount", NULL },
	{ "{" CARD "\"amount\":true,\"currency\":\"ETB\"," USER "}",
	    INGEST_INVALID, "amount", NULL },
	{ "{" CARD "\"amount\":0." TEN("0000000000000") "1,\"currency\":"
							"\"ETB\"," USER "}",
	    INGEST_INVALID, "amount", NULL },
	{ "{" CARD "\"amount\":1," USER "}", INGEST_INVALID, "currency",
	    "is required with an amount" },
	{ "{" CARD "\"currency\":\"ETB\"," USER "}", 0, NULL, NULL },
	{ "{" CARD "\"currency\":\"etb\"," USER "}", 0, NULL, NULL },
	{ "{" CARD "\"currency\":\"ET\"," USER "}", INGEST_INVALID, "currency",
	    "must be the three letters of a currency in ISO 4217; XTS and XXX "
	    "name none" },
	{ "{" CARD "\"currency\":\"UDS\"," USER "}", INGEST_INVALID, "currency",
	    NULL },
	{ "{" CARD "\"currency\":\"XXX\"," USER "}", INGEST_INVALID, "currency",
	    NULL },
	{ "{" CARD "\"currency\":\"xts\"," USER "}", INGEST_INVALID, "currency",
	    NULL },
	{ "{" CARD "\"currency\":\"XAU\"," USER "}", 0, NULL, NULL },
	{ "{" CARD "\"currency\":\"hrk\"," USER "}", 0, NULL, NULL },
	{ "{" CARD "\"currency\":\"ETBX\"," USER "}", INGEST_INVALID,
	    "currency", NULL },
	{ "{" CARD "\"currency\":\"E1B\"," USER "}", INGEST_INVALID, "currency",
	    NULL },
	{ "{" CARD "\"currency\":\"E B\"," USER "}", INGEST_INVALID, "currency",
	    NULL },
	{ "{" CARD "\"currency\":\"\\u00e9B\"," USER "}", INGEST_INVALID,
	    "currency", NULL },
	{ "{" CARD "\"currency\":\"\"," USER "}", 0, NULL, NULL },
	{ "{" CARD "\"amount\":1,\"currency\":\"\"," USER "}", INGEST_INVALID,
	    "currency", "is required with an amount" },
	{ "{" CARD "\"currency\":\" \"," USER "}", INGEST_INVALID, "currency",
	    NULL },
	{ "{" CARD "\"currency\":230," USER "}", INGEST_INVALID, "currency",
	    NULL },
	{ "{" CARD "\"amount\":1,\"currency\":null," USER "}", INGEST_INVALID,
	    "currency", "is required with an amount" },
	/* subject */
	{ "{\"type\":\"card.authorize\"}", INGEST_INVALID, "subject",
	    "is required" },
	{ "{" CARD "\"subject\":null}", INGEST_INVALID, "subject",
	    "is required" },
	{ "{" CARD "\"subject\":\"u\"}", INGEST_INVALID, "subject", NULL },
	{ "{" CARD "\"subject\":[]}", INGEST_INVALID, "subject", NULL },
	{ "{" CARD "\"subject\":{}}", INGEST_INVALID, "subject.userId",
	    "is required" },
	{ "{" CARD "\"subject\":{\"userId\":null}}", INGEST_INVALID,
	    "subject.userId", "is required" },
	{ "{" CARD "\"subject\":{\"userId\":7}}", INGEST_INVALID,
	    "subject.userId", NULL },
	{ "{" CARD "\"subject\":{\"userId\":\"\"}}", INGEST_INVALID,
	    "subject.userId", NULL },
	{ "{" CARD "\"subject\":{\"userId\":\"a\\tb\"}}", INGEST_INVALID,
	    "subject.userId", NULL },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"deviceId\":\"\"}}", 0, NULL,
	    NULL },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"fingerprint\":\"\"}}", 0,
	    NULL, NULL },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"fingerprint\":7}}",
	    INGEST_INVALID, "subject.fingerprint", ID_WHY },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"ip\":\"1.2.3\"}}",
	    INGEST_INVALID, "subject.ip",
	    "must be a string that is an IPv4 or IPv6 address" },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"ip\":\"\"}}", 0, NULL,
	    NULL },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"ip\":\" \"}}",
	    INGEST_INVALID, "subject.ip", NULL },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"ip\":16909060}}",
	    INGEST_INVALID, "subject.ip", NULL },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"phone\":\"unknown\"}}", 0,
	    NULL, NULL },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"phone\":\"\"}}", 0, NULL,
	    NULL },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"phone\":12345678}}",
	    INGEST_INVALID, "subject.phone", "must be a string" },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"channel\":\"\"}}", 0, NULL,
	    NULL },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"channel\":\"a\\nb\"}}",
	    INGEST_INVALID, "subject.channel",
	    "must be a string of up to 128 bytes, no control characters" },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"channel\":\"" TEN(
	      "0123456789012") "\"}}",
	    INGEST_INVALID, "subject.channel", NULL },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"channel\":false}}",
	    INGEST_INVALID, "subject.channel", NULL },
	/* instrument */
	{ "{" CARD USER ",\"instrument\":{}}", 0, NULL, NULL },
	{ "{" CARD USER ",\"instrument\":[]}", INGEST_INVALID, "instrument",
	    "must be an object" },
	{ "{" CARD USER ",\"instrument\":{\"kind\":\"\",\"bin\":\"\","
	  "\"issuerCountry\":\"\"}}",
	    0, NULL, NULL },
	{ "{" CARD USER ",\"instrument\":{\"kind\":\"card\"}}", 0, NULL, NULL },
	{ "{" CARD USER ",\"instrument\":{\"kind\":\"wallet\"}}", 0, NULL,
	    NULL },
	{ "{" CARD USER ",\"instrument\":{\"kind\":\"bank\"}}", 0, NULL, NULL },
	{ "{" CARD USER ",\"instrument\":{\"kind\":\"Card\"}}", INGEST_INVALID,
	    "instrument.kind", "must be card, wallet or bank" },
	{ "{" CARD USER ",\"instrument\":{\"kind\":\"cash\"}}", INGEST_INVALID,
	    "instrument.kind", NULL },
	{ "{" CARD USER ",\"instrument\":{\"bin\":\"411111\"}}", 0, NULL,
	    NULL },
	{ "{" CARD USER ",\"instrument\":{\"bin\":\"41111111\"}}", 0, NULL,
	    NULL },
	{ "{" CARD USER ",\"instrument\":{\"bin\":\"41111\"}}", INGEST_INVALID,
	    "instrument.bin", "must be a string of 6 to 8 digits" },
	{ "{" CARD USER ",\"instrument\":{\"bin\":\"411111111\"}}",
	    INGEST_INVALID, "instrument.bin", NULL },
	{ "{" CARD USER ",\"instrument\":{\"bin\":\"41111a\"}}", INGEST_INVALID,
	    "instrument.bin", NULL },
	{ "{" CARD USER ",\"instrument\":{\"bin\":411111}}", INGEST_INVALID,
	    "instrument.bin", NULL },
	{ "{" CARD USER ",\"instrument\":{\"issuerCountry\":\"et\"}}", 0, NULL,
	    NULL },
	{ "{" CARD USER ",\"instrument\":{\"issuerCountry\":\"ETH\"}}",
	    INGEST_INVALID, "instrument.issuerCountry",
	    "must be the two letters of a country in ISO 3166" },
	{ "{" CARD USER ",\"instrument\":{\"issuerCountry\":\"ZZ\"}}",
	    INGEST_INVALID, "instrument.issuerCountry", NULL },
	{ "{" CARD USER ",\"instrument\":{\"issuerCountry\":\"uk\"}}",
	    INGEST_INVALID, "instrument.issuerCountry", NULL },
	{ "{" CARD USER ",\"instrument\":{\"issuerCountry\":\"an\"}}", 0, NULL,
	    NULL },
	{ "{" CARD USER ",\"instrument\":{\"issuerCountry\":\"CS\"}}", 0, NULL,
	    NULL },
	{ "{" CARD USER ",\"instrument\":{\"issuerCountry\":\"xk\"}}", 0, NULL,
	    NULL },
	{ "{" CARD USER ",\"instrument\":{\"issuerCountry\":\"E1\"}}",
	    INGEST_INVALID, "instrument.issuerCountry", NULL },
	{ "{" CARD USER ",\"instrument\":{\"threeDS\":true}}", 0, NULL, NULL },
	{ "{" CARD USER ",\"instrument\":{\"threeDS\":\"true\"}}",
	    INGEST_INVALID, "instrument.threeDS", "must be true or false" },
	{ "{" CARD USER ",\"instrument\":{\"threeDS\":1}}", INGEST_INVALID,
	    "instrument.threeDS", NULL },
	/* attributes */
	{ "{" CARD USER ",\"attributes\":{}}", 0, NULL, NULL },
	{ "{" CARD USER ",\"attributes\":{\"a\":\"\",\"b\":-1.5,\"c\":true}}",
	    0, NULL, NULL },
	{ "{" CARD USER ",\"attributes\":{\"a\":\"line\\nend\"}}", 0, NULL,
	    NULL },
	{ "{" CARD USER ",\"attributes\":[]}", INGEST_INVALID, "attributes",
	    "must be an object" },
	{ "{" CARD USER ",\"attributes\":{\"a\":{}}}", INGEST_INVALID,
	    "attributes.a", "must be a string, a number or a boolean" },
	{ "{" CARD USER ",\"attributes\":{\"ok\":1,\"a_B9\":{}}}",
	    INGEST_INVALID, "attributes.a_B9", NULL },
	{ "{" CARD USER ",\"attributes\":{\"a\":[1]}}", INGEST_INVALID,
	    "attributes.a", NULL },
	{ "{" CARD USER ",\"attributes\":{\"+251911234544\":[]}}",
	    INGEST_INVALID, "attributes.*", NULL }, /* never echoed */
	{ "{" CARD USER ",\"attributes\":{\"1.2.3.4\":[]}}", INGEST_INVALID,
	    "attributes.*", NULL },
	{ "{" CARD USER ",\"attributes\":{\"\":1}}", INGEST_INVALID,
	    "attributes", "must have names of 1 to 64 bytes" },
	{ "{" CARD USER ",\"attributes\":{\"" TEN("abcdef") "abcd\":1}}", 0,
	    NULL, NULL },
	{ "{" CARD USER ",\"attributes\":{\"" TEN("abcdef") "abcd\":[]}}",
	    INGEST_INVALID, "attributes." TEN("abcdef") "abcd", NULL },
	{ "{" CARD USER ",\"attributes\":{\"" TEN("abcdef") "abcde\":1}}",
	    INGEST_INVALID, "attributes", NULL },
	{ "{" CARD USER ",\"attributes\":{\"a\":\"" TEN(
	      TEN("0123456789")) "012345678901234567890123\"}}",
	    0, NULL, NULL },
	{ "{" CARD USER ",\"attributes\":{\"a\":\"" TEN(
	      TEN("abcdefghij")) "0123456789012345678901234\"}}",
	    INGEST_INVALID, "attributes.a", "must be at most 1024 bytes" },
	{ "{" CARD USER ",\"attributes\":{\"a\":0." TEN(
	      TEN("1234567890")) "0123456789012345678901234}}",
	    INGEST_INVALID, "attributes.a", "must be at most 1024 bytes" },
	/* unknown fields of any type are ignored */
	{ "{" CARD USER ",\"x\":null,\"y\":[[{}]],\"Amount\":-1}", 0, NULL,
	    NULL },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"x\":null}}", 0, NULL,
	    NULL },
};

/* Events with and without a card number; PAN is one. */
static const struct {
	const char *json;
	bool found;
} pans[] = {
	{ "{" CARD USER ",\"attributes\":{\"note\":\"" PAN "\"}}", true },
	{ "{" CARD USER ",\"attributes\":{\"note\":" PAN "}}", true },
	{ "{" CARD USER ",\"attributes\":{\"note\":" PAN ".0}}", true },
	{ "{" CARD USER ",\"attributes\":{\"note\":4.111111111111111e15}}",
	    true },
	{ "{" CARD USER ",\"attributes\":{\"" PAN "\":1}}", true },
	{ "{" CARD USER ",\"attributes\":{\"id\":\"" PAN "\"}}", true },
	{ "{" CARD USER ",\"attributes\":{\"phone\":\"" PAN "\"}}", true },
	{ "{" CARD USER ",\"attributes\":{\"userId\":\"" PAN "\"}}", true },
	{ "{" CARD USER ",\"attributes\":{\"note\":\"4111 1111 1111 "
	  "1111\"}}",
	    true },
	{ "{" CARD USER ",\"attributes\":{\"note\":\"\\u0034"
	  "111-1111-1111-"
	  "1111\"}}",
	    true },
	{ "{" CARD USER ",\"attributes\":{\"note\":\"x" PAN "\"}}", false },
	{ "{" CARD USER ",\"attributes\":{\"note\":\"4111111111111112\"}}",
	    false },
	{ "{" CARD USER ",\"instrument\":{\"bin\":\"" PAN "\"}}", true },
	{ "{" CARD USER ",\"instrument\":{\"number\":\"" PAN "\"}}", true },
	{ "{" CARD USER ",\"instrument\":{\"id\":\"" PAN "\"}}", true },
	{ "{" CARD USER ",\"card\":{\"number\":\"" PAN "\"}}", true },
	{ "{" CARD USER ",\"card\":[[{\"a\":[\"" PAN "\"]}]]}", true },
	{ "{" CARD USER ",\"subject2\":{\"userId\":\"" PAN "\"}}", true },
	{ "{" CARD USER ",\"x\":{\"subject\":{\"userId\":\"" PAN "\"}}}",
	    true },
	{ "{" CARD USER ",\"" PAN "\":null}", true },
	{ "{" CARD USER ",\"userId\":\"" PAN "\"}", true },
	{ "{" CARD USER ",\"phone\":\"" PAN "\"}", true },
	{ "{" CARD "\"currency\":\"" PAN "\"," USER "}", true },
	{ "{" CARD "\"amount\":4012888888881881,\"currency\":\"ETB\"," USER "}",
	    true },
	{ "{\"type\":\"" PAN "\"," USER "}", true },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"channel\":\"" PAN "\"}}",
	    true },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"ip\":\"" PAN "\"}}", true },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"id\":\"" PAN "\"}}", true },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"" PAN "\":\"\"}}", true },
	{ "{" CARD "\"subject\":[{\"userId\":\"" PAN "\"}]}", true },
	{ "[\"" PAN "\"]", true },
	{ "\"" PAN "\"", true },
	{ PAN, true },
	{ "{" CARD "\"id\":\"" PAN "\"," USER "}", false },
	{ "{" CARD "\"subject\":{\"userId\":\"" PAN "\"}}", false },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"deviceId\":\"" PAN "\"}}",
	    false },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"fingerprint\":\"" PAN
	  "\"}}",
	    false },
	{ "{" CARD "\"subject\":{\"userId\":\"u\",\"phone\":\"" PAN "\"}}",
	    false },
	{ "{" CARD USER ",\"attributes\":{\"t\":1732147200000000}}", false },
};

/* Requests, and their masked form in the activity log. */
static const struct {
	const char *json;
	const char *want;
} masked[] = {
	{ "{" CARD USER "}",
	    "{\"type\":\"card.authorize\",\"subject\":{\"userId\":\"u\"}}" },
	{ "{\"attributes\":{\"z\":1.50,\"a\":\"x\\\"y\\n\",\"b\":false},"
	  "\"instrument\":{\"threeDS\":false,\"bin\":\"41111111\","
	  "\"issuerCountry\":\"et\",\"kind\":\"card\",\"other\":1},"
	  "\"subject\":{\"channel\":\"web\",\"phone\":\"00251 911-234-544\","
	  "\"ip\":\"196.188.12.3\",\"fingerprint\":\"f\",\"deviceId\":\"d\","
	  "\"userId\":\"u\",\"other\":{}},\"currency\":\"etb\","
	  "\"amount\":12.50,\"id\":\"e\",\"other\":[1]," CARD "\"x\":null}",
	    "{\"id\":\"e\",\"type\":\"card.authorize\",\"amount\":12.50,"
	    "\"currency\":\"ETB\",\"subject\":{\"userId\":\"u\","
	    "\"deviceId\":\"d\",\"fingerprint\":\"f\","
	    "\"ip\":\"196.188." BULLET "." BULLET "\","
	    "\"phone\":\"+2519" BULLETS "44\",\"channel\":\"web\"},"
	    "\"instrument\":{\"kind\":\"card\",\"bin\":\"41111111\","
	    "\"issuerCountry\":\"ET\",\"threeDS\":false},"
	    "\"attributes\":{\"z\":1.50,\"a\":\"x\\\"y\\u000a\","
	    "\"b\":false}}" },
	/* null means missing, where it is allowed */
	{ "{" CARD "\"id\":null,\"amount\":null,\"currency\":null,"
	  "\"subject\":{\"userId\":\"u\",\"deviceId\":null,"
	  "\"fingerprint\":null,\"ip\":null,\"phone\":null,"
	  "\"channel\":null},\"instrument\":null,\"attributes\":null}",
	    "{\"type\":\"card.authorize\",\"subject\":{\"userId\":\"u\"}}" },
	{ "{" CARD "\"amount\":null,\"currency\":\"ETB\"," USER
	  ",\"instrument\":{\"kind\":null,\"bin\":null,\"issuerCountry\":"
	  "null,\"threeDS\":null},\"attributes\":{\"a\":null,\"\":null,"
	  "\"b\":1}}",
	    "{\"type\":\"card.authorize\",\"currency\":\"ETB\","
	    "\"subject\":{\"userId\":\"u\"},\"attributes\":{\"b\":1}}" },
	{ "{" CARD "\"amount\":1E2,\"currency\":\"ETB\"," USER
	  ",\"instrument\":{\"threeDS\":true},\"attributes\":{}}",
	    "{\"type\":\"card.authorize\",\"amount\":1E2,\"currency\":\"ETB\","
	    "\"subject\":{\"userId\":\"u\"},"
	    "\"instrument\":{\"threeDS\":true}}" },
	{ "{" CARD "\"subject\":{\"userId\":\"{\",\"deviceId\":\"{\"}}",
	    "{\"type\":\"card.authorize\",\"subject\":{\"userId\":\"{\","
	    "\"deviceId\":\"{\"}}" },
};

static const struct {
	const char *name;
	const char *text;
	const char *want;
} masks[] = {
#define MASK(name, text, want) { #name, text, want },
#include "t/unit/masks.tbl"
#undef MASK
};

static const struct body_field fields[] = {
	{ "name", BODY_STRING, BODY_REQUIRED, 1, 5 },
	{ "days", BODY_INT, BODY_NULLABLE, 1, 3650 },
	{ "share", BODY_NUMBER, BODY_OPTIONAL, 0, 1 },
	{ "on", BODY_BOOL, BODY_OPTIONAL, 0, 0 },
	{ "scopes", BODY_ARRAY, BODY_OPTIONAL, 1, 2 },
	{ "policy", BODY_OBJECT, BODY_NULLABLE, 0, 0 },
	{ "label", BODY_LINE, BODY_NULLABLE, 1, 20 },
	{ "user", BODY_OPAQUE, BODY_NULLABLE, 1, 20 },
	{ "value", BODY_SCALAR, BODY_NULLABLE, 0, 0 },
};

static const struct {
	const char *json;
	const char *where; /* NULL: accepted */
	const char *why;
} checks[] = {
	{ "{\"name\":\"n\"}", NULL, NULL },
	{ "{\"name\":\"12345\",\"days\":1,\"share\":0.5,\"on\":true,"
	  "\"scopes\":[1],\"policy\":{}}",
	    NULL, NULL },
	{ "{\"name\":\"n\",\"days\":null,\"policy\":null}", NULL, NULL },
	{ "{\"name\":\"n\",\"days\":10.0}", NULL, NULL },
	{ "{\"name\":\"n\",\"days\":1e2}", NULL, NULL },
	{ "{\"name\":\"n\",\"share\":1}", NULL, NULL },
	{ "[]", "", "the body must be a JSON object" },
	{ "null", "", "the body must be a JSON object" },
	{ "\"name\"", "", "the body must be a JSON object" },
	{ "{}", "name", "is required" },
	{ "{\"name\":null}", "name", "must be a string of 1 to 5 bytes" },
	{ "{\"name\":7}", "name", "must be a string of 1 to 5 bytes" },
	{ "{\"name\":\"\"}", "name", "must be a string of 1 to 5 bytes" },
	{ "{\"name\":\"123456\"}", "name", "must be a string of 1 to 5 bytes" },
	{ "{\"name\":\"n\",\"day\":1}", "day", "is an unknown field" },
	{ "{\"Name\":\"n\"}", "Name", "is an unknown field" },
	{ "{\"name\":\"n\",\"+251911234544\":1}", "",
	    "the body has an unknown field" },
	{ "{\"name\":\"n\",\"days\":0}", "days",
	    "must be an integer from 1 to 3650" },
	{ "{\"name\":\"n\",\"days\":3651}", "days",
	    "must be an integer from 1 to 3650" },
	{ "{\"name\":\"n\",\"days\":1.5}", "days",
	    "must be an integer from 1 to 3650" },
	{ "{\"name\":\"n\",\"days\":\"1\"}", "days",
	    "must be an integer from 1 to 3650" },
	{ "{\"name\":\"n\",\"days\":1e300}", "days",
	    "must be an integer from 1 to 3650" },
	{ "{\"name\":\"n\",\"days\":99999999999999999999}", "days",
	    "must be an integer from 1 to 3650" },
	{ "{\"name\":\"n\",\"share\":1.1}", "share",
	    "must be a number from 0 to 1" },
	{ "{\"name\":\"n\",\"share\":-0.1}", "share",
	    "must be a number from 0 to 1" },
	{ "{\"name\":\"n\",\"share\":\"0\"}", "share",
	    "must be a number from 0 to 1" },
	{ "{\"name\":\"n\",\"share\":null}", "share",
	    "must be a number from 0 to 1" },
	{ "{\"name\":\"n\",\"on\":1}", "on", "must be true or false" },
	{ "{\"name\":\"n\",\"on\":null}", "on", "must be true or false" },
	{ "{\"name\":\"n\",\"scopes\":[]}", "scopes",
	    "must be an array of 1 to 2 elements" },
	{ "{\"name\":\"n\",\"scopes\":[1,2,3]}", "scopes",
	    "must be an array of 1 to 2 elements" },
	{ "{\"name\":\"n\",\"scopes\":{}}", "scopes",
	    "must be an array of 1 to 2 elements" },
	{ "{\"name\":\"n\",\"policy\":[]}", "policy", "must be an object" },
	{ "{\"name\":\"n\",\"label\":\" till 7\"}", NULL, NULL },
	{ "{\"name\":\"n\",\"label\":\"  \"}", "label",
	    "must be one line, not blank, of 1 to 20 bytes" },
	{ "{\"name\":\"n\",\"label\":\"a\\u001b[2J\"}", "label",
	    "must be one line, not blank, of 1 to 20 bytes" },
	{ "{\"name\":\"n\",\"label\":\"a\\nb\"}", "label",
	    "must be one line, not blank, of 1 to 20 bytes" },
	{ "{\"name\":\"n\",\"label\":\"a\\u0085b\"}", "label",
	    "must be one line, not blank, of 1 to 20 bytes" },
	{ "{\"name\":\"n\",\"label\":\"4111111111111111\"}", "label",
	    BODY_PAN_RULE },
	{ "{\"name\":\"n\",\"user\":\"4111111111111111\"}", NULL, NULL },
	{ "{\"name\":\"n\",\"value\":\"4111111111111111\"}", "value",
	    BODY_PAN_RULE },
	{ "{\"name\":\"n\",\"value\":4111111111111111}", "value",
	    BODY_PAN_RULE },
	{ "{\"name\":\"n\",\"_4111111111111111\":1}", "",
	    "the body has an unknown field" },
};

/* Parse a text, which must be JSON. */
static struct json_object *
parse(struct arena *a, const char *text)
{
	struct fail f = { 0 };
	struct json_object *json;

	json = body_parse(a, text, strlen(text), &f);
	ck_assert_msg(json != NULL, "%s: %s", text, f.why);
	return json;
}

/* Read a text, which must be an event. */
static void
read_event(struct arena *a, const char *text, struct event *ret)
{
	struct fail f = { 0 };

	ck_assert_msg(body_event(a, parse(a, text), NULL, ret, &f) == 0,
	    "%s: %s %s", text, f.where, f.why);
}

START_TEST(bad_field_is_refused_by_name)
{
	struct fail f = { 0 };
	struct event ev;
	struct arena a;
	int r;

	arena_init(&a, block, sizeof(block));
	r = body_event(&a, parse(&a, events[_i].json), NULL, &ev, &f);
	ck_assert_msg(r == (events[_i].code == 0 ? 0 : -1), "%s: %s %s",
	    events[_i].json, f.where, f.why);
	ck_assert_int_eq(f.code, events[_i].code);
	if (r == -1) {
		ck_assert_int_eq(f.kind, FAIL_INPUT);
		ck_assert_str_eq(f.where, events[_i].where);
		if (events[_i].why != NULL)
			ck_assert_str_eq(f.why, events[_i].why);
	}
	arena_reset(&a);
}
END_TEST

START_TEST(card_number_is_refused)
{
	struct fail f = { 0 };
	struct event ev;
	struct arena a;

	arena_init(&a, block, sizeof(block));
	(void)!body_event(&a, parse(&a, pans[_i].json), NULL, &ev, &f);
	if (pans[_i].found) {
		ck_assert_int_eq(f.code, INGEST_PAN_REJECTED);
		ck_assert_str_eq(f.where, "");
		ck_assert_ptr_null(strstr(f.why, "1111"));
	} else
		ck_assert_int_ne(f.code, INGEST_PAN_REJECTED);
	arena_reset(&a);
}
END_TEST

/* All fields, in their normal form. */
START_TEST(event_gets_all_fields)
{
	struct event ev;
	struct arena a;

	arena_init(&a, block, sizeof(block));
	read_event(&a, masked[1].json, &ev);
	ck_assert_int_eq(ev.type, EVENT_CARD_AUTHORIZE);
	ck_assert_str_eq(ev.id, "e");
	ck_assert(ev.has_amount && ev.amount == 12.5);
	ck_assert_str_eq(ev.amount_text, "12.50");
	ck_assert_str_eq(ev.currency, "ETB");
	ck_assert_str_eq(ev.user, "u");
	ck_assert_str_eq(ev.device, "d");
	ck_assert_str_eq(ev.fingerprint, "f");
	ck_assert_str_eq(ev.ip, "196.188.12.3");
	ck_assert(ev.ip_public);
	ck_assert_str_eq(ev.phone, "251911234544");
	ck_assert_str_eq(ev.channel, "web");
	ck_assert_str_eq(ev.instrument_kind, "card");
	ck_assert_str_eq(ev.bin, "41111111");
	ck_assert_str_eq(ev.issuer_country, "ET");
	ck_assert_int_eq(ev.three_ds.type, VALUE_BOOL);
	ck_assert(!ev.three_ds.flag);
	ck_assert_uint_eq(ev.n_attrs, 3);
	ck_assert_str_eq(ev.attrs[0].name, "z");
	ck_assert_str_eq(ev.attrs[0].text, "1.50");
	ck_assert(ev.attrs[0].value.type == VALUE_NUMBER &&
	    ev.attrs[0].value.number == 1.5);
	ck_assert_str_eq(ev.attrs[1].value.string, "x\"y\n");
	ck_assert_ptr_null(ev.attrs[1].text);
	ck_assert_int_eq(ev.attrs[2].value.type, VALUE_BOOL);
	arena_reset(&a);
}
END_TEST

/* A missing field is NULL or unknown, even if *ev held another event. */
START_TEST(missing_fields_are_unknown)
{
	struct event ev;
	struct arena a;

	arena_init(&a, block, sizeof(block));
	memset(&ev, 'x', sizeof(ev));
	read_event(&a, "{" CARD USER "}", &ev);
	ck_assert_ptr_null(ev.id);
	ck_assert(!ev.has_amount);
	ck_assert_ptr_null(ev.currency);
	ck_assert_ptr_null(ev.device);
	ck_assert_ptr_null(ev.ip);
	ck_assert_ptr_null(ev.phone);
	ck_assert_ptr_null(ev.instrument_kind);
	ck_assert_int_eq(ev.three_ds.type, VALUE_UNKNOWN);
	ck_assert_uint_eq(ev.n_attrs, 0);
	arena_reset(&a);
}
END_TEST

/* Return an event with n attributes, whose values are strings of size bytes. */
static struct json_object *
with_attrs(struct arena *a, int n, int size)
{
	struct str s;
	int i;

	str_init(&s, a);
	str_add(&s, "{" CARD USER ",\"attributes\":{");
	for (i = 0; i < n; i++)
		str_addf(
		    &s, "%s\"a%03d\":\"%*s\"", i == 0 ? "" : ",", i, size, "");
	str_add(&s, "}}");
	return parse(a, str_text(&s));
}

START_TEST(attributes_are_limited)
{
	static const struct {
		int n;
		int size;
		const char *why; /* NULL: accepted */
	} sizes[] = {
		{ 64, 10, NULL },
		{ 65, 1, "must be at most 64" },
		{ 64, 252, NULL }, /* 64 times 256 is 16384 */
		{ 64, 253, "must be at most 16384 bytes together" },
		{ 15, 1024, NULL },
		{ 16, 1024, "must be at most 16384 bytes together" },
	};
	struct fail f = { 0 };
	struct event ev;
	struct arena a;

	arena_init(&a, block, sizeof(block));
	ck_assert_int_eq(
	    body_event(
		&a, with_attrs(&a, sizes[_i].n, sizes[_i].size), NULL, &ev, &f),
	    sizes[_i].why == NULL ? 0 : -1);
	ck_assert_str_eq(f.why, sizes[_i].why == NULL ? "" : sizes[_i].why);
	ck_assert_str_eq(f.where, sizes[_i].why == NULL ? "" : "attributes");
	if (sizes[_i].why == NULL)
		ck_assert_uint_eq(ev.n_attrs, (size_t)sizes[_i].n);
	arena_reset(&a);
}
END_TEST

START_TEST(event_fails_in_full_arena)
{
	struct fail f = { 0 };
	struct event ev;
	struct arena a, small;

	arena_init(&a, block, sizeof(block));
	arena_init(&small, block + sizeof(block) / 2, 64);
	ck_assert_int_eq(
	    body_event(&small, parse(&a, masked[1].json), NULL, &ev, &f), -1);
	ck_assert_int_eq(f.kind, FAIL_US);
	ck_assert_int_eq(f.code, INTERNAL);
	arena_reset(&small);
	memset(&f, 0, sizeof(f));
	ck_assert_ptr_null(
	    body_parse(&small, masked[1].json, strlen(masked[1].json), &f));
	ck_assert_int_eq(f.code, INTERNAL);
	arena_reset(&small);
	arena_reset(&a);
}
END_TEST

START_TEST(masked_request_hides_personal_data)
{
	struct event ev;
	struct arena a;
	struct str s;

	arena_init(&a, block, sizeof(block));
	read_event(&a, masked[_i].json, &ev);
	str_init(&s, &a);
	body_masked(&s, &ev);
	ck_assert_str_eq(str_text(&s), masked[_i].want);
	parse(&a, str_text(&s));
	arena_reset(&a);
}
END_TEST

static void
check_text(const char *a, const char *b)
{
	ck_assert_int_eq(a == NULL, b == NULL);
	if (a != NULL)
		ck_assert_str_eq(a, b);
}

static void
check_value(const struct value *a, const struct value *b)
{
	ck_assert_int_eq(a->type, b->type);
	if (a->type == VALUE_STRING)
		ck_assert_str_eq(a->string, b->string);
	if (a->type == VALUE_NUMBER)
		ck_assert_mem_eq(&a->number, &b->number, sizeof(a->number));
	if (a->type == VALUE_BOOL)
		ck_assert_int_eq(a->flag, b->flag);
}

/* An event written with body_unmasked() is read back with equal members. */
START_TEST(unmasked_event_is_read_back)
{
	struct event ev, again;
	struct arena a;
	struct str s;
	size_t i;

	arena_init(&a, block, sizeof(block));
	read_event(&a, masked[_i].json, &ev);
	str_init(&s, &a);
	body_unmasked(&s, &ev);
	read_event(&a, str_text(&s), &again);
	ck_assert_int_eq(again.type, ev.type);
	check_text(again.id, ev.id);
	ck_assert_int_eq(again.has_amount, ev.has_amount);
	ck_assert_mem_eq(&again.amount, &ev.amount, sizeof(ev.amount));
	check_text(again.amount_text, ev.amount_text);
	check_text(again.currency, ev.currency);
	check_text(again.user, ev.user);
	check_text(again.device, ev.device);
	check_text(again.fingerprint, ev.fingerprint);
	check_text(again.ip, ev.ip);
	ck_assert_int_eq(again.ip_public, ev.ip_public);
	check_text(again.phone, ev.phone);
	check_text(again.channel, ev.channel);
	check_text(again.instrument_kind, ev.instrument_kind);
	check_text(again.bin, ev.bin);
	check_text(again.issuer_country, ev.issuer_country);
	check_value(&again.three_ds, &ev.three_ds);
	ck_assert_uint_eq(again.n_attrs, ev.n_attrs);
	for (i = 0; i < ev.n_attrs; i++) {
		check_text(again.attrs[i].name, ev.attrs[i].name);
		check_text(again.attrs[i].text, ev.attrs[i].text);
		check_value(&again.attrs[i].value, &ev.attrs[i].value);
	}
	arena_reset(&a);
}
END_TEST

START_TEST(address_or_phone_is_masked)
{
	char json[256], expect[256];
	struct event ev;
	struct arena a;
	struct str s;

	snprintf(json, sizeof(json),
	    "{" CARD "\"subject\":{\"userId\":\"u\",\"%s\":\"%s\"}}",
	    masks[_i].name, masks[_i].text);
	snprintf(expect, sizeof(expect), ",\"%s\":\"%s\"}}", masks[_i].name,
	    masks[_i].want);
	arena_init(&a, block, sizeof(block));
	read_event(&a, json, &ev);
	str_init(&s, &a);
	body_masked(&s, &ev);
	ck_assert_ptr_nonnull(str_text(&s));
	ck_assert_msg(strstr(str_text(&s), expect) != NULL, "%s", str_text(&s));
	arena_reset(&a);
}
END_TEST

START_TEST(body_with_bad_field_is_refused)
{
	struct fail f = { 0 };
	struct arena a;
	int r;

	arena_init(&a, block, sizeof(block));
	r = body_check(parse(&a, checks[_i].json), fields, nitems(fields), &f);
	ck_assert_int_eq(r, checks[_i].where == NULL ? 0 : -1);
	if (r == -1) {
		ck_assert_int_eq(f.code,
		    strcmp(checks[_i].why, BODY_PAN_RULE) == 0
			? INGEST_PAN_REJECTED
			: INVALID_REQUEST);
		ck_assert_str_eq(f.where, checks[_i].where);
		ck_assert_str_eq(f.why, checks[_i].why);
	}
	arena_reset(&a);
}
END_TEST

START_TEST(fields_of_a_body_are_read)
{
	struct json_object *json;
	struct arena a;

	arena_init(&a, block, sizeof(block));
	json = parse(
	    &a, "{\"name\":\"n\",\"days\":30.0,\"on\":true,\"policy\":null}");
	ck_assert_str_eq(body_string(json, "name"), "n");
	ck_assert_ptr_null(body_string(json, "other"));
	ck_assert_ptr_null(body_string(json, "policy"));
	ck_assert_int_eq(body_int(json, "days", 7), 30);
	ck_assert_int_eq(body_int(json, "on", 0), 1);
	ck_assert_int_eq(body_int(json, "other", 7), 7);
	ck_assert_int_eq(body_int(json, "policy", 7), 7);
	ck_assert(body_has(json, "name"));
	ck_assert(!body_has(json, "other"));
	ck_assert(!body_has(json, "policy"));
	arena_reset(&a);
}
END_TEST

Suite *
suite_body(void)
{
	Suite *s = suite_create("body");
	TCase *tc = tcase_create("body");

	tcase_add_loop_test(
	    tc, bad_field_is_refused_by_name, 0, (int)nitems(events));
	tcase_add_loop_test(tc, card_number_is_refused, 0, (int)nitems(pans));
	tcase_add_test(tc, event_gets_all_fields);
	tcase_add_test(tc, missing_fields_are_unknown);
	tcase_add_loop_test(tc, attributes_are_limited, 0, 6);
	tcase_add_test(tc, event_fails_in_full_arena);
	tcase_add_loop_test(
	    tc, unmasked_event_is_read_back, 0, (int)nitems(masked));
	tcase_add_loop_test(
	    tc, masked_request_hides_personal_data, 0, (int)nitems(masked));
	tcase_add_loop_test(
	    tc, address_or_phone_is_masked, 0, (int)nitems(masks));
	tcase_add_loop_test(
	    tc, body_with_bad_field_is_refused, 0, (int)nitems(checks));
	tcase_add_test(tc, fields_of_a_body_are_read);
	suite_add_tcase(s, tc);
	return s;
}
