# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# An authenticator app for the scenarios of the second factor.  Sourced after
# lib.sh.
# shellcheck disable=SC2034 # secret and recovery are read by scenarios

# code_of SECRET [STEPS]: the code of a key in base32, now or some steps later.
code_of() {
	perl -MDigest::SHA=hmac_sha1 -e 'use strict;
		my ($secret, $later) = @ARGV;
		my $key = pack "B*", join "", map { sprintf "%05b", index
		    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", $_ } split //, $secret;
		my $mac = hmac_sha1(pack("Q>", int(time / 30) + $later), $key);
		my $at = ord(substr $mac, -1) & 15;
		printf "%06d", (unpack("N", substr $mac, $at, 4) & 0x7fffffff)
		    % 1000000' "$1" "${2:-0}"
}

# wrong_code SECRET: a code that is not of the key now.
wrong_code() {
	perl -e 'printf "%06d", ($ARGV[0] + 7) % 1000000' "$(code_of "$1")"
}

# next_codes: as if later steps had come, codes that were used are new again.
next_codes() {
	sql "update assay.second_factor set last_step = 0"
}

# enrol: enable a second factor for the operator of TOKEN, which is then that of
# the new session; secret is its key, recovery its first recovery code.
enrol() {
	http POST /v1/auth/second-factor
	secret=$(json .secret)
	http POST /v1/auth/second-factor/enable \
	    "{\"code\":\"$(code_of "$secret")\"}"
	recovery=$(json '.recoveryCodes[0]')
	TOKEN=$(json .token)
	next_codes
}

# log_in_with EMAIL PASSWORD CODE
log_in_with() {
	TOKEN=
	http POST /v1/auth/login \
	    "{\"email\":\"$1\",\"password\":\"$2\",\"code\":\"$3\"}"
}
