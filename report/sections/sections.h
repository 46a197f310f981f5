/* The chapters of a report, in their order. */
#ifndef REPORT_SECTIONS_SECTIONS_H
#define REPORT_SECTIONS_SECTIONS_H

#include <jansson.h>

#include "common/diff/diff.h"
#include "report/facts/light_changes.h"
#include "report/html/html.h"
#include "report/report.h"

struct report_page {
    const struct env *env;
    const struct report_source *source;
    const struct report_settings *settings;
    json_t *messages;                  /* of the build, or NULL (view/pack/diagnostics.h) */
    const json_t *result;              /* of the build (docs/json.md), or NULL */
    const struct bsp_diff *diff;       /* against the older map, or NULL */
    const struct light_changes *light; /* likewise */
    struct bytes *out;
};

/* Each appends a chapter, or nothing if there is nothing to say. */
typedef void report_section(const struct report_page *page);
report_section report_summary, report_pictures, report_changes, report_messages, report_limits,
    report_costs, report_clusters, report_entities, report_materials;

/* Links to the errors and warnings of the build. */
void report_put_message_links(const struct report_page *page);

#endif
