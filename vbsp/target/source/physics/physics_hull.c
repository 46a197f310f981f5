/* Makes closed triangle hulls of polygons. */
#include "vbsp/target/source/physics/physics_hull.h"

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "vbsp/target/source/physics/physics_convex.h"

/* Units. Corners this close are merged, and a point that would enlarge the hull by less is skipped.
 * */
#define MERGE_DISTANCE 0.01

enum {
    CORNERS = 3,
    MIN_TRIANGLES = 4,
    FLAT_TRIANGLES = 2, /* of a flat hull */
    /* The maximum points of a hull with the maximum number of triangles. */
    HULL_POINTS_MAX = PHYSICS_TRIANGLES_MAX / 2 + 2,
    HULL_BYTES_MAX = 16 + 16 * PHYSICS_TRIANGLES_MAX + 16 * HULL_POINTS_MAX + 2 * 28,
};

struct stored_point {
    float p[3];
};

struct hull_point_cell {
    struct stored_point key;
    int32_t value;
};

/* One hull. stored_points are rounded as in the file, so that no rounding follows. */
struct hull {
    struct vec3 *points;        /* stb_ds array: distinct corners in map units */
    struct vec3 *stored_points; /* stb_ds array: the same as in the file */
    struct physics_triangle *triangles;
    struct vec3 *normals; /* stb_ds array: of the triangles, in file space */
};

void physics_to_metres(struct vec3 point, float out[3])
{
    /* + 0 turns a negative zero positive, for bytewise comparison. */
    out[0] = (float)(point.x * PHYSICS_METRES_PER_UNIT) + 0.0f;
    out[1] = (float)(-point.z * PHYSICS_METRES_PER_UNIT) + 0.0f;
    out[2] = (float)(point.y * PHYSICS_METRES_PER_UNIT) + 0.0f;
}

static void add_point(struct hull *hull, struct vec3 point)
{
    for (size_t i = 0; i < arrlenu(hull->points); i++)
        if (vec3_distance(hull->points[i], point) < MERGE_DISTANCE)
            return;
    float stored_point[3];
    physics_to_metres(point, stored_point);
    struct vec3 stored =
        vec3((double)stored_point[0], (double)stored_point[1], (double)stored_point[2]);
    arrput(hull->points, point);
    arrput(hull->stored_points, stored);
}

static void add_triangles(struct hull *hull)
{
    struct convex_triangle *triangles =
        convex_hull(hull->stored_points, (int)arrlen(hull->stored_points),
                    MERGE_DISTANCE * PHYSICS_METRES_PER_UNIT);
    for (size_t i = 0; i < arrlenu(triangles); i++) {
        const int *corners = triangles[i].points;
        struct vec3 a = hull->stored_points[corners[0]];
        struct vec3 ab = vec3_sub(hull->stored_points[corners[1]], a);
        struct vec3 ac = vec3_sub(hull->stored_points[corners[2]], a);
        struct vec3 normal = vec3_normalize(vec3_cross(ab, ac));
        struct physics_triangle triangle = {.material = 0};
        for (int k = 0; k < CORNERS; k++)
            triangle.edges[k].point = corners[k];
        arrput(hull->triangles, triangle);
        arrput(hull->normals, normal);
    }
    arrfree(triangles);
}

/* Each triangle has the material of the face with the closest normal. */
static void set_materials(struct hull *hull, const struct hull_face *faces, int count)
{
    size_t triangles = arrlenu(hull->triangles);
    double *best = memory_zalloc(triangles + 1, sizeof *best);
    for (int i = 0; i < count; i++) {
        struct plane plane;
        if (!faces[i].material || !winding_plane(faces[i].winding, &plane))
            continue;
        struct vec3 normal = vec3(plane.normal.x, -plane.normal.z, plane.normal.y);
        for (size_t k = 0; k < triangles; k++) {
            double alike = vec3_dot(normal, hull->normals[k]);
            if (alike <= best[k] && hull->triangles[k].material)
                continue;
            best[k] = alike;
            hull->triangles[k].material = (uint8_t)faces[i].material;
        }
    }
    memory_free(best);
}

/* A ray that enters through a triangle leaves near the opposite one. */
static void find_pierces(struct hull *hull)
{
    int count = (int)arrlen(hull->triangles);
    for (int i = 0; i < count; i++) {
        double min = 2;
        for (int k = 0; k < count; k++) {
            double dot = k == i ? 2 : vec3_dot(hull->normals[i], hull->normals[k]);
            if (dot < min) {
                min = dot;
                hull->triangles[i].pierce = k;
            }
        }
    }
}

static double hull_volume(const struct hull *hull)
{
    double sum = 0;
    for (size_t i = 0; i < arrlenu(hull->triangles); i++) {
        const struct physics_edge *edges = hull->triangles[i].edges;
        struct vec3 apex = hull->points[0], a = vec3_sub(hull->points[edges[0].point], apex);
        struct vec3 b = vec3_sub(hull->points[edges[1].point], apex);
        sum += vec3_dot(a, vec3_cross(b, vec3_sub(hull->points[edges[2].point], apex)));
    }
    return sum / 6;
}

/* Pairs all edges; false if an edge has no opposite. */
static bool pair_edges(struct hull *hull)
{
    int count = (int)arrlen(hull->triangles);
    if (count < MIN_TRIANGLES || count > PHYSICS_TRIANGLES_MAX)
        return false;
    struct physics_solid solid = {.kind = PHYSICS_POLY, .triangles = hull->triangles};
    struct physics_ledge ledge = {.triangle_count = count};
    arrput(solid.ledges, ledge);
    bool closed = physics_solid_pair_edges(&solid);
    arrfree(solid.ledges);
    return closed;
}

