/* SPDX-License-Identifier: ISC */
/* Limits that both settings and other modules use. */
#ifndef LIB_SYS_LIMITS_H
#define LIB_SYS_LIMITS_H

#define TXN_MAX 100 /* decisions in one transaction */
#define SHM_GROUP_SLOTS 128 /* workers of one group */

#endif
