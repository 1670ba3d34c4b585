#!/bin/sh
# SPDX-License-Identifier: ISC
# The shipped sample is what its generator makes, byte for byte.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)
status=0

if "$builddir/sample/generate" | cmp - "$srcdir/sample/transactions.csv"; then
	echo "ok 1 - sample/transactions.csv is reproduced"
else
	echo "not ok 1 - sample/transactions.csv differs: make sample"
	status=1
fi
if [ "$("$builddir/sample/generate" --seed 2 --events 1000 --fraud 2 |
    grep -c ',1,[a-z_]*$')" -ge 20 ]; then
	echo "ok 2 - another seed and size"
else
	echo "not ok 2 - another seed and size"
	status=1
fi
echo "1..2"
exit $status
