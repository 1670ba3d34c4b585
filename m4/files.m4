# SPDX-License-Identifier: ISC

# ASSAY_FILES(VARIABLE, PATTERN ...): VARIABLE lists the files of the source folder that
# match, in order.
AC_DEFUN([ASSAY_FILES], [
AC_SUBST([$1])
$1=`cd "$srcdir" && LC_ALL=C && export LC_ALL && echo $2`
])
