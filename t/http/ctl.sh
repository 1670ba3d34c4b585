# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# shellcheck disable=SC2034,SC2154 # of lib.sh; read by scenarios
# assayctl in scenarios, with its own home, for the scenario's service.
unset ASSAY_TOKEN ASSAY_CA_FILE API_KEY BASE_URL XDG_CONFIG_HOME NO_COLOR || :
HOME=$scratch/home
ASSAY_URL=unix:$scratch/run/http.sock
export HOME ASSAY_URL
mkdir -m 700 "$HOME"

# ctl ARGUMENT ...: run assayctl.  STATUS is its exit status, OUT its output, which
# is also in $scratch/out and $scratch/err.
ctl() { ctl_in '' "$@"; }

# ctl_in TEXT ARGUMENT ...: the same with this line on standard input.
ctl_in() {
	ctl_text=$1
	shift
	printf '%s\n' "$ctl_text" "$@" >>"$scratch/sent/ctl"
	printf '%s\n' "$ctl_text" | timeout 60 "$builddir/assayctl" "$@" \
	    >"$scratch/out" 2>"$scratch/err"
	STATUS=$?
	OUT=$(cat "$scratch/out")
}

# said PATTERN: the last ctl printed it, with "|" between lines.
# shellcheck disable=SC2317 # called by name
said() { cat "$scratch/out" "$scratch/err" | paste -sd '|' | grep -q -e "$1"; }

# not COMMAND ...: it fails.
# shellcheck disable=SC2317 # called by name
not() { ! "$@"; }

# login EMAIL PASSWORD: with assayctl.
login() { ctl_in "$2" login --email "$1"; }
# login_at URL: with assayctl, as the administrator at URL.
login_at() { ctl_in 'correct horse' login --email admin@example.com --url "$1"; }
