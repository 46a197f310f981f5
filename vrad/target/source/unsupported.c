#include "common/bsp/face_records.h"
#include "vrad/lights/light_set.h"
#include "vrad/target/source/light_vbsp.h"

#include "common/bsp/flags.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/diag/codes/light_options.def"
#include "common/diag/codes/prop_lightmaps.def"
#include "common/diag/codes/unlit.def"
#include "vrad/lights/light.h"
#include "vrad/props/prop_texels.h"

enum { NO_MACRO_TEXTURE = 65535 };

static void report_texels(const struct env *env, const struct static_props *props)
{
    const struct static_prop *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < arrlenu(props->props); i++) {
        if (!prop_texels_wanted(&props->props[i]))
            continue;
        first = count++ ? first : &props->props[i];
    }
    if (!first)
        return;
    struct diag_where where = {.has_point = true};
    for (int k = 0; k < 3; k++)
        where.point[k] = (double)first->origin[k];
    diag_report(env->diag, DIAG_PROP_TEXELS, &where,
                "%zu prop%s, the first is \"%s\" with %d x %d texels", count, count == 1 ? "" : "s",
                props->models[first->model], (int)first->lightmap_resolution[0],
                (int)first->lightmap_resolution[1]);
}

static void report_macro_textures(const struct env *env, const struct bsp *bsp)
{
    size_t count = 0;
    for (ptrdiff_t i = 0; i < arrlen(bsp->face_macro_texture); i++)
        count += bsp->face_macro_texture[i] != NO_MACRO_TEXTURE;
    if (count)
        diag_report(env->diag, DIAG_MACRO_TEXTURE, NULL, "%zu face%s", count,
                    count == 1 ? "" : "s");
}

static bool lights_props(const struct prop_options *options)
{
    return options->only_static ||
           ((options->lighting || options->normals) && !options->only_detail);
}

/* A leaked map has no visibility, and looks different when other tools light it. */
void no_visibility_report(const struct env *env, const struct vrad_options *options,
                          const struct bsp *bsp)
{
    bool bounces = options->bounce > 0 && !options->props.only_static;
    if (bounces && !bsp_vis_clusters(bsp) && !diag_count_code(env->diag, DIAG_LIGHT_NO_VIS))
        diag_report(env->diag, DIAG_LIGHT_NO_VIS, NULL,
                    "the map has no visibility data; its bounces are lit nonetheless");
}

void no_luxels_report(const struct env *env, const struct bsp *bsp, const struct luxel_map *map,
                      const struct light_set *lights)
{
    size_t count = arrlenu(lights->lights), faces = arrlenu(bsp->faces), sky = 0;
    if (map->luxel_count || !count || diag_count_code(env->diag, DIAG_NO_LUXELS))
        return;
    for (size_t i = 0; i < faces; i++)
        sky += bsp->faces[i].texinfo >= 0 &&
               (bsp->texinfo[bsp->faces[i].texinfo].flags & (SURFACE_SKY | SURFACE_SKY2D));
    diag_report(env->diag, DIAG_NO_LUXELS, NULL,
                "%zu light%s, but of %zu faces %zu are sky, and %zu are marked as unlit", count,
                count == 1 ? "" : "s", faces, sky, faces - sky);
}

static bool is_lit(const struct face_light *face)
{
    size_t floats = 3 * (size_t)face->slots * (size_t)face->count;
    for (size_t i = 0; i < floats; i++) {
        if (face->indirect && face->indirect[i] > 0)
            return true;
        for (int s = 0; s < face->style_count; s++)
            if (face->direct[s] && face->direct[s][i] > 0)
                return true;
    }
    return false;
}

void no_light_report(const struct env *env, const struct luxel_map *map,
                     const struct light_set *lights)
{
    size_t count = arrlenu(lights->lights);
    bool lit = !count || !map->luxel_count;
    for (int i = 0; i < map->face_count && !lit; i++)
        lit = is_lit(&map->faces[i]);
    if (!lit && !diag_count_code(env->diag, DIAG_NO_LIGHTS))
        diag_report(env->diag, DIAG_NO_LIGHTS, NULL,
                    "%zu light%s, but no surface gets any of the light", count,
                    count == 1 ? "" : "s");
}

void unsupported_report(const struct env *env, const struct bsp *bsp, const struct prop_set *props,
                        const struct prop_options *options)
{
    if (!lights_props(options))
        report_texels(env, &props->props);
    report_macro_textures(env, bsp);
}
