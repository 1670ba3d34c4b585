# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# An operator's session in a browser.  Sourced after lib.sh.
# shellcheck disable=SC2154 # scratch is lib.sh's

# browse METHOD PATH [BODY]: send a request as the console does; cookie is the
# session's "assay=TOKEN", or empty.
browse() {
	http "$1" "$2" "${3-}" \
	    -H 'Assay-Session: cookie' -H 'Sec-Fetch-Site: same-origin' \
	    ${cookie:+-H "Cookie: theme=dark; $cookie"}
}

# take_cookie: cookie is the one that the last answer sets.
take_cookie() {
	cookie=$(header set-cookie | sed 's/;.*//')
}

# log_in_browser PASSWORD: open a session of the first operator.
log_in_browser() {
	cookie=
	browse POST /v1/auth/login "{\"email\":\"admin@example.com\",
	    \"password\":\"$1\"}"
	take_cookie
}

# base64url: standard input in base64url without padding.
base64url() {
	openssl base64 -A | tr '+/' '-_' | tr -d '='
}

# aged_cookie SECONDS SECRET: the session of cookie as if its password had been
# entered so many seconds ago; SECRET is AUTH_SECRET.
aged_cookie() {
	TOKEN=${cookie#assay=}
	aged_at=$(($(token_claim at) - $1))
	aged_token=${TOKEN%%.*}.$(printf '%s' "$TOKEN" | jq -Rr "split(\".\")[1] |
	    gsub(\"-\"; \"+\") | gsub(\"_\"; \"/\") | @base64d" |
	    sed "s/\"at\":[0-9]*/\"at\":$aged_at/" | tr -d '\n' | base64url)
	TOKEN=
	cookie=assay=$aged_token.$(printf '%s' "$aged_token" |
	    openssl dgst -sha256 -hmac "$2" -binary | base64url)
}
