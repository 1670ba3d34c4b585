# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# The site of production: nginx with TLS, before the pool of a scenario.  Sourced
# after lib.sh.
# shellcheck disable=SC2154 # scratch and srcdir are lib.sh's

# tls_ca NAME: make a CA; its files are tls/NAME.key and tls/NAME.pem.
tls_ca() {
	mkdir -p "$scratch/tls"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
	    -days 1 -subj "/CN=$1" \
	    -keyout "$scratch/tls/$1.key" -out "$scratch/tls/$1.pem" 2>/dev/null
}

# tls_certificate CA NAME [EXTENSION]: let the CA sign a certificate; its files
# are tls/NAME.key and tls/NAME.pem.
tls_certificate() {
	printf '%s\n' "${3:-subjectAltName = DNS:assay.example}" \
	    >"$scratch/tls/extension"
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
	    -subj "/CN=$2" \
	    -keyout "$scratch/tls/$2.key" 2>/dev/null |
	    openssl x509 -req -days 1 -CA "$scratch/tls/$1.pem" \
	        -CAkey "$scratch/tls/$1.key" -CAcreateserial \
	        -extfile "$scratch/tls/extension" \
	        -out "$scratch/tls/$2.pem" 2>/dev/null
}

# start_tls_site SERVER_NAME=NAME [NAME=VALUE ...]: nginx listens with TLS on
# run/tls.sock and without on run/plain.sock; the values are nginx/render's.
start_tls_site() {
	mkdir -p "$scratch/tls" "$scratch/acme"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 \
	    -subj /CN=assay.example -keyout "$scratch/tls/key" \
	    -out "$scratch/tls/certificate" 2>/dev/null
	cp "$scratch"/nginx/*.in "$scratch/tls/"
	cat >"$scratch/tls/render" <<-END
		#!/bin/sh
		# Render the site of production.
		case \$2 in
		*/assay.conf.in) shift; exec "$scratch/nginx/render" tls "\$@" ;;
		esac
		exec "$scratch/nginx/render" "\$@"
	END
	chmod 755 "$scratch/tls/render" "$scratch/acme"
	stack_own "$scratch/tls" "$scratch/acme"
	stack_nginx_start "$scratch/tls" "$scratch/run$host" "$scratch/log" \
	    LISTEN="unix:$scratch/run/tls.sock" \
	    LISTEN_HTTP="unix:$scratch/run/plain.sock" \
	    ACME_ROOT="$scratch/acme" \
	    CERTIFICATE="$scratch/tls/certificate" \
	    CERTIFICATE_KEY="$scratch/tls/key" SHARE_DIR="$srcdir" \
	    DECIDE_SOCKET="$scratch/run/decide.sock" \
	    OPERATOR_SOCKET="$scratch/run/operator.sock" "$@"
}

# site_code PATH [option ...]: ask assay.example with TLS, and print the status
# and the code of an error.
site_code() {
	site_path=$1
	shift
	site_status=$(fetch tls.sock "https://assay.example$site_path" "$@")
	echo "${site_status% *} $(jq -r '.code // ""' "$scratch/got" 2>/dev/null)"
}

# fetch SOCKET URL [option ...]: print the status and the target of the redirect;
# the body is in $scratch/got.
fetch() {
	fetch_socket=$scratch/run/$1
	shift
	curl -sk --max-time 20 --unix-socket "$fetch_socket" -o "$scratch/got" \
	    -w '%{http_code} %{redirect_url}' "$@"
}
