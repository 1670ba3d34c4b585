# SPDX-License-Identifier: ISC
# Forty days of payments at twenty terminals that all customers use.  Stolen cards
# pay 250 to 500, honest customers up to 100.  Only two honest payments are higher,
# and only these two are at terminals without earlier payments.  With
# theft=TERMINAL a stolen card then pays 300 there.

function next_random() {
	seed = (seed * 16807) % 2147483647
	return seed / 2147483647
}

function pay(id, minutes, customer, terminal, amount, fraud, day) {
	day = int(minutes / 1440)
	printf "%s,2026-%02d-%02dT%02d:%02d:00Z,c%d,%s,%.2f,%d\n", id,
	    1 + int(day / 31), 1 + day % 31, int(minutes / 60) % 24,
	    minutes % 60, customer, terminal, amount, fraud
}

BEGIN {
	seed = 20261125
	print "id,time,customer,terminal,amount,fraud"
	for (i = 0; i < 8000; i++) {
		minutes = int(i * 7.2)
		fraud = next_random() < 0.02
		customer = int(next_random() * 200)
		terminal = "t" int(next_random() * 20)
		amount = next_random()
		pay("e" i, minutes, customer, terminal,
		    fraud ? 250 + 250 * amount : 1 + 99 * amount, fraud)
		if (i == 4000 || i == 4100)
			pay("odd" i, minutes, 7, "new" i, 450, 0)
	}
	if (theft != "")
		pay("theft", 57600, 9, theft, 300, 1)
}
