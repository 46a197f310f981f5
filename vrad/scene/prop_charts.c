#include "vrad/scene/prop_charts.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "vrad/scene/scene.h"

/* Side of a luxel, in units, and luxels along the side of a chart. */
#define LUXEL_SIDE 16.0
enum { SIDE_MAX = 128 };

struct placed {
    struct vec3 corners[3], normal; /* unit */
    double area;
};

/* Orders small triangles, so that those of one luxel follow each other. */
struct small_key {
    int prop, side, cell[3];
    uint32_t triangle;
};

struct maker {
    const struct scene *scene;
    const float *positions; /* 9 per triangle */
    const float (*reflectivity)[3];
    struct prop_charts *out;
    struct small_key *small; /* stb_ds array */
};

/* False for a triangle without area. */
static bool place(const struct maker *maker, size_t triangle, struct placed *out)
{
    const float *normal = maker->scene->prop_triangles[triangle].normal;
    for (size_t k = 0; k < 3; k++)
        out->corners[k] = vec3_from_floats(maker->positions + 9 * triangle + 3 * k);
    struct vec3 cross = vec3_cross(vec3_sub(out->corners[1], out->corners[0]),
                                   vec3_sub(out->corners[2], out->corners[0]));
    out->area = vec3_length(cross) / 2;
    out->normal = vec3_normalize(vec3_from_floats(normal));
    return out->area > 1e-6 && vec3_is_finite(out->normal);
}

/* ---- large triangles ---- */

struct chart_axis {
    struct vec3 direction; /* unit */
    double low, side;      /* of the first luxel, along it */
    int luxels;
};

static struct chart_axis axis_along(const struct placed *placed, struct vec3 direction)
{
    struct chart_axis axis = {.direction = direction};
    double low = DBL_MAX, high = -DBL_MAX;
    for (int k = 0; k < 3; k++) {
        double at = vec3_dot(placed->corners[k], direction);
        low = portable_fmin(low, at);
        high = portable_fmax(high, at);
    }
    double wanted = ceil((high - low) / LUXEL_SIDE - 1e-3);
    axis.luxels = (int)portable_fmin(portable_fmax(wanted, 1), SIDE_MAX);
    axis.low = low;
    axis.side = (high - low) / axis.luxels;
    return axis;
}

/* Along the longest edge, and across it in the plane. */
static void axes_of(const struct placed *placed, struct chart_axis axes[2])
{
    struct vec3 longest = vec3(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        struct vec3 edge = vec3_sub(placed->corners[(k + 1) % 3], placed->corners[k]);
        if (vec3_dot(edge, edge) > vec3_dot(longest, longest))
            longest = edge;
    }
    longest = vec3_normalize(longest);
    axes[0] = axis_along(placed, longest);
    axes[1] = axis_along(placed, vec3_normalize(vec3_cross(placed->normal, longest)));
}

