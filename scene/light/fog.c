#include "scene/light/fog.h"

#include <math.h>
#include <string.h>

#include "common/assets/shaders/shader_script.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/geom/epsilon.h"

/* The engine looks fog up in an image of 32 rows. What is outside has the coordinate of the first,
 * and what is wholly in it that of the last. */
#define OUTSIDE (1 / 32.0)
#define INSIDE  (31 / 32.0)

/* Reads "fogparms ( R G B ) DISTANCE". */
static bool read_parms(const struct shader_block *block, struct fog_volume *out)
{
    struct shader_cursor cursor = shader_cursor(block);
    struct shader_directive line;
    struct arena arena = {0};
    bool found = false;
    while (!found && shader_next_directive(&cursor, &arena, &line)) {
        double numbers[4];
        size_t count = 0;
        for (size_t i = 1; i < line.count && count < 4; i++)
            count += str_to_doubles(line.words[i] + strspn(line.words[i], "("), &numbers[count], 1);
        found = str_equal_nocase(line.words[0], "fogparms") && count == 4 && numbers[3] > 0 &&
                isfinite(numbers[3]);
        for (int k = 0; k < 3 && found; k++)
            out->colour[k] = portable_fmin(portable_fmax(numbers[k], 0), 1);
        if (found)
            out->distance = numbers[3];
    }
    arena_free(&arena);
    return found;
}

/* The first six sides of a brush are those of its box. */
static bool read_box(const struct bsp *bsp, int number, struct fog_volume *out)
{
    int found = 0;
    if (number < 0 || number >= arrlen(bsp->brushes))
        return false;
    const struct bsp_brush *brush = &bsp->brushes[number];
    for (int i = 0; i < brush->side_count; i++) {
        const struct bsp_plane *plane = &bsp->planes[bsp->brush_sides[brush->first_side + i].plane];
        for (int k = 0; k < 3; k++) {
            double normal = (double)plane->normal[k], at = (double)plane->dist;
            if (normal > 1 - EPSILON_PLANE_NORMAL) {
                out->maxs[k] = at;
                found |= 1 << k;
            } else if (normal < -1 + EPSILON_PLANE_NORMAL) {
                out->mins[k] = -at;
                found |= 8 << k;
            }
        }
    }
    return found == 63;
}

static void read_top(const struct bsp *bsp, const struct bsp_effect *effect, struct fog_volume *out)
{
    const struct bsp_brush *brush = &bsp->brushes[effect->brush];
    if (effect->side < 0 || effect->side >= brush->side_count)
        return;
    const struct bsp_plane *plane =
        &bsp->planes[bsp->brush_sides[brush->first_side + effect->side].plane];
    out->has_top = true;
    out->top = vec3_from_floats(plane->normal);
    out->top_height = (double)plane->dist;
}

struct fog_volume *scene_fog_volumes(const struct bsp *bsp, struct assets *assets)
{
    struct fog_volume *volumes = NULL;
    for (size_t i = 0; i < arrlenu(bsp->effects); i++) {
        const struct bsp_effect *effect = &bsp->effects[i];
        char name[SHADER_NAME + 1] = {0};
        memcpy(name, effect->name, SHADER_NAME);
        const struct shader_block *block = assets_shader_block(assets, name);
        struct fog_volume volume = {0};
        volume.present =
            block && read_parms(block, &volume) && read_box(bsp, effect->brush, &volume);
        if (volume.present)
            read_top(bsp, effect, &volume);
        arrput(volumes, volume);
    }
    return volumes;
}

double fog_part(const struct fog_volume *fog, struct vec3 eye, struct vec3 vertex)
{
    if (!fog->has_top)
        return INSIDE;
    double eye_below = fog->top_height - vec3_dot(fog->top, eye);
    double below = fog->top_height - vec3_dot(fog->top, vertex);
    if (eye_below >= 0)
        return below < 0 ? OUTSIDE : INSIDE;
    return below < 1 ? OUTSIDE : OUTSIDE + (INSIDE - OUTSIDE) * below / (below - eye_below);
}

float fog_share(const struct fog_volume *fog, double depth, double part)
{
    double way = depth / fog->distance;
    if (part < INSIDE)
        way *= portable_fmax(part - OUTSIDE, 0) / (INSIDE - OUTSIDE);
    return (float)sqrt(portable_fmin(portable_fmax(way, 0), 1));
}
