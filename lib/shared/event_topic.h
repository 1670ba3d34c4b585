/* SPDX-License-Identifier: ISC */
/* The topics of published events, from event_topics.tbl. */
#ifndef LIB_SHARED_EVENT_TOPIC_H
#define LIB_SHARED_EVENT_TOPIC_H

#include <stdbool.h>
#include <stddef.h>

enum event_topic {
	TOPIC__NONE = 0,
#define TOPIC(id, name, subscribers) TOPIC_##id,
#include "lib/shared/event_topics.tbl"
#undef TOPIC
	TOPIC__MAX
};

enum event_topic_subscriber { TOPIC_WEBHOOK = 1 << 0, TOPIC_ALERT = 1 << 1 };

/* Write the topics that such a subscriber may have to ret; return how many. */
size_t event_topic_names(
    enum event_topic_subscriber who, const char *ret[TOPIC__MAX]);

/* Whether name is a topic that such a subscriber may have. */
bool event_topic_offered(enum event_topic_subscriber who, const char *name);

/* The topic that has this name; TOPIC__NONE if no topic has it. */
enum event_topic event_topic_parse(const char *name);

#endif
