/* Smooths vertex normals of surfaces with a smoothing angle, from their shader, note or the
 * option. */
#include <string.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"
#include "vrad/target/quake3/receivers/receivers.h"

/* Vertices that round to the same step, in units, have one position. */
#define PLACE_STEPS 8.0

struct bend_place {
    int64_t at[3];
};

struct bend_vertex {
    int surface, vertex, next; /* next vertex with the same position, or -1 */
    struct vec3 normal;
};

struct bend_head {
    struct bend_place key;
    int value;
};

static double angle_of(const struct quake3_light *q, int surface)
{
    const struct surface_note *note = quake3_note(q, surface);
    const struct shader *shader = q->materials[q->bsp->surfaces[surface].shader].shader;
    double angle = q->options->quake3.shade_degrees;
    if (shader && shader->shade_angle > 0)
        angle = shader->shade_angle;
    if (note && note->shade_angle > 0)
        angle = (double)note->shade_angle;
    return angle;
}

static bool may_bend(const struct quake3_light *q, int surface)
{
    const struct bsp_surface *at = &q->bsp->surfaces[surface];
    return (at->type == SURFACE_PLANAR || at->type == SURFACE_MESH) && angle_of(q, surface) > 0;
}

static struct bend_place place_of(const float p[3])
{
    struct bend_place place;
    for (int k = 0; k < 3; k++)
        place.at[k] = (int64_t)floor(
            portable_fmin(portable_fmax((double)p[k], -1e9), 1e9) * PLACE_STEPS + 0.5);
    return place;
}

static struct bend_vertex *collect(const struct quake3_light *q, struct bend_head **heads)
{
    struct bend_vertex *vertices = NULL;
    for (int i = 0; i < (int)arrlen(q->bsp->surfaces); i++) {
        const struct bsp_surface *surface = &q->bsp->surfaces[i];
        for (int k = 0; k < surface->vertex_count && may_bend(q, i); k++) {
            const struct bsp_draw_vertex *from = &q->bsp->draw_vertices[surface->first_vertex + k];
            struct bend_vertex vertex = {i, surface->first_vertex + k, -1,
                                         vec3_from_floats(from->normal)};
            if (!vec3_is_finite(vertex.normal))
                continue;
            struct bend_place place = place_of(from->p);
            ptrdiff_t at = hmgeti(*heads, place);
            vertex.next = at >= 0 ? (*heads)[at].value : -1;
            struct bend_head head = {place, (int)arrlen(vertices)};
            hmputs(*heads, head);
            arrput(vertices, vertex);
        }
    }
    return vertices;
}

/* The mean of the distinct normals at the position within the angle. */
static struct vec3 blended(const struct quake3_light *q, const struct bend_vertex *vertices, int at)
{
    enum { MAX = 64 };
    const struct bend_vertex *own = &vertices[at];
    struct vec3 seen[MAX], sum = vec3(0, 0, 0);
    double angle = angle_of(q, own->surface);
    int count = 0;
    int i = at;
    do {
        const struct bend_vertex *other = &vertices[i];
        i = other->next;
        double min = portable_cos(portable_fmin(angle, angle_of(q, other->surface)) * PI / 180);
        bool fresh = count < MAX && vec3_dot(own->normal, other->normal) >= min - 1e-6;
        for (int k = 0; k < count && fresh; k++)
            fresh = vec3_dot(seen[k], other->normal) < 1 - 1e-6;
        if (!fresh)
            continue;
        seen[count++] = other->normal;
        sum = vec3_add(sum, other->normal);
    } while (i != at);
    return vec3_length(sum) > 1e-3 ? vec3_normalize(sum) : own->normal;
}

void quake3_smooth(struct quake3_light *q)
{
    struct bend_head *heads = NULL;
    struct bend_vertex *vertices = collect(q, &heads);
    /* Circular lists, so that each vertex meets all others of its position. */
    for (ptrdiff_t i = 0; i < hmlen(heads); i++) {
        int last = heads[i].value;
        while (vertices[last].next >= 0)
            last = vertices[last].next;
        vertices[last].next = heads[i].value;
    }
    for (int i = 0; i < (int)arrlen(vertices); i++) {
        struct vec3 normal = blended(q, vertices, i);
        for (int k = 0; k < 3; k++)
            q->bsp->draw_vertices[vertices[i].vertex].normal[k] = (float)normal.e[k];
    }
    hmfree(heads);
    arrfree(vertices);
}
