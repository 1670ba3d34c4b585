/* SPDX-License-Identifier: ISC */
/* The reason codes of chargebacks. */
#ifndef FCGI_EP_CHARGEBACK_REASON_H
#define FCGI_EP_CHARGEBACK_REASON_H

#include <stdbool.h>

/* Whether a code, in any case, is that of a fraud (chargeback_reasons.tbl). */
bool chargeback_reason_is_fraud(const char *code);

#endif
