#include "vbsp/target/quake3/surfaces/texture_place.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"

/* A middle this close below a whole number is at it. */
#define ROUNDING 1e-6

static void place(struct draw_surface *surface)
{
    struct draw_vertex *v = surface->vertices;
    size_t count = arrlenu(v);
    for (int k = 0; k < 2 && count; k++) {
        double min = v[0].texture[k], max = min;
        for (size_t i = 1; i < count; i++) {
            min = portable_fmin(min, v[i].texture[k]);
            max = portable_fmax(max, v[i].texture[k]);
        }
        double repeats = floor((min + max) / 2 + ROUNDING);
        for (size_t i = 0; i < count && isfinite(repeats); i++)
            v[i].texture[k] -= repeats;
    }
}

/* Sky has no coordinates of its own: the engine projects it. */
static bool is_placed(const struct draw_surface *surface, int clamps)
{
    const int flags = surface->shader->compile_flags;
    return surface->type != SURFACE_FLARE && (flags & SHADER_CLAMPS) == clamps &&
           !(flags & SHADER_GLOBAL_TEXTURE) && !(surface->shader->surface_flags & Q3_SURFACE_SKY);
}

static void place_all(struct draw_surface *surfaces, size_t count, int clamps)
{
    for (size_t i = 0; i < count; i++)
        if (is_placed(&surfaces[i], clamps))
            place(&surfaces[i]);
}

void surfaces_place_textures(struct draw_surface *surfaces, size_t count)
{
    place_all(surfaces, count, 0);
}

void faces_place_textures(struct draw_surface *faces, size_t count)
{
    place_all(faces, count, SHADER_CLAMPS);
}
