/* SPDX-License-Identifier: ISC */
/* assayctl lists: what its files share. */
#ifndef CTL_ENTRY_H
#define CTL_ENTRY_H

#include "lib/entry.h"

#define ENTRY_CREATED_BY "assayctl"

#endif
