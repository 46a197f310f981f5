#include "vbsp/target/quake3/patches/patch_meta.h"

#include "common/core/array.h"
#include "common/text/entities.h"
#include "vbsp/target/quake3/patches/patch.h"
#include "vbsp/target/quake3/surfaces/surface_tools.h"

/* What bodies collide with where nothing is drawn. */
#define SOLID_SHADER "textures/common/caulk"

#define LEAST_SUBDIVISIONS 0.25
#define LEAST_QUALITY      0.01

static double key_of(const struct entity *keys, const char *name, const char *other,
                     double otherwise)
{
    return entity_number(keys, entity_has(keys, name) ? name : other, otherwise);
}

bool patch_meta_wanted(const struct vbsp_options *options, const struct entity *keys,
                       const struct draw_surface *patch)
{
    const int undrawn = Q3_SURFACE_NODRAW | Q3_SURFACE_SKY | Q3_SURFACE_HINT | Q3_SURFACE_SKIP;
    if (patch->shader->surface_flags & undrawn)
        return false;
    return key_of(keys, "_patchMeta", "patchMeta", options->patch_meta) != 0;
}

static double subdivisions_of(const struct vbsp_options *options, const struct entity *keys,
                              const struct shader *shader)
{
    double otherwise = options->subdivisions > 0 ? options->subdivisions : PATCH_SUBDIVISIONS;
    double units = key_of(keys, "_patchSubdivide", "patchSubdivide",
                          shader->subdivisions > 0 ? shader->subdivisions : otherwise);
    double quality = key_of(keys, "_patchQuality", "patchQuality", 1);
    return fmax((units > 0 ? units : otherwise) / fmax(quality, LEAST_QUALITY), LEAST_SUBDIVISIONS);
}

void patch_meta_add(const struct vbsp_options *options, const struct entity *keys,
                    struct assets *assets, struct draw_surface *patch, struct draw_surface **out)
{
    struct draw_surface mesh;
    patch_to_mesh(patch, subdivisions_of(options, keys, patch->shader), &mesh);
    arrput(*out, mesh);
    if (!(patch->shader->contents & (Q3_CONTENTS_SOLID | Q3_CONTENTS_PLAYERCLIP))) {
        draw_surface_free(patch);
        return;
    }
    patch->shader = assets_shader(assets, SOLID_SHADER);
    patch->lightmapped = shader_wants_lightmap(patch->shader);
    arrput(*out, *patch);
}
