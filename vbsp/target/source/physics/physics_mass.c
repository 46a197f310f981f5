/* Mass properties of a solid: centre, inertia, radius, drag. All hulls have the same density, and
 * flat ones, if a solid has no others, the same weight per area; overlaps count twice. Lengths are
 * metres, in the axes of the file. */
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "vbsp/target/source/physics/physics_hull.h"

enum {
    CORNERS = 3,
    FLAT_TRIANGLES = 2, /* of a flat hull */
    RADIUS_STEPS = 250, /* steps of the radius, the unit of the deviation */
    DRAG_CELLS = 64,    /* along each side of the box */
};

/* Sums over tetrahedra from `apex` to each triangle, or over the triangles. */
struct moments {
    struct vec3 apex;
    double weight;             /* volume, or area */
    struct vec3 first, second; /* integrals of x and x * x about the apex, and so on */
};

static struct vec3 point_at(const struct physics_solid *solid, int32_t point)
{
    const float *p = solid->points[point].p;
    return vec3((double)p[0], (double)p[1], (double)p[2]);
}

static void corners_of(const struct physics_solid *solid, size_t triangle, struct vec3 out[CORNERS])
{
    for (int i = 0; i < CORNERS; i++)
        out[i] = point_at(solid, solid->triangles[triangle].edges[i].point);
}

static struct bounds solid_bounds_of(const struct physics_solid *solid)
{
    struct bounds bounds = bounds_empty();
    for (int32_t i = 0; i < arrlen(solid->points); i++)
        bounds_add_point(&bounds, point_at(solid, i));
    return bounds;
}

/* Adds a simplex of `count` corners: v, and the apex when these are four. */
static void add_simplex(struct moments *moments, const struct vec3 v[CORNERS], double weight,
                        double count)
{
    moments->weight += weight;
    for (int i = 0; i < 3; i++) {
        double a = v[0].e[i], b = v[1].e[i], c = v[2].e[i];
        moments->first.e[i] += weight * (a + b + c) / count;
        moments->second.e[i] +=
            weight * (a * a + b * b + c * c + a * b + a * c + b * c) / (count * (count + 1) / 2);
    }
}

static bool is_flat(const struct physics_solid *solid)
{
    for (size_t i = 0; i < arrlenu(solid->ledges); i++)
        if (solid->ledges[i].triangle_count != FLAT_TRIANGLES)
            return false;
    return true;
}

static struct moments moments_of(const struct physics_solid *solid)
{
    struct bounds bounds = solid_bounds_of(solid);
    struct moments moments = {.apex = bounds_center(&bounds)};
    bool flat = is_flat(solid);
    for (size_t i = 0; i < arrlenu(solid->triangles); i++) {
        struct vec3 v[CORNERS];
        corners_of(solid, i, v);
        for (int k = 0; k < CORNERS; k++)
            v[k] = vec3_sub(v[k], moments.apex);
        if (flat)
            add_simplex(&moments, v,
                        vec3_length(vec3_cross(vec3_sub(v[1], v[0]), vec3_sub(v[2], v[0]))) / 2, 3);
        else
            add_simplex(&moments, v, vec3_dot(v[0], vec3_cross(v[1], v[2])) / 6, 4);
    }
    return moments;
}

/* Distance of the triangle's corners from the centre's projection onto its plane. */
static double foot_distance(struct vec3 centre, const struct vec3 corners[CORNERS])
{
    struct vec3 normal = vec3_normalize(
        vec3_cross(vec3_sub(corners[1], corners[0]), vec3_sub(corners[2], corners[0])));
    double max = 0;
    for (int i = 0; i < CORNERS; i++) {
        struct vec3 way = vec3_sub(corners[i], centre);
        double above = vec3_dot(way, normal);
        max = portable_fmax(max, vec3_dot(way, way) - above * above);
    }
    return sqrt(max);
}

static void set_radius(struct physics_solid *solid, struct vec3 centre)
{
    double radius = 0, distance = 0;
    for (int32_t i = 0; i < arrlen(solid->points); i++)
        radius = portable_fmax(radius, vec3_distance(point_at(solid, i), centre));
    for (size_t i = 0; i < arrlenu(solid->triangles); i++) {
        struct vec3 corners[CORNERS];
        corners_of(solid, i, corners);
        distance = portable_fmax(distance, foot_distance(centre, corners));
    }
    solid->radius = (float)radius;
    solid->deviation =
        (uint8_t)portable_fmin(floor((double)RADIUS_STEPS * distance / radius) + 1, UINT8_MAX);
}

void physics_solid_weigh(struct physics_solid *solid)
{
    struct moments moments = moments_of(solid);
    struct vec3 middle = vec3_scale(moments.first, 1 / moments.weight), variance;
    for (int i = 0; i < 3; i++) {
        double spread = moments.second.e[i] / moments.weight - middle.e[i] * middle.e[i];
        variance.e[i] = portable_fmax(spread, 0);
        solid->mass_centre[i] = (float)(moments.apex.e[i] + middle.e[i]);
    }
    for (int i = 0; i < 3; i++) {
        double y = variance.e[(i + 1) % 3], z = variance.e[(i + 2) % 3];
        solid->inertia[i] = (float)sqrt(y * y + z * z);
    }
    set_radius(solid, vec3_add(moments.apex, middle));
}