static double cross_at(const double a[2], const double b[2], const double p[2])
{
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

static bool contains(const double corners[3][2], const double p[2])
{
    int left = 0, right = 0;
    for (int k = 0; k < 3; k++) {
        double side = cross_at(corners[k], corners[(k + 1) % 3], p);
        left += side >= 0;
        right += side <= 0;
    }
    return left == 3 || right == 3;
}

/* The nearest point of the triangle's outline. */
static void nearest(const double corners[3][2], const double p[2], double out[2])
{
    double best = DBL_MAX;
    for (int k = 0; k < 3; k++) {
        const double *a = corners[k], *b = corners[(k + 1) % 3];
        const double way[2] = {b[0] - a[0], b[1] - a[1]};
        double square = way[0] * way[0] + way[1] * way[1];
        double along =
            ((p[0] - a[0]) * way[0] + (p[1] - a[1]) * way[1]) / portable_fmax(square, 1e-12);
        along = portable_fmin(portable_fmax(along, 0.02), 0.98);
        const double at[2] = {a[0] + along * way[0], a[1] + along * way[1]};
        double miss = (at[0] - p[0]) * (at[0] - p[0]) + (at[1] - p[1]) * (at[1] - p[1]);
        if (miss < best) {
            best = miss;
            out[0] = at[0];
            out[1] = at[1];
        }
    }
}

static void add_sample(struct prop_luxel *luxel, struct vec3 position, struct vec3 normal)
{
    vec3_to_floats(position, luxel->position[luxel->samples]);
    vec3_to_floats(normal, luxel->normal[luxel->samples]);
    luxel->samples++;
}

/* Of a plane chart: four points of its square that lie on the triangle, or the nearest one. */
static void sample_square_of(const struct placed *placed, const struct chart_axis axes[2],
                             const int at[2], struct prop_luxel *luxel)
{
    double corners[3][2], point[2];
    double height = vec3_dot(placed->corners[0], placed->normal);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++)
            corners[k][i] = vec3_dot(placed->corners[k], axes[i].direction);
    for (int n = 0; n <= PROP_LUXEL_SAMPLES; n++) {
        bool middle = n == PROP_LUXEL_SAMPLES;
        const double share[2] = {middle ? 0.5 : 0.25 + 0.5 * (n % 2),
                                 middle ? 0.5 : 0.25 + 0.5 * (n / 2)};
        for (int i = 0; i < 2; i++)
            point[i] = axes[i].low + (at[i] + share[i]) * axes[i].side;
        if (middle ? luxel->samples > 0 : !contains((const double(*)[2])corners, point))
            continue;
        if (middle && !contains((const double(*)[2])corners, point))
            nearest((const double(*)[2])corners, (const double[2]){point[0], point[1]}, point);
        struct vec3 position = vec3_scale(axes[0].direction, point[0]);
        position = vec3_mad(position, axes[1].direction, point[1]);
        add_sample(luxel, vec3_mad(position, placed->normal, height), placed->normal);
    }
}

static struct prop_luxel luxel_of_triangle(const struct maker *maker, size_t triangle)
{
    struct prop_luxel luxel = {.prop = maker->scene->prop_triangles[triangle].prop};
    memcpy(luxel.reflectivity, maker->reflectivity[triangle], sizeof luxel.reflectivity);
    return luxel;
}

/* Luxel coordinates of the corners: luxel 0 is centred on 0. */
static void project(const struct placed *placed, const struct chart_axis axes[2], float st[3][2])
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++)
            st[k][i] = (float)((vec3_dot(placed->corners[k], axes[i].direction) - axes[i].low) /
                                   portable_fmax(axes[i].side, 1e-9) -
                               0.5);
}

static int new_chart(struct maker *maker, int width, int height)
{
    struct prop_charts *out = maker->out;
    const struct prop_chart chart = {(uint32_t)arrlen(out->luxels), (int16_t)width,
                                     (int16_t)height};
    arrput(out->charts, chart);
    return out->faces + (int)arrlen(out->charts) - 1;
}

static void add_large(struct maker *maker, size_t triangle, const struct placed *placed,
                      const struct chart_axis axes[2])
{
    float st[3][2];
    int face = new_chart(maker, axes[0].luxels, axes[1].luxels);
    project(placed, axes, st);
    maker->out->surfaces[triangle] = scene_triangle_of(
        face, (const float(*)[2])st, maker->scene->prop_triangles[triangle].normal);
    for (int t = 0; t < axes[1].luxels; t++)
        for (int s = 0; s < axes[0].luxels; s++) {
            struct prop_luxel luxel = luxel_of_triangle(maker, triangle);
            sample_square_of(placed, axes, (const int[2]){s, t}, &luxel);
            arrput(maker->out->luxels, luxel);
        }
}

/* ---- small triangles ---- */

static struct vec3 middle_of(const struct placed *placed)
{
    struct vec3 sum =
        vec3_add(vec3_add(placed->corners[0], placed->corners[1]), placed->corners[2]);
    return vec3_scale(sum, 1.0 / 3);
}

/* Among 0 .. 5, by the largest part of the normal. */
static int side_of(struct vec3 normal)
{
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(normal.e[k]) > fabs(normal.e[axis]))
            axis = k;
    return 2 * axis + (normal.e[axis] > 0);
}

