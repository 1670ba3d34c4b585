#!/bin/sh
# SPDX-License-Identifier: ISC
# The recipe of the bundled model reproduces its table.  Numbers may differ by a
# thousandth, because mathematical libraries round differently.
set -u
srcdir=$(cd "$(dirname "$0")/.." && pwd)
builddir=$(cd "${builddir:-.}" && pwd)

if builddir=$builddir sh "$srcdir/sample/model.sh" | awk -v near=0.001 '
	function differs(a, b) {
		if (a == b)
			return 0
		if (a !~ number || b !~ number)
			return 1
		return a - b > near || b - a > near
	}
	BEGIN { number = "^-?[0-9]+([.][0-9]+)?$" }
	{ gsub(/[(),]/, " & ") }
	NR == FNR { kept[FNR] = $0; lines = FNR; next }
	{
		n = split(kept[FNR], want)
		bad = NF != n
		for (i = 1; i <= n; i++)
			bad += differs($i, want[i])
		if (bad)
			print "# line " FNR ": " $0
		faults += bad
	}
	END { exit faults > 0 || FNR != lines || lines == 0 }' \
	"$srcdir/core/decide/model.tbl" -; then
	echo "ok 1 - the recipe makes core/decide/model.tbl"
else
	echo "not ok 1 - the recipe makes core/decide/model.tbl"
	echo "#   make model writes it again"
	exit 1
fi
echo "1..1"
