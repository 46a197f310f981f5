/* The summary of a run as one JSON object. */
#include <ctype.h>

#include "common/cli/run_summary.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/diag/diag_json.h"

/* "Cluster-flow steps" -> "cluster_flow_steps". */
static const char *key_of(struct arena *arena, const char *name)
{
    char *key = arena_strlower(arena, name);
    for (char *at = key; *at; at++)
        if (!isalnum((unsigned char)*at))
            *at = '_';
    return key;
}

static json_t *json_count(int64_t count)
{
    return json_integer((json_int_t)count);
}

static json_t *json_values(const struct summary_value *values)
{
    struct arena arena = {0};
    json_t *object = json_object();
    for (size_t i = 0; i < arrlenu(values); i++)
        json_object_set_new(object, key_of(&arena, values[i].name), json_count(values[i].value));
    arena_free(&arena);
    return object;
}

static void set_times(json_t *object, double wall, double cpu)
{
    json_object_set_new(object, "wall_seconds", json_real(wall));
    json_object_set_new(object, "cpu_seconds", json_real(cpu));
}

static json_t *json_stage(const struct summary_stage *stage)
{
    json_t *object = json_object(), *phases = json_array();
    json_object_set_new(object, "name", diag_json_text(stage->name));
    set_times(object, stage->wall, stage->cpu);
    for (size_t i = 0; i < arrlenu(stage->phases); i++) {
        json_t *phase = json_object();
        json_object_set_new(phase, "name", diag_json_text(stage->phases[i].name));
        set_times(phase, stage->phases[i].wall, stage->phases[i].cpu);
        json_array_append_new(phases, phase);
    }
    json_object_set_new(object, "phases", phases);
    json_object_set_new(object, "counters", json_values(stage->counters));
    return object;
}

static void set_stages(json_t *result, const struct run_summary *summary)
{
    json_t *stages = json_array();
    double wall = 0, cpu = 0;
    for (size_t i = 0; i < arrlenu(summary->stages); i++) {
        wall += summary->stages[i].wall;
        cpu += summary->stages[i].cpu;
        json_array_append_new(stages, json_stage(&summary->stages[i]));
    }
    set_times(result, wall, cpu);
    json_object_set_new(result, "stages", stages);
}

static json_t *json_files(const struct run_summary *summary)
{
    json_t *files = json_array();
    for (size_t i = 0; i < arrlenu(summary->files); i++) {
        json_t *file = json_object();
        json_object_set_new(file, "path", diag_json_text(summary->files[i].path));
        json_object_set_new(file, "bytes", json_count(summary->files[i].bytes));
        json_array_append_new(files, file);
    }
    return files;
}

static json_t *json_limits(const struct run_summary *summary)
{
    json_t *limits = json_array();
    for (size_t i = 0; i < arrlenu(summary->limits); i++) {
        const struct bsp_limit *limit = summary->limits[i].limit;
        int64_t used = summary->limits[i].used;
        json_t *object = json_object();
        json_object_set_new(object, "name", diag_json_text(limit->name));
        json_object_set_new(object, "used", json_count(used));
        json_object_set_new(object, "maximum", json_count(limit->maximum));
        json_object_set_new(object, "percent", json_real(limit_percent(limit, used)));
        json_array_append_new(limits, object);
    }
    return limits;
}

static json_t *json_job(const struct summary_job *job)
{
    json_t *object = json_object();
    json_t *result = job->result ? json_loads(job->result, 0, NULL) : NULL;
    json_object_set_new(object, "source", diag_json_text(job->map));
    json_object_set_new(object, "started", json_boolean(job->started));
    if (job->started) {
        json_object_set_new(object, "status", json_string(diag_status_name(job->status)));
        json_object_set_new(object, "exit_status", json_integer((json_int_t)job->status));
        set_times(object, job->wall, job->cpu);
        json_object_set_new(object, "peak_bytes", json_count(job->peak_bytes));
    }
    if (result)
        json_object_set_new(object, "result", result);
    return object;
}

static json_t *json_jobs(const struct run_summary *summary)
{
    json_t *jobs = json_array();
    for (size_t i = 0; i < arrlenu(summary->jobs); i++)
        json_array_append_new(jobs, json_job(&summary->jobs[i]));
    return jobs;
}

static json_t *json_light(const struct summary_light *light)
{
    json_t *object = json_object();
    if (light->luxels >= 0)
        json_object_set_new(object, "luxels", json_count(light->luxels));
    if (light->lights >= 0)
        json_object_set_new(object, "lights", json_count(light->lights));
    json_object_set_new(object, "ldr", json_boolean(light->ldr));
    json_object_set_new(object, "hdr", json_boolean(light->hdr));
    return object;
}

static void set_diagnostics(json_t *result, const struct diag *diag)
{
    struct diag_group *groups = diag_summary(diag);
    json_t *codes = json_object();
    for (size_t i = 0; i < arrlenu(groups); i++)
        json_object_set_new(codes, diag_info(groups[i].code)->code,
                            json_count((int64_t)groups[i].count));
    json_object_set_new(result, "errors", json_count((int64_t)diag_count(diag, DIAG_ERROR)));
    json_object_set_new(result, "warnings", json_count((int64_t)diag_count(diag, DIAG_WARNING)));
    json_object_set_new(result, "notes", json_count((int64_t)diag_count(diag, DIAG_NOTE)));
    json_object_set_new(result, "codes", codes);
    arrfree(groups);
}

void run_summary_json(const struct run_summary *summary, const char *program,
                      const struct diag *diag, enum status status, FILE *out)
{
    json_t *object = json_object(), *result = json_object();
    json_object_set_new(result, "version", json_integer(JSON_VERSION));
    json_object_set_new(result, "status", json_string(diag_status_name(status)));
    json_object_set_new(result, "exit_status", json_integer((json_int_t)status));
    set_diagnostics(result, diag);
    json_object_set_new(result, "files", json_files(summary));
    if (summary->map)
        json_object_set_new(result, "map", json_values(summary->map));
    if (summary->light.present)
        json_object_set_new(result, "light", json_light(&summary->light));
    json_object_set_new(result, "limits", json_limits(summary));
    if (summary->jobs)
        json_object_set_new(result, "maps", json_jobs(summary));
    set_stages(result, summary);
    json_object_set_new(object, "program", diag_json_text(program));
    json_object_set_new(object, "result", result);
    json_dumpf(object, out, JSON_COMPACT | JSON_REAL_PRECISION(6));
    fputc('\n', out);
    json_decref(object);
}
