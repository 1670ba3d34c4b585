# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# Personal data and secrets for the scenarios that search the logs for them.
# Sourced after lib.sh.
# shellcheck disable=SC2034,SC2154 # of lib.sh; read by scenarios

ip=203.0.113.87
ip6=2001:db8:77::5e
phone=251955667788
mail=ada.lovelace@mail.example

# start_private: the stack with secrets in its settings, and an operator.
start_private() {
	start_stack METRICS_TOKEN=b7f0a3-metrics-9921 \
	    AUTH_SECRET_PREVIOUS=0a1b9c7d5e3f2468ace013579bdf2468,77aa88bb99cc00dd11ee22ff33445566 \
	    DATABASE_URL="postgresql://assay_decide:Tr0ub4dor-77@/assay?host=$scratch/run" \
	    OPERATOR_DATABASE_URL="host=$scratch/run dbname=assay user=assay_operator password=c0rrect-9h0rse"
	http POST /v1/auth/register \
	    "{\"email\":\"$mail\",\"password\":\"battery staple 5\"}"
	TOKEN=$(json .token)
	is "the operator is registered" "$STATUS" 201
	http POST /v1/auth/login \
	    "{\"email\":\"$mail\",\"password\":\"staple battery 6\"}"
	is_error "a wrong password answers 401" 401 INVALID_CREDENTIALS
	api_key
	TOKEN=
}

# personal_event ID [IP]: an event with all kinds of personal data.
personal_event() {
	printf '{"id":"%s","type":"payment.authorize","amount":12.50,
	    "currency":"EUR","subject":{"userId":"u-%s","deviceId":"d-%s",
	    "ip":"%s","phone":"+251 95 566 7788"}}' "$1" "$1" "$1" "${2:-$ip}"
}
