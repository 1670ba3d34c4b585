# SPDX-License-Identifier: ISC

# ASSAY_CFLAGS(VARIABLE, FLAGS): append to VARIABLE each flag that the
# compiler takes without a warning.
AC_DEFUN([ASSAY_CFLAGS], [
AC_SUBST([$1])
for assay_flag in $2; do
	AC_MSG_CHECKING([whether $CC takes $assay_flag])
	assay_saved=$CFLAGS
	CFLAGS="$CFLAGS -Werror $assay_flag"
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
	    [AC_MSG_RESULT([yes])
	    $1="$$1 $assay_flag"],
	    [AC_MSG_RESULT([no])])
	CFLAGS=$assay_saved
done])

# ASSAY_FORTIFY(VARIABLE): append the highest _FORTIFY_SOURCE there is.
AC_DEFUN([ASSAY_FORTIFY], [
AC_MSG_CHECKING([for _FORTIFY_SOURCE])
assay_saved=$CFLAGS
assay_fortify=no
for assay_level in 3 2; do
	CFLAGS="$assay_saved -O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$assay_level"
	AS_IF([test $assay_fortify = no],
	    [AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <string.h>]])],
		[assay_fortify=$assay_level])])
done
CFLAGS=$assay_saved
AC_MSG_RESULT([$assay_fortify])
AS_IF([test $assay_fortify != no],
    [$1="$$1 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$assay_fortify"])])
