/* SPDX-License-Identifier: ISC */
/*
 * Calls that nobody here may make: they do not know the size of what they
 * write, hide state between calls, swallow errors, or start a shell.  Every
 * file is compiled with "-include lib/sys/banned.h" (Makefile.am), so that none
 * can forget it; the headers that declare them therefore come first.  Only
 * calls are caught: libraries name parameters "rand".
 */
#ifndef LIB_SYS_BANNED_H
#define LIB_SYS_BANNED_H

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What is left of a call does not compile, and says why. */
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
