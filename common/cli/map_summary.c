#include "common/cli/map_summary.h"

#include <string.h>

#include "common/bsp/engine.h"
#include "common/bsp/worldlight.h"
#include "common/core/array.h"

static int64_t limit_use(const struct limit_report *report, const char *name)
{
    for (size_t i = 0; i < arrlenu(report->uses); i++)
        if (strcmp(report->uses[i].limit->name, name) == 0)
            return report->uses[i].used;
    return -1;
}

static void add_map(struct run_summary *summary, const struct bsp *bsp,
                    const struct limit_report *report)
{
    static const char *const always[] = {"brushes", "faces", "surfaces", "leaves"};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
        int64_t used = limit_use(report, always[i]);
        if (used >= 0)
            run_summary_map(summary, always[i], used);
    }
    if (limit_use(report, "displacements") > 0)
        run_summary_map(summary, "displacements", limit_use(report, "displacements"));
    run_summary_map(summary, "clusters", bsp_count_clusters(bsp));
    run_summary_map(summary, "entities", bsp_count_entities(bsp));
}

void map_summary_limits(struct run_summary *summary, const struct limit_report *report)
{
    for (size_t i = 0; i < arrlenu(report->uses); i++) {
        const struct limit_use *use = &report->uses[i];
        if (use->used > 0)
            run_summary_limit(summary, use->limit, use->used);
    }
}

void map_summary_add(struct run_summary *summary, const struct bsp *bsp,
                     const struct bsp_format *format)
{
    struct limit_report report;
    limit_report_make(bsp, format, &report);
    add_map(summary, bsp, &report);
    map_summary_limits(summary, &report);
    limit_report_free(&report);
}

void map_summary_light(struct run_summary *summary, const struct bsp *bsp)
{
    const struct engine_light *form = &bsp->engine->light;
    size_t ldr = arrlenu(bsp->ldr.worldlights), hdr = arrlenu(bsp->hdr.worldlights);
    summary->light = (struct summary_light){
        .present = true,
        .luxels = run_summary_find(summary, "luxels"),
        .lights = form->worldlights ? (int64_t)(ldr > hdr ? ldr : hdr)
                                    : run_summary_find(summary, "lights"),
        .ldr = !form->has_hdr || bsp->ldr.lighting.size > 0,
        .hdr = bsp->hdr.lighting.size > 0,
    };
}
