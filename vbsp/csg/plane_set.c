#include "vbsp/csg/plane_set.h"

#include <stdint.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/geom/epsilon.h"

/* Planes are hashed by |dist|; cells are wide enough that a search needs only the two neighbours.
 * */
#define CELL_WIDTH 8.0
/* Far beyond any world; planes farther away share the cell. */
#define LAST_CELL 1e15

struct plane_set_cell {
    int64_t key;
    int *value; /* stb_ds array of plane numbers */
};

static int64_t cell_of(double dist)
{
    return (int64_t)portable_fmin(floor(fabs(dist) / CELL_WIDTH), LAST_CELL);
}

static bool same_plane(const struct plane *plane, struct vec3 normal, double dist)
{
    if (fabs(plane->dist - dist) > EPSILON_PLANE_DIST)
        return false;
    for (int i = 0; i < 3; i++)
        if (fabs(plane->normal.e[i] - normal.e[i]) > EPSILON_PLANE_NORMAL)
            return false;
    return true;
}

static double near_whole(double dist)
{
    double whole = floor(dist + 0.5);
    return fabs(dist - whole) < EPSILON_PLANE_DIST ? whole : dist;
}

/* Slopes hardly ever have whole distances, and if one is close to a whole number, it is by chance:
 * snapping it would change the shape of a map that is moved. */
static void snap(struct vec3 *normal, double *dist)
{
    for (int i = 0; i < 3; i++) {
        if (!(fabs(fabs(normal->e[i]) - 1) < EPSILON_PLANE_NORMAL))
            continue;
        double sign = normal->e[i] > 0 ? 1 : -1;
        *normal = vec3(0, 0, 0);
        normal->e[i] = sign;
        *dist = near_whole(*dist);
        return;
    }
}

static int append(struct plane_set *set, struct vec3 normal, double dist)
{
    struct plane plane = {normal, dist};
    struct plane flipped = plane_flip(&plane);
    enum plane_type type = plane_type(normal);
    bool backwards = type <= PLANE_Z && normal.e[type] < 0;
    int first = (int)arrlen(set->planes);
    arrput(set->planes, backwards ? flipped : plane);
    arrput(set->planes, backwards ? plane : flipped);
    arrput(set->types, type);
    arrput(set->types, type);
    int64_t key = cell_of(dist);
    ptrdiff_t at = hmgeti(set->cells, key);
    if (at < 0) {
        struct plane_set_cell cell = {.key = key};
        hmputs(set->cells, cell);
        at = hmgeti(set->cells, key);
    }
    arrput(set->cells[at].value, first);
    arrput(set->cells[at].value, first + 1);
    return first + backwards;
}

double plane_set_limit(const struct plane_set *set)
{
    return set->limit > 0 ? set->limit : WORLD_LIMIT;
}

int plane_set_find(struct plane_set *set, struct vec3 normal, double dist)
{
    snap(&normal, &dist);
    int64_t center = cell_of(dist);
    for (int64_t key = center - 1; key <= center + 1; key++) {
        ptrdiff_t at = hmgeti(set->cells, key);
        if (at < 0)
            continue;
        const int *numbers = set->cells[at].value;
        for (ptrdiff_t i = 0; i < arrlen(numbers); i++)
            if (same_plane(&set->planes[numbers[i]], normal, dist))
                return numbers[i];
    }
    return append(set, normal, dist);
}

/* Both sides of a wall round alike: halves round away from 0. */
static int find_of_side(struct plane_set *set, struct vec3 normal, double dist)
{
    if (set->snap_axial && plane_type(normal) <= PLANE_Z)
        dist = round(dist);
    return plane_set_find(set, normal, dist);
}

/* False if the points are collinear or not finite. */
static bool find_plane(const struct vec3 points[3], struct plane *plane)
{
    if (!plane_from_points(points[0], points[1], points[2], plane))
        return false;
    if (!vec3_is_finite(plane->normal) || !isfinite(plane->dist))
        return false;
    for (int i = 0; i < 3; i++) {
        if (fabs(fabs(plane->normal.e[i]) - 1) < EPSILON_PLANE_NORMAL) {
            double mean = (points[0].e[i] + points[1].e[i] + points[2].e[i]) / 3;
            plane->dist = plane->normal.e[i] > 0 ? mean : -mean;
        }
    }
    return true;
}

int plane_set_from_points(struct plane_set *set, const struct vec3 points[3])
{
    struct plane plane;
    return find_plane(points, &plane) ? find_of_side(set, plane.normal, plane.dist) : -1;
}

int plane_set_from_turned_points(struct plane_set *set, const struct vec3 points[3])
{
    struct plane plane;
    return find_plane(points, &plane) ? find_of_side(set, plane.normal, near_whole(plane.dist))
                                      : -1;
}

int plane_set_moved(struct plane_set *set, int plane, struct vec3 move)
{
    struct plane drawn = set->planes[plane];
    double along = vec3_dot(drawn.normal, move);
    return along == 0 ? plane : find_of_side(set, drawn.normal, drawn.dist + along);
}

void plane_set_free(struct plane_set *set)
{
    for (ptrdiff_t i = 0; i < hmlen(set->cells); i++)
        arrfree(set->cells[i].value);
    hmfree(set->cells);
    arrfree(set->planes);
    arrfree(set->types);
}
