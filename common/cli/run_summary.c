#include "common/cli/run_summary.h"

#include <string.h>
#include <time.h>

#include "common/bsp/engine.h"
#include "common/bsp/worldlight.h"
#include "common/core/array.h"
#include "common/core/clock.h"

void run_summary_end_stage(struct run_summary *summary)
{
    if (!arrlenu(summary->stages))
        return;
    struct summary_stage *stage = &arrlast(summary->stages);
    stage->wall = clock_seconds(CLOCK_MONOTONIC) - stage->wall;
    stage->cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - stage->cpu;
}

/* Until it ends, a stage has the times of its start. */
void run_summary_stage(struct run_summary *summary, const char *name)
{
    run_summary_end_stage(summary);
    struct summary_stage stage = {.name = arena_strdup(&summary->arena, name),
                                  .wall = clock_seconds(CLOCK_MONOTONIC),
                                  .cpu = clock_seconds(CLOCK_PROCESS_CPUTIME_ID)};
    arrput(summary->stages, stage);
}

void run_summary_phase(struct run_summary *summary, const char *name, double wall, double cpu)
{
    if (!arrlenu(summary->stages))
        return;
    struct summary_phase phase = {arena_strdup(&summary->arena, name), wall, cpu};
    arrput(arrlast(summary->stages).phases, phase);
}

static struct summary_value *set_value(struct run_summary *summary, struct summary_value *values,
                                       const char *name, int64_t value)
{
    for (size_t i = 0; i < arrlenu(values); i++)
        if (strcmp(values[i].name, name) == 0) {
            values[i].value = value;
            return values;
        }
    arrput(values, ((struct summary_value){arena_strdup(&summary->arena, name), value}));
    return values;
}

void run_summary_counter(struct run_summary *summary, const char *name, int64_t value)
{
    if (!arrlenu(summary->stages))
        return;
    struct summary_stage *stage = &arrlast(summary->stages);
    stage->counters = set_value(summary, stage->counters, name, value);
}

int64_t run_summary_find(const struct run_summary *summary, const char *name)
{
    for (size_t i = arrlenu(summary->stages); i-- > 0;) {
        const struct summary_value *counters = summary->stages[i].counters;
        for (size_t k = 0; k < arrlenu(counters); k++)
            if (strcmp(counters[k].name, name) == 0)
                return counters[k].value;
    }
    return -1;
}

void run_summary_map(struct run_summary *summary, const char *name, int64_t value)
{
    summary->map = set_value(summary, summary->map, name, value);
}

void run_summary_limit(struct run_summary *summary, const struct bsp_limit *limit, int64_t used)
{
    struct bsp_limit *copy = ARENA_ARRAY(&summary->arena, struct bsp_limit, 1);
    *copy = *limit;
    const struct summary_limit item = {copy, used};
    for (size_t i = 0; i < arrlenu(summary->limits); i++)
        if (strcmp(summary->limits[i].limit->name, limit->name) == 0) {
            summary->limits[i] = item;
            return;
        }
    arrput(summary->limits, item);
}

void run_summary_file(struct run_summary *summary, const char *path, int64_t bytes)
{
    for (size_t i = 0; i < arrlenu(summary->files); i++)
        if (strcmp(summary->files[i].path, path) == 0) {
            summary->files[i].bytes = bytes;
            return;
        }
    arrput(summary->files, ((struct summary_file){arena_strdup(&summary->arena, path), bytes}));
}

void run_summary_job(struct run_summary *summary, const struct summary_job *job)
{
    struct summary_job copy = *job;
    copy.map = arena_strdup(&summary->arena, job->map);
    copy.result = job->result ? arena_strdup(&summary->arena, job->result) : NULL;
    arrput(summary->jobs, copy);
}

void run_summary_free(struct run_summary *summary)
{
    for (size_t i = 0; i < arrlenu(summary->stages); i++) {
        arrfree(summary->stages[i].phases);
        arrfree(summary->stages[i].counters);
    }
    arrfree(summary->stages);
    arrfree(summary->map);
    arrfree(summary->limits);
    arrfree(summary->files);
    arrfree(summary->jobs);
    arena_free(&summary->arena);
    *summary = (struct run_summary){0};
}

/* --- a compiled map --- */

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
