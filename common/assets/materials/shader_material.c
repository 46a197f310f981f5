#include "common/assets/materials/material_set.h"
#include "common/assets/shaders/shader.h"
#include "common/bsp/flags.h"

/* Neither solid nor opaque, and yet a brush of its own: drawn on both sides and transparent to
 * visibility. No material of Source has AUX. */
#define NON_SOLID_TRANSLUCENT (CONTENTS_AUX | CONTENTS_TRANSLUCENT)

/* Converts the contents of a Quake 3 shader to those of Source. */
static int core_contents(const struct shader *shader)
{
    static const struct {
        int quake3, core;
    } map[] = {
        {Q3_CONTENTS_LAVA, CONTENTS_SLIME},
        {Q3_CONTENTS_SLIME, CONTENTS_SLIME},
        {Q3_CONTENTS_WATER, CONTENTS_WATER},
        {Q3_CONTENTS_PLAYERCLIP, CONTENTS_PLAYERCLIP | CONTENTS_DETAIL},
        {Q3_CONTENTS_MONSTERCLIP, CONTENTS_MONSTERCLIP | CONTENTS_DETAIL},
        {Q3_CONTENTS_BOTCLIP, CONTENTS_MONSTERCLIP | CONTENTS_DETAIL},
        {Q3_CONTENTS_ORIGIN, CONTENTS_ORIGIN | CONTENTS_DETAIL},
        {Q3_CONTENTS_FOG, NON_SOLID_TRANSLUCENT | CONTENTS_TESTFOGVOLUME},
        {Q3_CONTENTS_AREAPORTAL, NON_SOLID_TRANSLUCENT | CONTENTS_AREAPORTAL},
        {Q3_CONTENTS_CLUSTERPORTAL, NON_SOLID_TRANSLUCENT | CONTENTS_DETAIL},
        {Q3_CONTENTS_DONOTENTER, NON_SOLID_TRANSLUCENT | CONTENTS_DETAIL},
        {Q3_CONTENTS_NODROP, NON_SOLID_TRANSLUCENT | CONTENTS_DETAIL},
    };
    int contents = 0, detail = shader->contents & Q3_CONTENTS_DETAIL ? CONTENTS_DETAIL : 0;
    if (shader->surface_flags & (Q3_SURFACE_HINT | Q3_SURFACE_SKIP))
        return 0;
    if (shader->contents & Q3_CONTENTS_SOLID)
        contents = shader->contents & Q3_CONTENTS_TRANSLUCENT
                       ? CONTENTS_WINDOW | CONTENTS_TRANSLUCENT
                       : CONTENTS_SOLID;
    for (size_t i = 0; i < sizeof map / sizeof *map; i++)
        if (shader->contents & map[i].quake3)
            contents |= map[i].core;
    return (contents ? contents : NON_SOLID_TRANSLUCENT) | detail;
}

static int core_surface_flags(const struct shader *shader)
{
    static const struct {
        int quake3, core;
    } map[] = {
        {Q3_SURFACE_SKY, SURFACE_SKY | SURFACE_NOLIGHT},
        {Q3_SURFACE_NODRAW, SURFACE_NODRAW | SURFACE_NOLIGHT},
        {Q3_SURFACE_HINT, SURFACE_HINT | SURFACE_NODRAW | SURFACE_NOLIGHT},
        {Q3_SURFACE_SKIP, SURFACE_SKIP | SURFACE_NODRAW | SURFACE_NOLIGHT},
        {Q3_SURFACE_NOLIGHTMAP, SURFACE_NOLIGHT},
    };
    int flags = 0;
    for (size_t i = 0; i < sizeof map / sizeof *map; i++)
        if (shader->surface_flags & map[i].quake3)
            flags |= map[i].core;
    return flags;
}

void shader_material(const struct shader *shader, struct material *material)
{
    *material = (struct material){
        .width = shader->width,
        .height = shader->height,
        .view_width = shader->width,
        .view_height = shader->height,
        .reflectivity = {shader->average.x, shader->average.y, shader->average.z},
        .surface_flags = core_surface_flags(shader),
        .contents = core_contents(shader),
        .translucent = (shader->contents & Q3_CONTENTS_TRANSLUCENT) != 0,
        .water =
            (shader->contents & (Q3_CONTENTS_WATER | Q3_CONTENTS_SLIME | Q3_CONTENTS_LAVA)) != 0,
        .is_clip = (shader->contents &
                    (Q3_CONTENTS_PLAYERCLIP | Q3_CONTENTS_MONSTERCLIP | Q3_CONTENTS_BOTCLIP)) != 0,
        .shader = "",
        .surface_prop = "",
        .quake3 = shader,
        .origin = shader->missing    ? MATERIAL_MISSING
                  : shader->built_in ? MATERIAL_BUILT_IN
                                     : MATERIAL_GAME,
    };
}
