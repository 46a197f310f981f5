#include "common/cli/run_summary.h"

#include <string.h>
#include <time.h>

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
