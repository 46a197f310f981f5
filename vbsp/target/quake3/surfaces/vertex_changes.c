#include "vbsp/target/quake3/surfaces/vertex_changes.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"

/* --- texture place --- */

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

/* --- vertex changes --- */

/* Vertices this close to a volume are in it. */
#define VOLUME_NEAR 0.1

/* A normal that differs more from the plane's is curved. */
#define FLAT_NORMAL 1e-6

void change_volumes_free(struct change_volume *volumes)
{
    for (size_t i = 0; i < arrlenu(volumes); i++)
        arrfree(volumes[i].planes);
    arrfree(volumes);
}

static void rotate(double texture[2], double degrees)
{
    const double angle = degrees * DEGREE, c = portable_cos(angle), s = portable_sin(angle);
    const double from[2] = {texture[0], texture[1]};
    texture[0] = from[0] * c - from[1] * s;
    texture[1] = from[0] * s + from[1] * c;
}

static void change_texture(const struct shader_change *change, struct vec3 p, double texture[2])
{
    const double *n = change->numbers;
    if (change->kind == SHADER_TEXTURE_ROTATE) {
        rotate(texture, n[0]);
        return;
    }
    for (int k = 0; k < 2; k++) {
        if (change->kind == SHADER_TEXTURE_VECTORS)
            texture[k] = vec3_dot(p, vec3(n[3 * k], n[3 * k + 1], n[3 * k + 2]));
        else if (change->kind == SHADER_TEXTURE_SCALE)
            texture[k] *= n[k];
        else
            texture[k] += n[k];
    }
}

/* The dot product of the normal, or its square, as a part of the range. */
static double part_of(const struct shader_change *change, struct vec3 normal)
{
    const double *n = change->numbers, *range = change->range;
    double dot = vec3_dot(normal, vec3(n[0], n[1], n[2]));
    if (change->kind == SHADER_COLOUR_DOT_SQUARED)
        dot *= dot;
    return fabs(range[1] - range[0]) > 0 ? (dot - range[0]) / (range[1] - range[0]) : 0;
}

static void change_colour(const struct shader_change *change, struct vec3 normal, double colour[4])
{
    const int first = change->alpha ? 3 : 0, count = change->alpha ? 1 : 3;
    for (int k = 0; k < count; k++) {
        if (change->kind == SHADER_COLOUR_SET)
            colour[first + k] = 255 * change->numbers[k];
        else if (change->kind == SHADER_COLOUR_SCALE)
            colour[first + k] *= change->numbers[k];
        else
            colour[first + k] *= part_of(change, normal);
        colour[first + k] = portable_fmin(portable_fmax(colour[first + k], 0), 255);
    }
}

static void apply_changes(const struct shader *shader, struct vec3 at, struct draw_vertex *vertex,
                          double colour[4])
{
    for (size_t i = 0; i < arrlenu(shader->changes); i++) {
        const struct shader_change *change = &shader->changes[i];
        switch (change->kind) {
        case SHADER_TEXTURE_VECTORS:
        case SHADER_TEXTURE_ROTATE:
        case SHADER_TEXTURE_SCALE:
        case SHADER_TEXTURE_MOVE:
            change_texture(change, at, vertex->texture);
            break;
        case SHADER_COLOUR_SET:
        case SHADER_COLOUR_SCALE:
        case SHADER_COLOUR_DOT:
        case SHADER_COLOUR_DOT_SQUARED:
        case SHADER_COLOUR_VOLUME:
            change_colour(change, vertex->normal, colour);
            break;
        }
    }
}

static bool is_inside(const struct change_volume *volume, struct vec3 at)
{
    for (size_t i = 0; i < arrlenu(volume->planes); i++)
        if (plane_distance(&volume->planes[i], at) > VOLUME_NEAR)
            return false;
    return true;
}

static void change_vertex(const struct shader *shader, const struct change_volume *volumes,
                          size_t volume_count, struct vec3 at, struct draw_vertex *vertex)
{
    double colour[4];
    for (int k = 0; k < 4; k++)
        colour[k] = vertex->colour[k];
    apply_changes(shader, at, vertex, colour);
    for (size_t i = 0; i < volume_count; i++)
        if (is_inside(&volumes[i], at))
            apply_changes(volumes[i].shader, at, vertex, colour);
    for (int k = 0; k < 4; k++)
        vertex->colour[k] = (uint8_t)(colour[k] + ROUNDING);
}

void surfaces_change_vertices(struct draw_surface *surfaces, size_t count,
                              const struct change_volume *volumes, size_t volume_count,
                              struct vec3 origin)
{
    for (size_t i = 0; i < count; i++) {
        struct draw_surface *surface = &surfaces[i];
        bool changes = arrlenu(surface->shader->changes) > 0 || volume_count > 0;
        for (size_t k = 0; changes && k < arrlenu(surface->vertices); k++) {
            struct vec3 at = vec3_add(surface->vertices[k].p, origin);
            change_vertex(surface->shader, volumes, volume_count, at, &surface->vertices[k]);
        }
    }
}

/* A flat surface moves its plane; one with other normals is not flat any more. */
static void offset_plane(struct draw_surface *surface, double offset)
{
    for (size_t i = 0; surface->planar && i < arrlenu(surface->vertices); i++)
        if (vec3_dot(surface->vertices[i].normal, surface->normal) < 1 - FLAT_NORMAL)
            surface->planar = false;
    surface->dist = surface->planar ? surface->dist + offset : 0;
    if (!surface->planar)
        surface->normal = vec3(0, 0, 0);
}

void surfaces_offset(struct draw_surface *surfaces, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double offset = surfaces[i].shader->offset;
        struct draw_vertex *v = surfaces[i].vertices;
        if (!(fabs(offset) > 0) || surfaces[i].type == SURFACE_FLARE)
            continue;
        for (size_t k = 0; k < arrlenu(v); k++)
            v[k].p = vec3_mad(v[k].p, v[k].normal, offset);
        offset_plane(&surfaces[i], offset);
    }
}
