#include "common/bmx/check.h"

#include <stdlib.h>
#include <string.h>

#include "common/bmx/check_internal.h"
#include "common/bmx/names.h"
#include "common/core/array.h"

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

static void check_internal(struct checker *checker, const struct bmx_file *files, const char *file,
                           bool *used_files, const char *label)
{
    const struct bmx_file *found = bmx_find_file(files, file);
    checker->stats->internal_textures++;
    if (found)
        used_files[found - files] = true;
    else
        bmx_add_finding(checker->findings, DIAG_BMX_E_TEXTURE_MISSING, label, "%s%s", BMX_TEXTURES,
                        file);
    if (bmx_is_stock_texture(file))
        bmx_add_finding(checker->findings, DIAG_BMX_W_TEXTURE_SHADOW, label, "%s", file);
}

static void check_texture(struct checker *checker, size_t index, const struct bmx_file *files,
                          bool *used_files)
{
    const struct bmx_texture *texture = &checker->bmx->textures[index];
    struct bmx_findings *findings = checker->findings;
    struct arena arena = {0};
    char label[BMX_LABEL_SIZE];
    const char *file = bmx_text_utf8(&texture->file_name, &arena);
    bmx_label("texture", &texture->name, label);
    if (!checker->used_textures[index])
        bmx_add_bare_finding(findings, DIAG_BMX_W_UNUSED_TEXTURE, label);
    if (!*file || strpbrk(file, "/\\:") || strcmp(file, ".") == 0 || strcmp(file, "..") == 0)
        bmx_add_finding(findings, DIAG_BMX_E_TEXTURE_PATH, label, "%s", file);
    if (!texture->is_external)
        check_internal(checker, files, file, used_files, label);
    else if (!bmx_is_stock_texture(file))
        bmx_add_finding(findings, DIAG_BMX_W_TEXTURE_EXTERNAL, label, "%s", file);
    if (!bmx_text_is_ascii(&texture->file_name))
        bmx_add_finding(findings, DIAG_BMX_W_NAME_NONASCII, label, "file %s", file);
    arena_free(&arena);
}

static void check_textures(struct checker *checker)
{
    struct bmx_file *files = bmx_files(checker->bmx);
    bool *used = memory_zalloc(arrlenu(files), sizeof *used);
    for (size_t i = 0; i < arrlenu(checker->bmx->textures); i++)
        check_texture(checker, i, files, used);
    for (size_t i = 0; i < arrlenu(files); i++)
        if (!used[i])
            bmx_add_bare_finding(checker->findings, DIAG_BMX_W_TEXTURE_ORPHAN, files[i].name);
    memory_free(used);
    arrfree(files);
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
    check_textures(&checker);
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