static void list_small(struct maker *maker, size_t triangle, const struct placed *placed)
{
    struct small_key key = {.prop = maker->scene->prop_triangles[triangle].prop,
                            .side = side_of(placed->normal),
                            .triangle = (uint32_t)triangle};
    struct vec3 middle = middle_of(placed);
    for (int k = 0; k < 3; k++)
        key.cell[k] = (int)floor(portable_fmin(portable_fmax(middle.e[k], -1e6), 1e6) / LUXEL_SIDE);
    arrput(maker->small, key);
}

static int compare_places(const struct small_key *a, const struct small_key *b)
{
    const int x[5] = {a->prop, a->side, a->cell[0], a->cell[1], a->cell[2]};
    const int y[5] = {b->prop, b->side, b->cell[0], b->cell[1], b->cell[2]};
    for (int k = 0; k < 5; k++)
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    return 0;
}

static int by_place(const void *a, const void *b)
{
    const struct small_key *x = a, *y = b;
    int order = compare_places(x, y);
    return order ? order : x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

/* Samples at even steps of the area of triangles small[first] to small[end - 1], in whose middles
 * they lie; the reflectivity is the mean by area. */
static void add_shared(struct maker *maker, size_t first, size_t end)
{
    int face = new_chart(maker, 1, 1);
    struct prop_luxel luxel = luxel_of_triangle(maker, maker->small[first].triangle);
    double total = 0, sum = 0, reflected[3] = {0, 0, 0};
    struct placed placed;
    for (size_t i = first; i < end; i++)
        if (place(maker, maker->small[i].triangle, &placed))
            total += placed.area;
    for (size_t i = first; i < end; i++) {
        size_t triangle = maker->small[i].triangle;
        const float *normal = maker->scene->prop_triangles[triangle].normal;
        maker->out->surfaces[triangle] = scene_triangle_of(face, NULL, normal);
        if (!place(maker, triangle, &placed))
            continue;
        sum += placed.area;
        for (int k = 0; k < 3; k++)
            reflected[k] += placed.area * (double)maker->reflectivity[triangle][k];
        if (luxel.samples < PROP_LUXEL_SAMPLES &&
            sum >= (luxel.samples + 0.5) / (double)PROP_LUXEL_SAMPLES * total)
            add_sample(&luxel, middle_of(&placed), placed.normal);
    }
    for (int k = 0; k < 3; k++)
        luxel.reflectivity[k] = (float)(reflected[k] / total);
    arrput(maker->out->luxels, luxel);
}

/* ---- all ---- */

static void add_triangle(struct maker *maker, size_t triangle)
{
    static const float none[3] = {0, 0, 0};
    struct placed placed;
    struct chart_axis axes[2];
    maker->out->surfaces[triangle] = scene_triangle_of(SCENE_BLANK, NULL, none);
    if (!place(maker, triangle, &placed))
        return;
    axes_of(&placed, axes);
    if (axes[0].luxels > 1 || axes[1].luxels > 1)
        add_large(maker, triangle, &placed, axes);
    else
        list_small(maker, triangle, &placed);
}

void prop_charts_make(struct scene *scene, const float (*reflectivity)[3], struct prop_charts *out)
{
    size_t count;
    struct maker maker = {.scene = scene, .reflectivity = reflectivity, .out = out};
    *out = (struct prop_charts){.faces = (int)arrlen(scene->bsp->faces)};
    maker.positions = trace_positions(scene->trace, TRACE_PROP, &count);
    arrsetlen(out->surfaces, count);
    for (size_t i = 0; i < count; i++)
        add_triangle(&maker, i);
    if (maker.small)
        qsort(maker.small, arrlenu(maker.small), sizeof *maker.small, by_place);
    for (size_t first = 0, end; first < arrlenu(maker.small); first = end) {
        for (end = first + 1; end < arrlenu(maker.small); end++)
            if (compare_places(&maker.small[first], &maker.small[end]) != 0)
                break;
        add_shared(&maker, first, end);
    }
    arrfree(maker.small);
}

void prop_charts_free(struct prop_charts *charts)
{
    arrfree(charts->surfaces);
    arrfree(charts->charts);
    arrfree(charts->luxels);
    *charts = (struct prop_charts){0};
}
