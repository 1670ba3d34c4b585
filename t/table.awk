# SPDX-License-Identifier: ISC
# A training table of forty days of 100 events, a tenth of them fraud, with the
# columns of features ("a,b,c").  The first is high for most fraud, the second
# for half of what is legit, the third is a constant, the others are nothing.
# Labels come seven days later.

function next_random() {
	seed = (seed * 16807) % 2147483647
	return seed / 2147483647
}

function stamp(minutes, day) {
	day = int(minutes / 1440)
	return sprintf("2026-%02d-%02dT%02d:%02d:00.000000Z",
	    1 + int(day / 31), 1 + day % 31, int(minutes / 60) % 24,
	    minutes % 60)
}

BEGIN {
	seed = 20261121
	k = split(features, name, ",")
	print "event_id,user_id,decided_at,fraud,labelled_at," features
	for (i = 0; i < 4000; i++) {
		fraud = next_random() < 0.1
		x = next_random() * (fraud ? 1 : 0.6)
		y = next_random() < (fraud ? 0.1 : 0.5) ? 1 : 0
		minutes = int(i * 14.4)
		row = "e" i ",u" int(next_random() * 300) "," \
		    stamp(minutes) "," (fraud ? 1 : 0) "," \
		    stamp(minutes + 7 * 1440)
		for (j = 1; j <= k; j++)
			row = row "," (j == 1 ? sprintf("%.17g", x) : \
			    j == 2 ? y : j == 3 ? 0.5 : 0)
		print row
	}
}
