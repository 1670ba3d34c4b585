#!/bin/sh
# SPDX-License-Identifier: ISC
# /docs in a browser: log in, create a key and send an event by its forms, without
# an error in the browser.  With TEST_ALL=yes it also opens an operation of each tag and
# all schemas.
. "$(dirname "$0")/lib.sh"
use chromium

need_chromium
stack_docs "$srcdir" "$scratch"
start_stack
admin_token
start_tcp_site
input='{"email":"admin@example.com","password":"correct horse"}'
case ${TEST_ALL:-} in
yes) run_steps browser.mjs 12 "$input" all ;;
*) run_steps browser.mjs 12 "$input" ;;
esac
finish
