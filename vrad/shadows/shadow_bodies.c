#include "vrad/shadows/shadow_bodies.h"

#include "common/core/array.h"

/* Corners this far from a plane lie on it, and as near to each other are one, in units: the
 * rounding of single precision at the edge of the world. */
#define FLAT_ENOUGH 0.01

/* A body that has so many edges with but one side is none. */
enum { MAX_OPEN = 32, POLYGON_CORNERS = 12 };

struct polygon {
    int first, count; /* corners */
    bool veil;
    float plane[4];
};

struct polygons {
    struct polygon *all; /* stb_ds arrays */
    float (*corners)[3];
};

/* ---- polygons ---- */

static struct vec3 corner(const struct polygons *out, int index)
{
    return vec3_from_floats(out->corners[index]);
}

/* Twice the area, along the normal. */
static struct vec3 turn(struct vec3 a, struct vec3 b, struct vec3 c)
{
    return vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
}

static bool same_corner(const float a[3], const float b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Whether a triangle goes on with the fan of the last polygon, which stays convex. */
static bool goes_on(const struct polygons *out, const float triangle[9], bool veil)
{
    const struct polygon *last = &arrlast(out->all);
    int first = last->first, end = first + last->count;
    if (last->veil != veil || last->count == POLYGON_CORNERS ||
        !same_corner(triangle, out->corners[first]) ||
        !same_corner(triangle + 3, out->corners[end - 1]))
        return false;
    struct vec3 normal = vec3_from_floats(last->plane), next = vec3_from_floats(triangle + 6);
    if (fabs(vec3_dot(normal, next) - (double)last->plane[3]) > FLAT_ENOUGH)
        return false;
    struct vec3 start = corner(out, first);
    return vec3_dot(turn(corner(out, end - 2), corner(out, end - 1), next), normal) >= 0 &&
           vec3_dot(turn(corner(out, end - 1), next, start), normal) >= 0 &&
           vec3_dot(turn(next, start, corner(out, first + 1)), normal) >= 0;
}

static void add_triangle(struct polygons *out, const float triangle[9], bool veil)
{
    if (arrlen(out->all) && goes_on(out, triangle, veil)) {
        memcpy(arraddnptr(out->corners, 1), triangle + 6, sizeof *out->corners);
        arrlast(out->all).count++;
        return;
    }
    struct vec3 start = vec3_from_floats(triangle);
    struct vec3 normal =
        turn(start, vec3_from_floats(triangle + 3), vec3_from_floats(triangle + 6));
    if (!vec3_is_finite(normal) || !(vec3_length(normal) > 0)) /* it hides nothing */
        return;
    normal = vec3_normalize(normal);
    struct polygon polygon = {.first = (int)arrlen(out->corners), .count = 3, .veil = veil};
    for (int k = 0; k < 3; k++)
        polygon.plane[k] = (float)normal.e[k];
    polygon.plane[3] = (float)vec3_dot(normal, start);
    arrput(out->all, polygon);
    memcpy(arraddnptr(out->corners, 3), triangle, 9 * sizeof(float));
}

static void add_class(struct polygons *out, const struct scene *scene, enum trace_class class)
{
    size_t count;
    const float *positions = trace_positions(scene->trace, class, &count);
    for (size_t i = 0; i < count; i++)
        add_triangle(out, positions + 9 * i, class == TRACE_ALPHA_SHADOW);
}

/* ---- bodies ---- */

/* A body in the making. */
struct draft {
    float corners[SHADOW_CORNERS][3];
    struct shadow_ridge ridges[SHADOW_EDGES];
    float planes[SHADOW_SIDES][4];
    int corner_count, ridge_count, plane_count;
    int open; /* ridges with one side */
};

/* Its number, or -1: there is no room. */
static int draft_corner(struct draft *draft, const float at[3])
{
    for (int i = 0; i < draft->corner_count; i++) {
        const float *c = draft->corners[i];
        if (fabsf(c[0] - at[0]) + fabsf(c[1] - at[1]) + fabsf(c[2] - at[2]) < (float)FLAT_ENOUGH)
            return i;
    }
    if (draft->corner_count == SHADOW_CORNERS)
        return -1;
    memcpy(draft->corners[draft->corner_count], at, sizeof *draft->corners);
    return draft->corner_count++;
}

/* Two sides of a closed body run along their ridge in opposite directions. */
static bool draft_ridge(struct draft *draft, int from, int to, int side)
{
    for (int i = 0; i < draft->ridge_count; i++) {
        struct shadow_ridge *ridge = &draft->ridges[i];
        if (ridge->from == from && ridge->to == to)
            return false;
        if (ridge->from == to && ridge->to == from) {
            if (ridge->right != SHADOW_SIDES)
                return false;
            ridge->right = (unsigned char)side;
            draft->open--;
            return true;
        }
    }
    if (draft->ridge_count == SHADOW_EDGES)
        return false;
    draft->ridges[draft->ridge_count++] = (struct shadow_ridge){
        (unsigned char)from, (unsigned char)to, (unsigned char)side, SHADOW_SIDES};
    return ++draft->open <= MAX_OPEN;
}

static bool draft_side(struct draft *draft, const struct polygons *from,
                       const struct polygon *polygon)
{
    int side = draft->plane_count++, numbers[POLYGON_CORNERS], kept = 0;
    memcpy(draft->planes[side], polygon->plane, sizeof *draft->planes);
    for (int i = 0; i < polygon->count; i++) {
        int number = draft_corner(draft, from->corners[polygon->first + i]);
        if (number < 0)
            return false;
        if (kept == 0 || (number != numbers[kept - 1] && number != numbers[0]))
            numbers[kept++] = number;
    }
    for (int i = 0; i < kept; i++)
        if (!draft_ridge(draft, numbers[i], numbers[i + 1 < kept ? i + 1 : 0], side))
            return false;
    return kept >= 3;
}

/* Whether all corners lie behind all sides; turns planes that face inwards. */
static bool is_convex(struct draft *draft)
{
    float min = 0, max = 0;
    for (int p = 0; p < draft->plane_count; p++) {
        const float *plane = draft->planes[p];
        for (int i = 0; i < draft->corner_count; i++) {
            const float *at = draft->corners[i];
            float above = plane[0] * at[0] + plane[1] * at[1] + plane[2] * at[2] - plane[3];
            min = above < min ? above : min;
            max = above > max ? above : max;
        }
    }
    bool inwards = max > -min;
    for (int p = 0; p < draft->plane_count && inwards; p++)
        for (int k = 0; k < 4; k++)
            draft->planes[p][k] = -draft->planes[p][k];
    return (inwards ? -min : max) < 2 * (float)FLAT_ENOUGH;
}

static void put_body(struct shadow_bodies *out, const struct draft *draft, bool closed, bool veil)
{
    struct shadow_body body = {.first_plane = (int)arrlen(out->planes),
                               .first_corner = (int)arrlen(out->corners),
                               .first_ridge = (int)arrlen(out->ridges),
                               .plane_count = (unsigned char)draft->plane_count,
                               .corner_count = (unsigned char)draft->corner_count,
                               .ridge_count = (unsigned char)draft->ridge_count,
                               .closed = closed,
                               .veil = veil};
    size_t planes = body.plane_count, corners = body.corner_count, ridges = body.ridge_count;
    memcpy(arraddnptr(out->planes, planes), draft->planes, planes * sizeof *draft->planes);
    memcpy(arraddnptr(out->corners, corners), draft->corners, corners * sizeof *draft->corners);
    memcpy(arraddnptr(out->ridges, ridges), draft->ridges, ridges * sizeof *draft->ridges);
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < corners; i++)
            body.middle[k] += draft->corners[i][k] / (float)corners;
    }
    arrput(out->bodies, body);
}

