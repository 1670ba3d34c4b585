# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# The site of production: nginx with TLS, before the pool of a scenario.  Sourced
# after lib.sh.
# shellcheck disable=SC2154 # scratch and srcdir are lib.sh's

# start_tls_site: nginx listens with TLS on run/tls.sock, as assay.example, and
# without on run/plain.sock.
start_tls_site() {
	mkdir -p "$scratch/tls" "$scratch/acme"
	openssl req -x509 -newkey rsa:2048 -nodes -days 1 \
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
	stack_nginx_start "$scratch/tls" "$scratch/run" "$scratch/log" \
	    LISTEN="unix:$scratch/run/tls.sock" SERVER_NAME=Assay.example \
	    LISTEN_HTTP="unix:$scratch/run/plain.sock" \
	    ACME_ROOT="$scratch/acme" \
	    CERTIFICATE="$scratch/tls/certificate" \
	    CERTIFICATE_KEY="$scratch/tls/key" SHARE_DIR="$srcdir" \
	    DECIDE_SOCKET="$scratch/run/decide.sock" \
	    OPERATOR_SOCKET="$scratch/run/operator.sock"
}
