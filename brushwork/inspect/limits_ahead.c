#include "brushwork/inspect/limits_ahead.h"

#include <stdlib.h>
#include <string.h>

#include "brushwork/report/report_build.h"
#include "brushwork/shared/print.h"
#include "common/bsp/codec/limit_report.h"
#include "common/bsp/engine.h"
#include "common/bsp/flags.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/bsp_targets.def"
#include "common/diag/codes/usage.def"
#include "common/text/entities.h"

enum status branch_find(const char *target, const struct bsp *bsp, const char *path,
                        struct diag *diag, const struct bsp_format **out)
{
    const struct diag_where where = {.file = path};
    *out = target ? bsp_format_find(target) : bsp->format;
    if (!*out)
        return diag_report(diag, DIAG_USAGE, NULL, "unknown target '%s'", target);
    if (bsp_format_is_same_file(*out, bsp->format))
        return STATUS_OK;
    return diag_report(diag, DIAG_BSP_TARGET, &where, "the file is %s, but maps of %s are %s",
                       bsp->format->title, (*out)->target, (*out)->title);
}

/* --- bounds of what later stages fill --- */

enum {
    LEAF_SAMPLES = 16, /* of ambient light, at most */
    SUN_LIGHTS = 2,    /* light_environment is two lights: the sun and the sky */
    OFFSET_BYTES = 4,
};

static int64_t clusters_of(const struct bsp *bsp)
{
    int64_t clusters = 0;
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++)
        if (bsp->leaves[i].cluster >= clusters)
            clusters = bsp->leaves[i].cluster + 1;
    return clusters;
}

/* Two rows a cluster. Runs of zero bytes are stored as two bytes, so that a row in which every
 * other byte is zero has the most: three for two. Quake 3 stores one row, as it is. */
static int64_t visibility_bytes(const struct bsp *bsp)
{
    int64_t clusters = clusters_of(bsp), row = (clusters + 7) / 8;
    if (bsp->engine->geometry.has_surfaces)
        return clusters * row;
    return OFFSET_BYTES + clusters * 2 * (OFFSET_BYTES + row + (row + 1) / 2);
}

/* Of the light entities. */
static int64_t worldlights(const struct bsp *bsp)
{
    struct entity_list list = {0};
    struct diag *quiet = diag_new(NULL, NULL);
    int64_t lights = 0;
    enum status status = entities_parse(bsp->entities ? bsp->entities : "", arrlenu(bsp->entities),
                                        "entities", quiet, &list);
    for (size_t i = 0; status == STATUS_OK && i < arrlenu(list.entities); i++) {
        const char *class = entity_value(&list.entities[i], "classname");
        bool is_sun = str_equal_nocase(class, "light_environment");
        bool is_light = str_equal_nocase(class, "light") || str_equal_nocase(class, "light_spot") ||
                        str_equal_nocase(class, "light_directional");
        lights += is_sun ? SUN_LIGHTS : is_light;
    }
    entities_free(&list);
    diag_free(quiet);
    return lights;
}

static int64_t ambient_samples(const struct bsp *bsp)
{
    int64_t leaves = 0;
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++)
        leaves += !(bsp->leaves[i].contents & CONTENTS_SOLID);
    return leaves * LEAF_SAMPLES;
}

struct bound {
    const char *limit, *stage;
    int64_t (*max_use)(const struct bsp *bsp);
    const char *besides; /* that are not counted; or NULL */
};

static const struct bound bounds[] = {
    {"bytes of visibility", "vvis", visibility_bytes, NULL},
    {"worldlights", "vrad", worldlights, "lights of materials"},
    {"ambient samples", "vrad", ambient_samples, NULL},
};

enum { BOUNDS = sizeof bounds / sizeof *bounds };

/* NULL: the limit is filled already, or by vbsp. */
static const struct bound *bound_of(const struct limit_use *use)
{
    for (size_t i = 0; i < BOUNDS && use->used == 0; i++)
        if (strcmp(bounds[i].limit, use->limit->name) == 0)
            return &bounds[i];
    return NULL;
}

/* --- printing --- */

static void print_ahead(const struct bsp *bsp, const struct limit_report *report)
{
    bool is_first = true;
    for (size_t i = 0; i < arrlenu(report->uses); i++) {
        const struct bound *bound = bound_of(&report->uses[i]);
        if (!bound)
            continue;
        if (is_first)
            fputs("\nonce vvis and vrad have run, at most\n", stdout);
        is_first = false;
        limit_print(report->uses[i].limit, bound->max_use(bsp), stdout);
        if (bound->besides)
            printf("  and %s\n", bound->besides);
    }
}

static void print_limits(const struct bsp *bsp, const char *path, const struct limit_report *report)
{
    const struct limit_use **sorted = limit_report_by_fullness(report);
    print_safely(path, stdout);
    printf("\nlimit, %-21s %10s %10s\n", report->format->target, "used", "maximum");
    for (size_t i = 0; i < arrlenu(sorted); i++)
        limit_print(sorted[i]->limit, sorted[i]->used, stdout);
    print_ahead(bsp, report);
    arrfree(sorted);
}

static json_t *object_of(const struct bsp *bsp, const char *path, const struct limit_report *report)
{
    json_t *object = print_json_object(), *limits = json_array();
    for (size_t i = 0; i < arrlenu(report->uses); i++) {
        const struct limit_use *use = &report->uses[i];
        const struct bound *bound = bound_of(use);
        json_t *row = json_pack("{s:s, s:I, s:I, s:f}", "name", use->limit->name, "used",
                                (json_int_t)use->used, "maximum", (json_int_t)use->limit->maximum,
                                "percent", limit_percent(use->limit, use->used));
        if (bound) {
            json_object_set_new(row, "filled_by", json_string(bound->stage));
            json_object_set_new(row, "at_most", json_integer((json_int_t)bound->max_use(bsp)));
        }
        json_array_append_new(limits, row);
    }
    json_object_set_new(object, "file", print_json_text(path));
    json_object_set_new(object, "target", json_string(report->format->target));
    json_object_set_new(object, "limits", limits);
    return object;
}

/* --- reading --- */

static enum status show_bsp(const struct env *env, const char *bsp_path, const char *path,
                            const char *target, json_t *objects)
{
    struct bsp *bsp;
    const struct bsp_format *branch;
    struct limit_report report = {0};
    TRY(bsp_read_file(env, bsp_path, &bsp));
    enum status status = branch_find(target, bsp, path, env->diag, &branch);
    if (status == STATUS_OK) {
        limit_report_make(bsp, branch, &report);
        if (objects)
            json_array_append_new(objects, object_of(bsp, path, &report));
        else
            print_limits(bsp, path, &report);
    }
    limit_report_free(&report);
    bsp_free(bsp);
    return status;
}

enum status limits_show(const struct program *program, const struct standard_options *standard,
                        const char *path, bool is_source, const char *target, json_t *objects)
{
    struct arena arena = {0};
    struct report_build build = {0};
    const char *bsp = path;
    enum status status = STATUS_OK;
    if (is_source) {
        status = report_build_vbsp(program, standard, path, target, &arena, &build);
        bsp = build.bsp;
    }
    if (status == STATUS_OK)
        status = show_bsp(program->env, bsp, path, target, objects);
    if (status == STATUS_OK && is_source)
        status = build.status;
    if (is_source)
        report_build_end(program->env, &build);
    arena_free(&arena);
    return status;
}
