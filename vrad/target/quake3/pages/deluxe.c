/* Deluxemaps: dominant light directions of luxels, on pages after those of light. */
#include <string.h>

#include "common/core/array.h"
#include "vrad/encode/lightmap.h"
#include "vrad/target/quake3/pages/pages.h"

static const char key[] = "deluxeMaps";

void quake3_note_deluxe(struct quake3_light *q)
{
    const struct entity *world = entity_view_world(q->entities);
    const char *value = NULL;
    if (!world || (!q->options->quake3.deluxe && !entity_has(world, key)))
        return;
    if (q->options->quake3.deluxe)
        value = q->options->quake3.deluxe_mode ? "2" : "1";
    entity_view_set_world(q->entities, key, value);
}

static double brightness(const float *colour)
{
    return (double)colour[0] + (double)colour[1] + (double)colour[2];
}

/* The mean direction of the light, from its irradiance on the surface and on three planes at right
 * angles to each other that lean from it by the same angle. Light from behind one of these leaves
 * it dark, so that the sum leans too far upwards; the excess is subtracted from the dark ones. */
static struct vec3 direction_of(double flat, const double leaning[LUXEL_BUMPS],
                                const struct vec3 basis[LUXEL_BUMPS], struct vec3 normal)
{
    struct vec3 sum = vec3(0, 0, 0);
    double dark[LUXEL_BUMPS], shares = 0;
    for (int i = 0; i < LUXEL_BUMPS; i++) {
        sum = vec3_mad(sum, basis[i], leaning[i]);
        dark[i] = leaning[i] < 1e-3 * flat ? vec3_dot(basis[i], normal) : 0;
        shares += dark[i];
    }
    double excess = vec3_dot(sum, normal) - flat;
    for (int i = 0; i < LUXEL_BUMPS && shares > 0 && excess > 0; i++)
        if (dark[i] > 0)
            sum = vec3_mad(sum, basis[i], -excess / shares);
    return vec3_length(sum) > 1e-6 ? vec3_normalize(sum) : normal;
}

/* A unit vector along the axis in the plane of the normal. */
static struct vec3 in_plane(struct vec3 axis, struct vec3 normal)
{
    struct vec3 flat = vec3_mad(axis, normal, -vec3_dot(axis, normal));
    return vec3_length(flat) > 0 ? vec3_normalize(flat) : vec3(0, 0, 0);
}

static struct vec3 along_texture(struct vec3 towards, const struct texture_axes *axes,
                                 struct vec3 normal)
{
    return vec3_normalize(vec3(vec3_dot(towards, in_plane(axes->s, normal)),
                               vec3_dot(towards, in_plane(axes->t, normal)),
                               vec3_dot(towards, normal)));
}

void quake3_directions(const struct quake3_light *q, int receiver, uint8_t *out)
{
    const struct face_light *face = &q->map.faces[receiver];
    const struct lightmap_options options = {.scale = 1};
    size_t map = 3 * (size_t)face->count;
    float *colours = memory_alloc(LUXEL_SLOTS * map * sizeof *colours);
    struct texture_axes *axes =
        q->options->quake3.deluxe_mode ? quake3_texture_axes(q, receiver) : NULL;
    for (int slot = 0; slot < LUXEL_SLOTS; slot++)
        lightmap_colours(face, &options, 0, 0, slot, colours + (size_t)slot * map);
    for (int i = 0; i < face->count; i++) {
        const struct luxel *luxel = &face->luxels[i];
        struct vec3 basis[LUXEL_BUMPS], normal = vec3_from_floats(luxel_normal(face, luxel));
        double leaning[LUXEL_BUMPS];
        luxel_bump_basis(&q->scene, face, luxel, basis);
        for (int k = 0; k < LUXEL_BUMPS; k++)
            leaning[k] = brightness(colours + (size_t)(1 + k) * map + 3 * (size_t)i);
        struct vec3 towards =
            direction_of(brightness(colours + 3 * (size_t)i), leaning, basis, normal);
        if (axes)
            towards = along_texture(towards, &axes[i], normal);
        for (int k = 0; k < 3; k++)
            out[3 * i + k] = (uint8_t)floor(127.5 + 127.5 * towards.e[k]);
    }
    memory_free(axes);
    memory_free(colours);
}