static void hull_free(struct hull *hull)
{
    if (!hull)
        return;
    arrfree(hull->points);
    arrfree(hull->stored_points);
    arrfree(hull->triangles);
    arrfree(hull->normals);
    memory_free(hull);
}

static bool is_sound(struct hull *hull)
{
    if (arrlen(hull->points) > HULL_POINTS_MAX)
        return false;
    add_triangles(hull);
    return pair_edges(hull);
}

struct hull *hull_make(const struct hull_face *faces, int count)
{
    struct hull *hull = memory_zalloc(1, sizeof *hull);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < faces[i].winding->count; k++)
            add_point(hull, faces[i].winding->points[k]);
    if (!is_sound(hull)) {
        hull_free(hull);
        return NULL;
    }
    set_materials(hull, faces, count);
    find_pierces(hull);
    return hull;
}

static int32_t solid_point(struct hull_set *set, struct vec3 point)
{
    struct physics_point record = {.ignored = 0};
    struct stored_point stored_point;
    physics_to_metres(point, record.p);
    memcpy(stored_point.p, record.p, sizeof stored_point.p);
    ptrdiff_t at = hmgeti(set->known, stored_point);
    if (at >= 0)
        return set->known[at].value;
    int32_t number = (int32_t)arrlen(set->solid.points);
    arrput(set->solid.points, record);
    hmput(set->known, stored_point, number);
    return number;
}

static void append(struct hull_set *set, const struct hull *hull, int brush)
{
    struct physics_ledge ledge = {.client = brush,
                                  .first_triangle = (int32_t)arrlen(set->solid.triangles),
                                  .triangle_count = (int32_t)arrlen(hull->triangles)};
    int32_t numbers[HULL_POINTS_MAX];
    for (size_t i = 0; i < arrlenu(hull->points); i++)
        numbers[i] = -1;
    for (size_t i = 0; i < arrlenu(hull->triangles); i++) {
        struct physics_triangle triangle = hull->triangles[i];
        for (int k = 0; k < CORNERS; k++) {
            int32_t *number = &numbers[triangle.edges[k].point];
            if (*number < 0)
                *number = solid_point(set, hull->points[triangle.edges[k].point]);
            triangle.edges[k].point = *number;
        }
        arrput(set->solid.triangles, triangle);
    }
    arrput(set->solid.ledges, ledge);
    set->volume += hull_volume(hull);
}

bool hull_set_has_room(const struct hull_set *set)
{
    const struct physics_solid *solid = &set->solid;
    size_t bytes = arrlenu(solid->ledges) * (16 + 2 * 28) + arrlenu(solid->triangles) * 16 +
                   arrlenu(solid->points) * 16;
    return arrlenu(solid->points) <= PHYSICS_POINTS_MAX - HULL_POINTS_MAX &&
           bytes <= PHYSICS_SURFACE_MAX - HULL_BYTES_MAX;
}

void hull_set_add_hull(struct hull_set *set, struct hull *hull, int brush)
{
    append(set, hull, brush);
    hull_free(hull);
}

bool hull_set_add(struct hull_set *set, const struct hull_face *faces, int count, int brush)
{
    struct hull *hull = hull_make(faces, count);
    if (hull)
        hull_set_add_hull(set, hull, brush);
    return hull != NULL;
}

bool hull_set_add_triangle(struct hull_set *set, const struct vec3 corners[CORNERS], int material,
                           int brush)
{
    static const int order[FLAT_TRIANGLES][CORNERS] = {{0, 1, 2}, {1, 0, 2}};
    static const int twins[FLAT_TRIANGLES][CORNERS] = {{3, 5, 4}, {0, 2, 1}};
    struct physics_ledge ledge = {.client = brush,
                                  .first_triangle = (int32_t)arrlen(set->solid.triangles),
                                  .triangle_count = FLAT_TRIANGLES};
    struct vec3 ab = vec3_sub(corners[1], corners[0]), ac = vec3_sub(corners[2], corners[0]);
    double longest = portable_fmax(portable_fmax(vec3_length(ab), vec3_length(ac)),
                                   vec3_length(vec3_sub(ab, ac)));
    if (vec3_length(vec3_cross(ab, ac)) < MERGE_DISTANCE * longest)
        return false;
    int32_t numbers[CORNERS];
    for (int k = 0; k < CORNERS; k++)
        numbers[k] = solid_point(set, corners[k]);
    for (int i = 0; i < FLAT_TRIANGLES; i++) {
        struct physics_triangle triangle = {.material = (uint8_t)material, .pierce = 1 - i};
        for (int k = 0; k < CORNERS; k++)
            triangle.edges[k] =
                (struct physics_edge){.point = numbers[order[i][k]], .twin = twins[i][k]};
        arrput(set->solid.triangles, triangle);
    }
    arrput(set->solid.ledges, ledge);
    return true;
}

void hull_set_finish(struct hull_set *set)
{
    set->solid.kind = PHYSICS_POLY;
    physics_solid_weigh(&set->solid);
    for (int i = 0; i < 3; i++)
        set->solid.drag[i] = 1;
    physics_solid_make_tree(&set->solid);
}

void hull_set_free(struct hull_set *set)
{
    physics_solid_free(&set->solid);
    hmfree(set->known);
    *set = (struct hull_set){0};
}
