-- SPDX-License-Identifier: ISC
-- assay.audit_page also selects by a part of an entry.  Earlier programs call it without.

drop function if exists assay.audit_page(bigint, bigint, text, text, text,
    timestamptz, timestamptz);
