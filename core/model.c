/* SPDX-License-Identifier: ISC */
/* The scoring model that comes with the service, and what is said of one. */
#include "config.h"

#include <inttypes.h>

#include "core/str.h"
#include "core/model.h"

#define nitems(a) (sizeof(a) / sizeof((a)[0]))

static const struct model_feature features[] = {
#define MODEL(at, auc, accuracy, samples, bias)
#define FEATURE(name, scale, weight) { name, scale, weight },
#include "core/model.tbl"
#undef MODEL
#undef FEATURE
};

static const struct model bundled = {
#define MODEL(at, area, right, n, intercept)                                   \
	.trained_at = (at), .auc = (area), .accuracy = (right),                \
	.samples = (n), .bias = (intercept),
#define FEATURE(name, scale, weight)
#include "core/model.tbl"
#undef MODEL
#undef FEATURE
	.source = "bundled",
	.provenance = "synthetic-demo",
	.features = features,
	.n_features = nitems(features),
};

const struct model *
model_bundled(void)
{
	return &bundled;
}

size_t
model_size(const struct model *m)
{
	return sizeof(*m) + m->n_features * sizeof(*m->features);
}

void
model_json(struct str *s, const struct model *m)
{
	size_t i;

	str_addf(s,
	    "\"source\":\"%s\",\"provenance\":\"%s\",\"trainedAt\":\"%s\","
	    "\"metrics\":{\"auc\":",
	    m->source, m->provenance, m->trained_at);
	str_number(s, m->auc);
	str_add(s, ",\"accuracy\":");
	str_number(s, m->accuracy);
	str_addf(s, ",\"samples\":%" PRId64 "},\"bias\":", m->samples);
	str_number(s, m->bias);
	str_add(s, ",\"features\":[");
	for (i = 0; i < m->n_features; i++) {
		str_addf(s, "%s{\"name\":\"%s\",\"weight\":", i == 0 ? "" : ",",
		    m->features[i].name);
		str_number(s, m->features[i].weight);
		str_addc(s, '}');
	}
	str_addc(s, ']');
}
