#include <string.h>

#include "common/bsp/dialect.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "vrad/target/quake3/level/level.h"
#include "vrad/target/quake3/level/srgb.h"

/* Reflectivity of an unknown image. */
#define PLAIN_GREY 0.4

/* Maps are tuned for tools with this fraction of the images' reflectivity: bright rooms would be
 * too bright with all of it. */
#define BOUNCE_SHARE 0.5

/* Maximum reflectivity. */
#define MAX_REFLECTED 0.95

enum {
    UNDRAWN = Q3_SURFACE_NODRAW | Q3_SURFACE_HINT | Q3_SURFACE_SKIP | Q3_SURFACE_SKY,
    BY_VERTEX = Q3_SURFACE_NOLIGHTMAP | Q3_SURFACE_POINTLIGHT,
    FILTERS = Q3_SURFACE_LIGHTFILTER | Q3_SURFACE_ALPHASHADOW,
};

/* Flags of a shader of the BSP by their meaning; those that the game cannot store are the
 * script's. */
struct meaning {
    int surface, contents;
};

static struct meaning meaning_of(const struct dialect *dialect, const struct bsp_shader *from,
                                 const struct shader *shader)
{
    struct meaning meaning = {dialect_surface(dialect, from->surface_flags).meaning,
                              dialect_contents(dialect, from->contents).meaning};
    if (shader)
        meaning.surface |= shader->surface_flags & dialect_unstored_surface(dialect);
    return meaning;
}

static enum material_blocking blocking_of(struct meaning from, const struct shader *shader)
{
    if (from.surface & Q3_SURFACE_SKY)
        return MATERIAL_SKY;
    if (from.surface & UNDRAWN)
        return MATERIAL_TRANSPARENT;
    if (shader && shader->compile_flags & SHADER_AUTOSPRITE)
        return MATERIAL_TRANSPARENT;
    if (from.surface & FILTERS)
        return shader ? MATERIAL_ALPHA : MATERIAL_TRANSPARENT;
    return from.contents & Q3_CONTENTS_TRANSLUCENT ? MATERIAL_TRANSPARENT : MATERIAL_OPAQUE;
}

static struct vec3 average_of(const struct quake3_options *own, const struct shader *shader)
{
    return srgb_colour(shader->average,
                       shader->own_colour ? own->srgb_colours : own->srgb_textures);
}

/* The share of each colour of light that is reflected. */
static void find_reflectivity(const struct quake3_options *own, struct quake3_material *material)
{
    const struct shader *shader = material->shader;
    bool known = shader && shader->image;
    double share[3], grey = 0;
    for (int k = 0; k < 3; k++) {
        share[k] = known ? material->average.e[k] * shader->bounce_scale : PLAIN_GREY;
        share[k] *= BOUNCE_SHARE * own->bounce_scale;
        grey += share[k] / 3;
    }
    for (int k = 0; k < 3; k++) {
        if (own->bounce_colour < 1)
            share[k] = grey + own->bounce_colour * (share[k] - grey);
        material->reflectivity[k] = (float)portable_fmin(portable_fmax(share[k], 0), MAX_REFLECTED);
    }
}

static void find_material(struct quake3_light *q, const struct bsp_shader *from,
                          struct quake3_material *material)
{
    char name[SHADER_NAME + 1] = {0};
    memcpy(name, from->name, SHADER_NAME);
    material->shader = q->assets ? assets_shader(q->assets, name) : NULL;
    const struct meaning meaning = meaning_of(q->bsp->engine->dialect, from, material->shader);
    material->blocking = blocking_of(meaning, material->shader);
    material->drawn = !(meaning.surface & UNDRAWN);
    material->by_alpha = meaning.surface & Q3_SURFACE_ALPHASHADOW;
    material->lightmapped = !(meaning.surface & BY_VERTEX);
    material->alpha_texture = -1;
    if (material->shader)
        material->average = average_of(&q->options->quake3, material->shader);
    find_reflectivity(&q->options->quake3, material);
    q->has_flood |= quake3_flood_of(q, material).distance > 0;
}

void quake3_find_materials(struct quake3_light *q)
{
    size_t count = arrlenu(q->bsp->shaders);
    q->materials = ARENA_ARRAY(&q->arena, struct quake3_material, count + 1);
    for (size_t i = 0; i < count; i++)
        find_material(q, &q->bsp->shaders[i], &q->materials[i]);
}

const struct surface_note *quake3_note(const struct quake3_light *q, int surface)
{
    const struct surface_notes *notes = q->options->quake3.notes;
    return notes && surface < (int)arrlen(notes->items) ? &notes->items[surface] : NULL;
}
