#include "brushwork/cost/cost_show.h"

#include <string.h>

#include "brushwork/report/report_build.h"
#include "brushwork/shared/print.h"
#include "common/bsp/codec/format.h"
#include "common/core/array.h"
#include "vvis/graph/tree_portals.h"

static const char *const stage_names[COST_STAGES] = {"vbsp", "vvis", "vrad"};

static double total_seconds(const struct cost *cost)
{
    return cost->seconds[COST_VBSP] + cost->seconds[COST_VVIS] + cost->seconds[COST_VRAD];
}

/* A build does its stages in one process, one after the other. */
static double max_bytes(const struct cost *cost)
{
    double max = 0;
    for (int i = 0; i < COST_STAGES; i++)
        max = cost->bytes[i] > max ? cost->bytes[i] : max;
    return max;
}

/* --- printing --- */

static void print_cost(const struct cost *cost, const char *path, enum build_preset preset)
{
    print_safely(path, stdout);
    printf("\n  with --preset %s, on %s\n", build_preset_names[preset], cost_machine);
    for (int i = 0; i < COST_STAGES; i++)
        printf("  %-8s %9.1f s %8.0f MB\n", stage_names[i], cost->seconds[i],
               cost->bytes[i] / (1 << 20));
    printf("  %-8s %9.1f s %8.0f MB\n  from\n", "build", total_seconds(cost),
           max_bytes(cost) / (1 << 20));
    for (int i = 0; i < COST_COUNTS; i++)
        if (i != COST_RUN && cost->counts[i] > 0)
            printf("  %12.0f  %s\n", cost->counts[i], cost_count_title((enum cost_count)i));
}

static json_t *counts_of(const struct cost *cost)
{
    json_t *object = json_object();
    for (int i = 0; i < COST_COUNTS; i++) {
        char name[64] = {0};
        strncpy(name, cost_count_title((enum cost_count)i), sizeof name - 1);
        for (char *at = name; *at; at++)
            *at = *at == ' ' ? '_' : *at;
        if (i != COST_RUN)
            json_object_set_new(object, name, json_real(cost->counts[i]));
    }
    return object;
}

static json_t *object_of(const struct cost *cost, const char *path, enum build_preset preset)
{
    json_t *object = print_json_object(), *stages = json_array();
    for (int i = 0; i < COST_STAGES; i++)
        json_array_append_new(stages,
                              json_pack("{s:s, s:f, s:I}", "name", stage_names[i], "cpu_seconds",
                                        cost->seconds[i], "bytes", (json_int_t)cost->bytes[i]));
    json_object_set_new(object, "file", print_json_text(path));
    json_object_set_new(object, "machine", json_string(cost_machine));
    json_object_set_new(object, "preset", json_string(build_preset_names[preset]));
    json_object_set_new(object, "counts", counts_of(cost));
    json_object_set_new(object, "stages", stages);
    json_object_set_new(object, "cpu_seconds", json_real(total_seconds(cost)));
    json_object_set_new(object, "bytes", json_integer((json_int_t)max_bytes(cost)));
    return object;
}

/* --- reading --- */

/* The portals of the file beside the BSP, or else, for Source, of its tree; *out is empty when
 * there are none. */
static enum status read_portals(const struct env *env, const struct bsp *bsp, const char *path,
                                struct prt *out)
{
    struct arena arena = {0};
    struct bytes text = {0};
    const char *prt = path_beside(&arena, path, ".bsp", ".prt");
    enum status status = STATUS_OK;
    if (fs_load_optional(env->fs, env->diag, prt, &text))
        status = prt_parse((const char *)text.data, text.size, prt, env->diag, out);
    if (status == STATUS_OK && !(text.size && tree_has_clusters_of(bsp, out)) &&
        arrlenu(bsp->faces)) {
        prt_free(out);
        *out = (struct prt){0};
        status = tree_portals_make(env, bsp, out);
    }
    bytes_free(&text);
    arena_free(&arena);
    return status;
}

static enum status estimate(const struct env *env, const char *path, enum build_preset preset,
                            struct cost *out)
{
    struct bsp *bsp;
    struct prt prt = {0};
    TRY(bsp_read_file(env, path, &bsp));
    enum status status = read_portals(env, bsp, path, &prt);
    if (status == STATUS_OK)
        status = cost_count(env, bsp, arrlenu(prt.portals) ? &prt : NULL, out);
    prt_free(&prt);
    bsp_free(bsp);
    cost_estimate(out, preset);
    return status;
}

static enum status estimate_source(const struct program *program,
                                   const struct standard_options *standard, const char *path,
                                   enum build_preset preset, struct cost *out)
{
    struct arena arena = {0};
    struct report_build build = {0};
    enum status status = report_build_vbsp(program, standard, path, NULL, &arena, &build);
    if (status == STATUS_OK)
        status = estimate(program->env, build.bsp, preset, out);
    report_build_end(program->env, &build);
    arena_free(&arena);
    return status == STATUS_OK ? build.status : status;
}

enum status cost_show(const struct program *program, const struct standard_options *standard,
                      const char *path, bool is_source, enum build_preset preset, json_t *objects)
{
    struct cost cost = {0};
    enum status status = is_source ? estimate_source(program, standard, path, preset, &cost)
                                   : estimate(program->env, path, preset, &cost);
    if (status != STATUS_OK && status != STATUS_LEAK)
        return status;
    if (objects)
        json_array_append_new(objects, object_of(&cost, path, preset));
    else
        print_cost(&cost, path, preset);
    return status;
}