/* The polygons from `first` on that close a body; 0: they do not. */
static int close_body(const struct polygons *from, int first, struct draft *draft)
{
    draft->corner_count = draft->ridge_count = draft->plane_count = draft->open = 0;
    int end = (int)arrlen(from->all);
    for (int i = first; i < end && draft->plane_count < SHADOW_SIDES; i++) {
        if (from->all[i].veil || !draft_side(draft, from, &from->all[i]))
            return 0;
        if (draft->open == 0)
            return draft->plane_count > 3 && is_convex(draft) ? draft->plane_count : 0;
    }
    return 0;
}

static void add_bodies(const struct polygons *from, bool closed, struct shadow_bodies *out)
{
    int count = (int)arrlen(from->all);
    for (int i = 0; i < count;) {
        struct draft draft;
        int sides = closed ? close_body(from, i, &draft) : 0;
        if (sides == 0) {
            draft.corner_count = draft.ridge_count = draft.plane_count = draft.open = 0;
            if (draft_side(&draft, from, &from->all[i]))
                put_body(out, &draft, false, from->all[i].veil);
            i++;
            continue;
        }
        put_body(out, &draft, true, false);
        i += sides;
    }
}

void shadow_bodies_build(const struct scene *scene, struct shadow_bodies *out)
{
    struct polygons polygons = {NULL, NULL};
    *out = (struct shadow_bodies){.bodies = NULL};
    add_class(&polygons, scene, TRACE_SOLID);
    if (scene->blocking & TRACE_PROP)
        add_class(&polygons, scene, TRACE_PROP);
    if (scene->veils.triangles)
        add_class(&polygons, scene, TRACE_ALPHA_SHADOW);
    /* Where surfaces may run on into solids, they are drawn ones, which close nothing. */
    add_bodies(&polygons, !scene->solid_leaves, out);
    arrfree(polygons.all);
    arrfree(polygons.corners);
    shadow_tree_make(out);
}

void shadow_skies_build(const struct scene *scene, struct shadow_bodies *out)
{
    struct polygons polygons = {NULL, NULL};
    *out = (struct shadow_bodies){.bodies = NULL};
    add_class(&polygons, scene, TRACE_SKY);
    add_bodies(&polygons, false, out);
    arrfree(polygons.all);
    arrfree(polygons.corners);
    shadow_tree_make(out);
}

void shadow_bodies_free(struct shadow_bodies *bodies)
{
    arrfree(bodies->bodies);
    arrfree(bodies->planes);
    arrfree(bodies->corners);
    arrfree(bodies->ridges);
    arrfree(bodies->nodes);
}
