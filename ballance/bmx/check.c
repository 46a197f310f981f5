#include "ballance/bmx/check.h"

#include <stdlib.h>

#include "ballance/bmx/check_internal.h"
#include "common/core/array.h"
#include "common/diag/codes/bm_contents.def"

#define BOUNDS_WORK 3e8 /* points: about a second */
#define POWER_MAX   100

static void check_material(struct checker *checker, size_t index)
{
    struct bmx_findings *findings = checker->findings;
    const struct bmx_material *material = &checker->bmx->materials[index];
    const float *const colours[] = {material->ambient, material->diffuse, material->specular,
                                    material->emissive};
    char label[BMX_LABEL_SIZE];
    bool finite = floats_are_finite(&material->power, 1), within = true;
    bmx_label("material", &material->name, label);
    for (int i = 0; i < 4; i++) {
        finite &= floats_are_finite(colours[i], 3);
        for (int k = 0; k < 3; k++)
            within &= colours[i][k] >= 0 && colours[i][k] <= 1;
    }
    if (!checker->used_materials[index])
        bmx_add_bare_finding(findings, DIAG_BMX_W_UNUSED_MATERIAL, label);
    if (!finite)
        bmx_add_bare_finding(findings, DIAG_BMX_E_NAN, label);
    else if (!within)
        bmx_add_bare_finding(findings, DIAG_BMX_W_COLOR_RANGE, label);
    if (!(material->power >= 0 && material->power <= POWER_MAX))
        bmx_add_finding(findings, DIAG_BMX_W_POWER_RANGE, label, "%g", (double)material->power);
    if (!material->use_texture)
        return;
    if (material->texture < arrlenu(checker->bmx->textures))
        checker->used_textures[material->texture] = true;
    else
        bmx_add_finding(findings, DIAG_BMX_E_MAP_KD, label, "%u of %zu", material->texture,
                        arrlenu(checker->bmx->textures));
}

static void finish(const struct checker *checker)
{
    struct bmx_stats *stats = checker->stats;
    if (stats->against_normals > stats->with_normals)
        bmx_add_finding(checker->findings, DIAG_BMX_W_WINDING, "", "%zu against, %zu along",
                        stats->against_normals, stats->with_normals);
    stats->has_bounds = checker->work >= 0;
    for (int k = 0; k < 3; k++)
        stats->has_bounds &= isfinite(stats->mins[k]) && isfinite(stats->maxs[k]);
    for (int k = 0; k < 3 && !stats->has_bounds; k++)
        stats->mins[k] = stats->maxs[k] = 0;
}

void bmx_check_model(const struct bmx *bmx, struct bmx_findings *findings, struct bmx_stats *stats)
{
    struct checker checker = {
        .bmx = bmx,
        .findings = findings,
        .stats = stats,
        .used_meshes = memory_zalloc(arrlenu(bmx->meshes), sizeof(bool)),
        .used_materials = memory_zalloc(arrlenu(bmx->materials), sizeof(bool)),
        .used_textures = memory_zalloc(arrlenu(bmx->textures), sizeof(bool)),
        .work = BOUNDS_WORK,
    };
    *stats = (struct bmx_stats){0};
    for (int k = 0; k < 3; k++) {
        stats->mins[k] = HUGE_VAL;
        stats->maxs[k] = -HUGE_VAL;
    }
    for (size_t i = 0; i < arrlenu(bmx->objects); i++)
        bmx_check_object(&checker, &bmx->objects[i]);
    for (size_t i = 0; i < arrlenu(bmx->meshes); i++)
        bmx_check_mesh(&checker, &bmx->meshes[i], checker.used_meshes[i]);
    for (size_t i = 0; i < arrlenu(bmx->materials); i++)
        check_material(&checker, i);
    bmx_check_textures(&checker);
    finish(&checker);
    memory_free(checker.used_meshes);
    memory_free(checker.used_materials);
    memory_free(checker.used_textures);
}

struct bmx *bmx_check(const void *data, size_t size, const struct bmx_limits *limits,
                      struct bmx_findings *findings, struct bmx_stats *stats)
{
    struct bmx *bmx = bmx_read(data, size, limits, findings);
    *stats = (struct bmx_stats){0};
    if (bmx)
        bmx_check_model(bmx, findings, stats);
    return bmx;
}
