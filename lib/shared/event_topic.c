/* SPDX-License-Identifier: ISC */
/* The topics of published events, from event_topics.tbl. */
#include "config.h"

#include "core/base/array.h"
#include "lib/shared/event_topic.h"

#define WEBHOOK TOPIC_WEBHOOK
#define ALERT TOPIC_ALERT

static const struct {
	const char *name;
	unsigned subscribers;
} topics[TOPIC__MAX] = {
#define TOPIC(id, name, subscribers) [TOPIC_##id] = { name, subscribers },
#include "lib/shared/event_topics.tbl"
#undef TOPIC
};

size_t
event_topic_names(enum event_topic_subscriber who, const char *ret[TOPIC__MAX])
{
	enum event_topic topic;
	size_t n = 0;

	for (topic = TOPIC__NONE + 1; topic < TOPIC__MAX; topic++)
		if ((topics[topic].subscribers & who) != 0)
			ret[n++] = topics[topic].name;
	return n;
}

bool
event_topic_offered(enum event_topic_subscriber who, const char *name)
{
	return (topics[event_topic_parse(name)].subscribers & who) != 0;
}

enum event_topic
event_topic_parse(const char *name)
{
	return name_index(topics, name);
}
