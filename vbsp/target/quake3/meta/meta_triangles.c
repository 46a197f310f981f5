/* Triangulates polygons, and distributes triangles to surfaces within the engine's limits. */
#include "common/core/array.h"
#include "vbsp/faces/outline.h"
#include "vbsp/target/quake3/meta/meta.h"
#include "vbsp/target/quake3/surfaces/surface.h"

typedef int triangulate(const struct vec3 *points, int count, int **indices);

static void triangulate_by(struct draw_surface *surface, triangulate *cut)
{
    struct vec3 *points = NULL;
    if (surface->type != SURFACE_PLANAR || surface->indices)
        return;
    for (size_t i = 0; i < arrlenu(surface->vertices); i++)
        arrput(points, surface->vertices[i].p);
    if (arrlenu(points) >= 3)
        cut(points, (int)arrlen(points), &surface->indices);
    if (!arrlenu(surface->indices)) {
        arrfree(surface->indices);
        arrsetlen(surface->vertices, 0);
    }
    arrfree(points);
}

void surface_triangulate(struct draw_surface *surface)
{
    triangulate_by(surface, triangulate_outline);
}

void surface_triangulate_largest(struct draw_surface *surface)
{
    triangulate_by(surface, triangulate_largest);
}

struct share {
    struct draw_surface surface;
    int *known; /* one per vertex of the whole: its number in this part, or -1 */
};

static void share_begin(struct share *share, const struct draw_surface *from)
{
    share->surface = draw_surface_like(from);
    for (size_t i = 0; i < arrlenu(from->vertices); i++)
        share->known[i] = -1;
}

static int share_missing(const struct share *share, const int triangle[3])
{
    int missing = 0;
    for (int k = 0; k < 3; k++)
        missing += share->known[triangle[k]] < 0;
    return missing;
}

static void share_add(struct share *share, const struct draw_surface *from, const int triangle[3])
{
    for (int k = 0; k < 3; k++) {
        int *known = &share->known[triangle[k]];
        if (*known < 0) {
            *known = (int)arrlen(share->surface.vertices);
            arrput(share->surface.vertices, from->vertices[triangle[k]]);
        }
        arrput(share->surface.indices, *known);
    }
}

/* Triangles keep their order: in a model's file adjacent ones are close. */
void surface_split(struct draw_surface *surface, const struct meta_limits *limits,
                   struct draw_surface **out)
{
    int max = surface->type == SURFACE_PLANAR ? limits->lightmapped_vertices : limits->vertices;
    if ((int)arrlen(surface->vertices) <= max && (int)arrlen(surface->indices) <= limits->indices) {
        arrput(*out, *surface);
        *surface = (struct draw_surface){0};
        return;
    }
    struct share share = {.known = memory_alloc(arrlenu(surface->vertices) * sizeof(int))};
    share_begin(&share, surface);
    for (size_t i = 0; i + 2 < arrlenu(surface->indices); i += 3) {
        const int *triangle = surface->indices + i;
        if ((int)arrlen(share.surface.vertices) + share_missing(&share, triangle) > max ||
            (int)arrlen(share.surface.indices) + 3 > limits->indices) {
            arrput(*out, share.surface);
            share_begin(&share, surface);
        }
        share_add(&share, surface, triangle);
    }
    if (arrlenu(share.surface.indices))
        arrput(*out, share.surface);
    memory_free(share.known);
    draw_surface_free(surface);
    *surface = (struct draw_surface){0};
}
