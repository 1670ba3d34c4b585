/* SPDX-License-Identifier: ISC */
/*
 * Calls that this tree does not use: they do not know the size of their output,
 * keep hidden state, hide errors, or start a shell.  Makefile.am compiles every
 * file with "-include lib/sys/banned.h".  The headers that declare the calls
 * must be included before the macros.  Only calls are caught, because libraries
 * name parameters "rand".
 */
#ifndef LIB_SYS_BANNED_H
#define LIB_SYS_BANNED_H

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A banned call does not compile; the error names this header. */
#define BANNED(call) call##_is_banned_by_lib_banned_h

#undef strcpy
#undef strcat
#undef sprintf
#undef vsprintf
#undef strtok
#define strcpy(...) BANNED(strcpy)
#define strcat(...) BANNED(strcat)
#define sprintf(...) BANNED(sprintf)
#define vsprintf(...) BANNED(vsprintf)
#define strtok(...) BANNED(strtok)

#undef gmtime
#undef localtime
#undef ctime
#undef asctime
#define gmtime(...) BANNED(gmtime)
#define localtime(...) BANNED(localtime)
#define ctime(...) BANNED(ctime)
#define asctime(...) BANNED(asctime)

#undef atoi
#undef atol
#undef atof
#undef rand
#undef system
#undef popen
#define atoi(...) BANNED(atoi)
#define atol(...) BANNED(atol)
#define atof(...) BANNED(atof)
#define rand(...) BANNED(rand)
#define system(...) BANNED(system)
#define popen(...) BANNED(popen)

#endif
