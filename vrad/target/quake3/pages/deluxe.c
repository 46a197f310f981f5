/* Deluxemaps: dominant light directions of luxels, on pages after those of light. */
#include "vrad/target/quake3/pages/pages.h"

#include <math.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "vrad/encode/lightmap.h"

/* Directions in which the coordinates of a texture grow. */
struct texture_axes {
    struct vec3 s, t; /* of any length; 0: unknown */
};

/* The axes of the texture on a surface, in which deluxemaps of mode 1 have their directions. */

/* The axes of the texture that a receiver shows, while they are looked up. */
struct search {
    const struct face_light *face;
    struct texture_axes *axes; /* one per luxel */
    double *inside;            /* one per luxel: the minimum barycentric coordinate so far */
};

/* A triangle in space, on the texture, and among the luxels. */
struct textured_triangle {
    struct vec3 p[3];
    double uv[3][2], st[3][2];
};

/* The directions in which the texture's coordinates grow. Returns false if they do not span the
 * triangle. */
static bool axes_of(const struct textured_triangle *from, struct texture_axes *out)
{
    struct vec3 a = vec3_sub(from->p[1], from->p[0]), b = vec3_sub(from->p[2], from->p[0]);
    double su = from->uv[1][0] - from->uv[0][0], sv = from->uv[1][1] - from->uv[0][1];
    double tu = from->uv[2][0] - from->uv[0][0], tv = from->uv[2][1] - from->uv[0][1];
    double turn = su * tv - tu * sv;
    if (!(fabs(turn) > 1e-12))
        return false;
    out->s = vec3_scale(vec3_sub(vec3_scale(a, tv), vec3_scale(b, sv)), 1 / turn);
    out->t = vec3_scale(vec3_sub(vec3_scale(b, su), vec3_scale(a, tu)), 1 / turn);
    return vec3_length(out->s) > 0 && vec3_length(out->t) > 0;
}

/* Sets the axes of luxels that lie in the triangle, or nearer to it than to earlier ones. */
static void add_triangle(struct search *to, const struct textured_triangle *from)
{
    struct texture_axes axes;
    const double(*st)[2] = from->st;
    double area = (st[1][0] - st[0][0]) * (st[2][1] - st[0][1]) -
                  (st[2][0] - st[0][0]) * (st[1][1] - st[0][1]);
    if (!(fabs(area) > 1e-12) || !axes_of(from, &axes))
        return;
    for (int i = 0; i < to->face->count; i++) {
        double s = i % to->face->width, t = i / to->face->width, min = 1;
        for (int k = 0; k < 3; k++) {
            const double *a = st[(k + 1) % 3], *b = st[(k + 2) % 3];
            double part = ((a[0] - s) * (b[1] - t) - (b[0] - s) * (a[1] - t)) / area;
            min = portable_fmin(min, part);
        }
        if (min > to->inside[i]) {
            to->inside[i] = min;
            to->axes[i] = axes;
        }
    }
}

static void add_indexed(struct search *to, const struct quake3_light *q, int number)
{
    const struct bsp_surface *surface = &q->bsp->surfaces[number];
    for (int i = 0; i + 2 < surface->index_count; i += 3) {
        struct textured_triangle triangle;
        for (int k = 0; k < 3; k++) {
            int index = q->bsp->draw_indices[surface->first_index + i + k];
            const struct bsp_draw_vertex *vertex =
                &q->bsp->draw_vertices[surface->first_vertex + index];
            triangle.p[k] = vec3_from_floats(vertex->p);
            for (int n = 0; n < 2; n++)
                triangle.uv[k][n] = (double)vertex->texture[n];
            quake3_luxel_at(q, number, index, triangle.st[k]);
        }
        add_triangle(to, &triangle);
    }
}

static void add_patch(struct search *to, const struct patch_surface *patch)
{
    const struct disp_mesh shape = {.columns = patch->columns, .rows = patch->rows};
    for (int i = 0; i < disp_mesh_triangles(&shape); i++) {
        struct textured_triangle triangle;
        int at[3];
        disp_mesh_triangle(&shape, i, at);
        for (int k = 0; k < 3; k++) {
            const struct patch_point *point = &patch->points[at[k]];
            triangle.p[k] = point->p;
            for (int n = 0; n < 2; n++)
                triangle.uv[k][n] = point->texture[n];
            triangle.st[k][0] =
                (double)(at[k] % patch->columns) / (patch->columns - 1) * (to->face->width - 1);
            triangle.st[k][1] =
                (double)(at[k] / patch->columns) / (patch->rows - 1) * (to->face->height - 1);
        }
        add_triangle(to, &triangle);
    }
}

/* Of the surfaces of a receiver, one per luxel; from memory_alloc, owned by the caller. */
static struct texture_axes *quake3_texture_axes(const struct quake3_light *q, int number)
{
    const struct receiver *receiver = &q->receivers[number];
    struct search to = {.face = &q->map.faces[number]};
    size_t count = (size_t)to.face->count;
    to.axes = memory_zalloc(count + 1, sizeof *to.axes);
    to.inside = memory_alloc((count + 1) * sizeof *to.inside);
    for (size_t i = 0; i < count; i++)
        to.inside[i] = (double)-INFINITY;
    for (ptrdiff_t i = 0; i < arrlen(receiver->surfaces); i++) {
        int surface = receiver->surfaces[i];
        if (q->surfaces[surface].patch.points)
            add_patch(&to, &q->surfaces[surface].patch);
        else
            add_indexed(&to, q, surface);
    }
    memory_free(to.inside);
    return to.axes;
}

/* --- deluxe --- */

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
