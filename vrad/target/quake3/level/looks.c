#include <string.h>

#include "common/core/array.h"
#include "vrad/target/quake3/level/level.h"

/* What is not known of a surface's colour. */
#define PLAIN_GREY 0.4

/* Maps are lit for tools whose surfaces throw back this share of what their images say: bright
 * rooms would be too bright with all of it. */
#define BOUNCE_SHARE 0.5

/* No surface throws back more of the light than this. */
#define MAX_REFLECTED 0.95

enum {
    UNDRAWN = Q3_SURFACE_NODRAW | Q3_SURFACE_HINT | Q3_SURFACE_SKIP | Q3_SURFACE_SKY,
    BY_VERTEX = Q3_SURFACE_NOLIGHTMAP | Q3_SURFACE_POINTLIGHT,
    FILTERS = Q3_SURFACE_LIGHTFILTER | Q3_SURFACE_ALPHASHADOW,
};

static enum look_blocking blocking_of(const struct bsp_shader *from, const struct shader *shader)
{
    if (from->surface_flags & Q3_SURFACE_SKY)
        return LOOK_IS_SKY;
    if (from->surface_flags & UNDRAWN)
        return LOOK_PASSES;
    if (shader && shader->compile_flags & SHADER_AUTOSPRITE)
        return LOOK_PASSES;
    if (from->surface_flags & FILTERS)
        return shader ? LOOK_VEILS : LOOK_PASSES;
    return from->contents & Q3_CONTENTS_TRANSLUCENT ? LOOK_PASSES : LOOK_BLOCKS;
}

static void find_look(struct quake3_light *q, const struct bsp_shader *from, struct look *look)
{
    char name[SHADER_NAME + 1] = {0};
    memcpy(name, from->name, SHADER_NAME);
    look->shader = q->assets ? assets_shader(q->assets, name) : NULL;
    look->blocking = blocking_of(from, look->shader);
    look->drawn = !(from->surface_flags & UNDRAWN);
    look->lightmapped = !(from->surface_flags & BY_VERTEX);
    look->veil = -1;
    bool known = look->shader && look->shader->image;
    for (int k = 0; k < 3; k++) {
        double share = known ? look->shader->average.e[k] * look->shader->bounce_scale : PLAIN_GREY;
        look->reflectivity[k] = (float)fmin(fmax(BOUNCE_SHARE * share, 0), MAX_REFLECTED);
    }
}

void quake3_find_looks(struct quake3_light *q)
{
    size_t count = arrlenu(q->bsp->shaders);
    q->looks = ARENA_ARRAY(&q->arena, struct look, count + 1);
    for (size_t i = 0; i < count; i++)
        find_look(q, &q->bsp->shaders[i], &q->looks[i]);
}

const struct surface_note *quake3_note(const struct quake3_light *q, int surface)
{
    const struct surface_notes *notes = q->options->quake3.notes;
    return notes && surface < (int)arrlen(notes->items) ? &notes->items[surface] : NULL;
}