/* The orthographic projection of a solid along an axis, in cells of its box. */
struct shadow {
    int u, v; /* the axes of the cells */
    double low[2], step[2];
    bool covered[DRAG_CELLS][DRAG_CELLS];
    int counts[DRAG_CELLS]; /* number of covered cells, along v */
};

/* The cells whose centres may be in the triangle, along one side of the box. */
static void cell_range(const struct shadow *shadow, const struct vec3 corners[CORNERS], int side,
                       int range[2])
{
    int axis = side ? shadow->v : shadow->u;
    double low = DBL_MAX, high = -DBL_MAX;
    for (int i = 0; i < CORNERS; i++) {
        low = portable_fmin(low, corners[i].e[axis]);
        high = portable_fmax(high, corners[i].e[axis]);
    }
    low = (low - shadow->low[side]) / shadow->step[side];
    high = (high - shadow->low[side]) / shadow->step[side];
    range[0] = (int)portable_fmax(floor(low - 1), 0);
    range[1] = (int)portable_fmin(ceil(high + 1), DRAG_CELLS);
}

/* An edge of a triangle in a column of cells. */
struct edge_line {
    double along, start, across;
};

/* Positive on one side of the edge, negative on the other, and increasing with the cell. */
static double side_of(const struct shadow *shadow, const struct edge_line *edge, int cell)
{
    double v = shadow->low[1] + (cell + 0.5) * shadow->step[1];
    double side = edge->along * (v - edge->start) - edge->across;
    return edge->along < 0 ? -side : side;
}

/* The first cell whose centre is beyond the edge, or on it if `on_it`. */
static int first_beyond(const struct shadow *shadow, const struct edge_line *edge,
                        const int range[2], bool on_it)
{
    int low = range[0], high = range[1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        double side = side_of(shadow, edge, middle);
        if (side > 0 || (on_it && side >= 0))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The triangle covers the cells on the same side of all its edges, whether it faces front or back;
 * either is a range of cells. */
static void cast_column(struct shadow *shadow, const struct vec3 corners[CORNERS], int column,
                        const int range[2])
{
    int rows[2][2] = {{range[0], range[1]}, {range[0], range[1]}};
    double u = shadow->low[0] + (column + 0.5) * shadow->step[0];
    for (int i = 0; i < CORNERS; i++) {
        const struct vec3 *a = &corners[i], *b = &corners[(i + 1) % CORNERS];
        struct edge_line edge = {
            .along = b->e[shadow->u] - a->e[shadow->u],
            .start = a->e[shadow->v],
            .across = (b->e[shadow->v] - a->e[shadow->v]) * (u - a->e[shadow->u]),
        };
        int begins = edge.along < 0, first = first_beyond(shadow, &edge, range, true);
        int end = first_beyond(shadow, &edge, range, false);
        rows[begins][0] = first > rows[begins][0] ? first : rows[begins][0];
        rows[!begins][1] = end < rows[!begins][1] ? end : rows[!begins][1];
    }
    for (int i = 0; i < 2; i++)
        for (int k = rows[i][0]; k < rows[i][1]; k++)
            shadow->covered[column][k] = true;
}

static int count_covered(const struct shadow *shadow, int column)
{
    int count = 0;
    for (int k = 0; k < DRAG_CELLS; k++)
        count += shadow->covered[column][k];
    return count;
}

static void cast_triangle(struct shadow *shadow, const struct vec3 corners[CORNERS])
{
    int u[2], v[2];
    cell_range(shadow, corners, 0, u);
    cell_range(shadow, corners, 1, v);
    for (int i = u[0]; i < u[1]; i++) {
        if (shadow->counts[i] == DRAG_CELLS)
            continue;
        cast_column(shadow, corners, i, v);
        shadow->counts[i] = count_covered(shadow, i);
    }
}

static double shadow_part(const struct physics_solid *solid, const struct bounds *bounds, int axis)
{
    struct shadow shadow = {.u = (axis + 1) % 3, .v = (axis + 2) % 3};
    const int axes[2] = {shadow.u, shadow.v};
    for (int i = 0; i < 2; i++) {
        shadow.low[i] = bounds->mins.e[axes[i]];
        shadow.step[i] = (bounds->maxs.e[axes[i]] - shadow.low[i]) / (double)DRAG_CELLS;
        if (!(shadow.step[i] > 0))
            return 1;
    }
    for (size_t i = 0; i < arrlenu(solid->triangles); i++) {
        struct vec3 corners[CORNERS];
        corners_of(solid, i, corners);
        cast_triangle(&shadow, corners);
    }
    int count = 0;
    for (int i = 0; i < DRAG_CELLS; i++)
        count += shadow.counts[i];
    return (double)count / (DRAG_CELLS * DRAG_CELLS);
}

void physics_solid_measure_drag(struct physics_solid *solid)
{
    /* Only these are in the order of the map's axes. */
    static const int axis_of[3] = {0, 2, 1};
    struct bounds bounds = solid_bounds_of(solid);
    for (int i = 0; i < 3; i++)
        solid->drag[i] = (float)shadow_part(solid, &bounds, axis_of[i]);
}
