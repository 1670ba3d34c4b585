#!/bin/sh
# SPDX-License-Identifier: ISC
# A second factor: an operator enables it with a code of an authenticator app;
# then each login needs a code, which works once.
. "$(dirname "$0")/lib.sh"
use second_factor

start_stack OPERATOR_WORKERS=3
admin_token
http GET /v1/auth/second-factor
is_json "an operator has no second factor at first" \
    '"\(.enrolled) \(.enrolledAt) \(.recoveryCodesLeft)"' "false null 0"
http POST /v1/auth/second-factor/enable '{"code":"123456"}'
is_error "nothing can be enabled before it is offered" \
    404 SECOND_FACTOR_MISSING
http POST /v1/auth/second-factor/disable '{"code":"123456"}'
is_error "nothing can be disabled before it is enabled" \
    404 SECOND_FACTOR_MISSING

http POST /v1/auth/second-factor
is "an offer answers 200 and forbids caching" \
    "$STATUS $(header cache-control)" "200 no-store"
secret=$(json .secret)
is_json "the key has 160 bits in base32" '.secret | test("^[A-Z2-7]{32}$")' true
is_json "the URI names operator, key and issuer" .uri \
    "otpauth://totp/Assay:admin%40example.com?secret=$secret&issuer=Assay"
is_json "the QR code is path data in a box" '.qr | "\(.size % 4) \(.path |
    test("^(M[0-9]+ [0-9]+h[0-9]+v1H[0-9]+z)+$"))"' "1 true"
older=$secret
http POST /v1/auth/second-factor
secret=$(json .secret)
check "a second offer has another key" test "$secret" != "$older"
http POST /v1/auth/second-factor/enable "{\"code\":\"$(code_of "$older")\"}"
is_error "the code of an earlier offer enables nothing" 403 CODE_WRONG
log_in admin@example.com 'correct horse'
is "before it is enabled no login needs a code" "$STATUS" 200
for body in '{}' '{"code":123456}' '{"code":""}' '{"code":null}' \
    '{"code":"123456","password":"x"}'; do
	http POST /v1/auth/second-factor/enable "$body"
	is_error "enabling with a bad body answers 400: $body" \
	    400 INVALID_REQUEST
done
enabling=$(code_of "$secret")
http POST /v1/auth/second-factor/enable "{\"code\":\"$enabling\"}"
is "the right code enables it and forbids caching" \
    "$STATUS $(header cache-control)" "200 no-store"
is_json "there are ten different recovery codes" '.recoveryCodes |
    "\(length) \(unique | length) \(all(test("^[0-9a-z]{5}-[0-9a-z]{5}$")))"' \
    "10 10 true"
recovery=$(json '.recoveryCodes[3]')
spare=$(json '.recoveryCodes[9]')
bearer=$(json .token)
http GET /v1/auth/me
is_error "the sessions that gave no code have ended" 401 UNAUTHENTICATED
TOKEN=$bearer
http POST /v1/auth/second-factor
is_error "an enabled factor is not replaced" 409 SECOND_FACTOR_EXISTS
http POST /v1/auth/second-factor/enable "{\"code\":\"$enabling\"}"
is_error "an enabled factor is not enabled again" 409 SECOND_FACTOR_EXISTS
http GET /v1/auth/second-factor
is_json "the status shows the factor but not its key" '"\(.enrolled)
    \(.enrolledAt | length) \(.recoveryCodesLeft) \(keys | length)" |
    gsub("\\s+"; " ")' "true 24 10 3"
http GET /v1/auth/me
is_json "the token of the answer continues the session" .secondFactor true
http GET /v1/auth/users
is_json "the list of operators shows it" '.[0].secondFactor' true

# Logins.
TOKEN=
log_in admin@example.com 'correct horse'
is_error "a login without a code asks for it" 403 CODE_REQUIRED
next=$(code_of "$secret" 1)
log_in_with admin@example.com 'wrong horse' "$next"
is_error "with a wrong password the code is not looked at" \
    401 INVALID_CREDENTIALS
log_in_with admin@example.com 'correct horse' "$enabling"
is_error "the code that enabled it opens no session" 403 CODE_WRONG
log_in_with admin@example.com 'correct horse' "$next"
is "a code that came with a wrong password is not used up" \
    "$STATUS $(json .user.email)" "200 admin@example.com"
log_in_with admin@example.com 'correct horse' "$next"
is_error "a code opens one session only" 403 CODE_WRONG
log_in_with admin@example.com 'correct horse' "$(code_of "$secret")"
is_error "no code of an earlier step opens a session" 403 CODE_WRONG
next_codes
log_in_with admin@example.com 'correct horse' "$(code_of "$secret" 3)"
is_error "a code of a minute later opens no session" 403 CODE_WRONG
sql 'delete from assay.login_failure'
log_in_with admin@example.com 'correct horse' "$(echo "$recovery" |
    tr '[:lower:]' '[:upper:]' | tr -d -)"
is "a recovery code opens a session, however it is typed" "$STATUS" 200
log_in_with admin@example.com 'correct horse' "$recovery"
is_error "a recovery code works once" 403 CODE_WRONG

# An open session: confirmation, a new password, the end of the factor.
TOKEN=$bearer
http POST /v1/auth/confirm '{"password":"correct horse"}'
is_error "a confirmation needs a code too" 403 CODE_REQUIRED
http POST /v1/auth/confirm '{"password":"correct horse","code":"1234567"}'
is_error "a wrong code confirms nothing" 403 CODE_WRONG
http POST /v1/auth/password \
    '{"password":"correct horse","newPassword":"battery staple"}'
is_error "a new password needs a code too" 403 CODE_REQUIRED
http POST /v1/auth/confirm \
    "{\"password\":\"correct horse\",\"code\":\"$(code_of "$secret")\"}"
is "a code confirms the session" "$STATUS" 200
TOKEN=$(json .token)
http POST /v1/auth/second-factor/disable '{"code":"1234567"}'
is_error "a wrong code disables nothing" 403 CODE_WRONG
http GET /v1/auth/second-factor
is_json "the used recovery code is gone" .recoveryCodesLeft 9
http POST /v1/auth/second-factor/disable "{\"code\":\"$spare\"}"
is "a recovery code disables the factor" "$STATUS $BODY" '200 {"ok":true}'
http GET /v1/auth/second-factor
is_json "the factor and its recovery codes are gone" \
    '"\(.enrolled) \(.enrolledAt) \(.recoveryCodesLeft)"' "false null 0"
log_in admin@example.com 'correct horse'
is "without a factor a login needs no code" "$STATUS" 200

# Secrets.
sql 'select params from assay.audit' >"$scratch/params"
is "the trail has no code" "$(grep -ciE "$enabling|$spare|1234567" \
    "$scratch/params")" 0
is "the trail shows that codes were sent" \
    "$(grep -c '"code":"\[redacted\]"' "$scratch/params" | head -c 1)" 1
is "no log has a key or a code" \
    "$(cat "$scratch"/log/* | grep -ciE "$secret|$older|$enabling|$spare")" 0
finish
