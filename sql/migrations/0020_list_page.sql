-- SPDX-License-Identifier: ISC
-- assay.list_page() takes more parameters now, with defaults for older
-- programs.  Beside its earlier form, their calls would fit both and fail.

drop function if exists assay.list_page(text, text, bigint, bigint);
