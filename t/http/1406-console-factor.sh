#!/bin/sh
# SPDX-License-Identifier: ISC
# Operators enable a second factor in the console: an admin who must, before the
# console opens, and an analyst who wants to.  Then codes are asked for.
. "$(dirname "$0")/lib.sh"
use chromium

need_chromium
stack_docs "$srcdir" "$scratch"
stack_console "$srcdir" "$scratch"
start_stack OPERATOR_WORKERS=3 SECOND_FACTOR=admins
admin_token
sql "insert into assay.operator (email, role, password)
    select 'ana@example.com', 'analyst', password from assay.operator"
start_tcp_site
run_steps factor.mjs 14 \
    '{"email":"admin@example.com","password":"correct horse"}'
is "the admin has a second factor, and the analyst none any more" "$(sql "select
    email from assay.second_factor where enabled_at is not null")" \
    admin@example.com
is "each recovery code that opened something is used up" "$(sql "select count(*)
    from assay.recovery_code where email = 'admin@example.com'")" 6
finish
