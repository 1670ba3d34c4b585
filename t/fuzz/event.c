/* SPDX-License-Identifier: ISC */
/* Fuzz target: addresses and phone numbers of an event. */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/event.h"
#include "t/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char ip[EVENT_IP_SIZE], again[EVENT_IP_SIZE], phone[EVENT_PHONE_SIZE];
	bool pub, pub_again;
	char *text;

	if ((text = calloc(1, size + 1)) == NULL)
		return 0;
	if (size > 0)
		memcpy(text, data, size);

	/* A canonical form is its own canonical form. */
	if (event_ip(text, ip, &pub) == 0) {
		assert(event_ip(ip, again, &pub_again) == 0);
		assert(strcmp(ip, again) == 0 && pub == pub_again);
	}
	if (event_phone(text, phone) == 0)
		assert(strlen(phone) >= 8);
	free(text);
	return 0;
}
