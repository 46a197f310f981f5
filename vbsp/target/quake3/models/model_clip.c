#include "vbsp/target/quake3/models/models.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"

/* Triangles with less area, in square units, or a smaller height, do not collide. */
#define MIN_AREA   0.05
#define MIN_HEIGHT 0.1

/* Corners this close to a plane, in units, lie on it. */
#define ON_PLANE 0.02

/* Minimum thickness of a body behind its face, in units, for a depth of two: below it the direction
 * is too flat for the face. */
#define MIN_COSINE 0.2

struct outline {
    struct vec3 points[4]; /* clockwise seen from the front */
    int count;
    struct plane plane;
};

struct clipper {
    const struct draw_surface *surface;
    int flags;
    double depth;
    struct clip_body **out;
};

static bool outline_of(const struct draw_surface *surface, size_t first, struct outline *out)
{
    double longest = 0;
    for (size_t k = 0; k < 3; k++)
        out->points[k] = surface->vertices[surface->indices[first + k]].p;
    out->count = 3;
    for (int k = 0; k < 3; k++)
        longest = portable_fmax(longest, vec3_distance(out->points[k], out->points[(k + 1) % 3]));
    struct vec3 across = vec3_cross(vec3_sub(out->points[2], out->points[0]),
                                    vec3_sub(out->points[1], out->points[0]));
    double area = vec3_length(across) / 2;
    if (area < MIN_AREA || 2 * area / longest < MIN_HEIGHT)
        return false;
    out->plane.normal = vec3_normalize(across);
    out->plane.dist = vec3_dot(out->plane.normal, out->points[0]);
    return true;
}

/* True if the outline is convex at each corner. */
static bool is_convex(const struct outline *outline)
{
    for (int i = 0; i < outline->count; i++) {
        struct vec3 a = outline->points[i], b = outline->points[(i + 1) % outline->count],
                    c = outline->points[(i + 2) % outline->count];
        struct vec3 turn = vec3_cross(vec3_sub(c, b), vec3_sub(b, a));
        if (vec3_dot(turn, outline->plane.normal) < -ON_PLANE)
            return false;
    }
    return true;
}

/* Inserts the corner of another triangle that is not on the shared edge into the outline. */
static bool join_outlines(const struct outline *a, const struct outline *b, struct outline *out)
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            if (vec3_distance(a->points[i], b->points[(k + 1) % 3]) > 0 ||
                vec3_distance(a->points[(i + 1) % 3], b->points[k]) > 0)
                continue;
            struct vec3 other = b->points[(k + 2) % 3];
            if (fabs(plane_distance(&a->plane, other)) > ON_PLANE ||
                vec3_dot(a->plane.normal, b->plane.normal) < 0.99)
                return false;
            *out = (struct outline){.count = 4, .plane = a->plane};
            out->points[0] = a->points[(i + 1) % 3];
            out->points[1] = a->points[(i + 2) % 3];
            out->points[2] = a->points[i];
            out->points[3] = other;
            return is_convex(out);
        }
    }
    return false;
}

/* Direction of the extrusion, unit. */
static struct vec3 depth_of(const struct clipper *clipper, struct vec3 normal)
{
    int axis = vec3_major_axis(normal);
    struct vec3 way = vec3(0, 0, 0);
    if (clipper->flags & MISC_MODEL_CLIP_ALONG)
        return vec3_neg(normal);
    if (clipper->flags & MISC_MODEL_CLIP_UP && fabs(normal.z) >= MIN_COSINE)
        axis = 2;
    way.e[axis] = normal.e[axis] > 0 ? -1 : 1;
    return way;
}

static void add_body(const struct clipper *clipper, const struct outline *outline)
{
    struct vec3 way = depth_of(clipper, outline->plane.normal);
    struct clip_body body = {.shader = clipper->surface->shader,
                             .entity = clipper->surface->entity,
                             .where = clipper->surface->where};
    arrput(body.planes, outline->plane);
    struct plane back = plane_flip(&outline->plane);
    back.dist += clipper->depth * vec3_dot(back.normal, way);
    arrput(body.planes, back);
    for (int i = 0; i < outline->count; i++) {
        struct vec3 from = outline->points[i], to = outline->points[(i + 1) % outline->count];
        struct plane side;
        side.normal = vec3_normalize(vec3_cross(vec3_sub(to, from), way));
        side.dist = vec3_dot(side.normal, from);
        arrput(body.planes, side);
    }
    arrput(*clipper->out, body);
}

void model_clip(const struct draw_surface *surface, int flags, double depth, struct clip_body **out)
{
    struct clipper clipper = {surface, flags, depth > 0 ? depth : MODEL_CLIP_DEPTH, out};
    const int stops = Q3_CONTENTS_SOLID | Q3_CONTENTS_PLAYERCLIP;
    if (!(surface->shader->contents & stops))
        return;
    for (size_t i = 0; i + 2 < arrlenu(surface->indices); i += 3) {
        struct outline one, two, both;
        if (!outline_of(surface, i, &one))
            continue;
        /* Files have the two halves of a quad in sequence. */
        if (i + 5 < arrlenu(surface->indices) && outline_of(surface, i + 3, &two) &&
            join_outlines(&one, &two, &both)) {
            add_body(&clipper, &both);
            i += 3;
        } else {
            add_body(&clipper, &one);
        }
    }
}
