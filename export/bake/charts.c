#include "export/bake/charts.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"

/* Charts in rows, the highest first. */

/* Pixels per unit: the most, which is as fine as textures usually are, and the least that is tried,
 * at which any chart is a point. */
#define MAX_DENSITY 4.0
#define MIN_DENSITY 1e-9

enum { TRIES = 24 };

static int compare_charts(const void *a, const void *b)
{
    const struct chart *const *first = a, *const *second = b;
    for (int k = 1; k >= 0; k--)
        if ((*first)->size[k] < (*second)->size[k] || (*first)->size[k] > (*second)->size[k])
            return (*first)->size[k] < (*second)->size[k] ? 1 : -1;
    return (*first > *second) - (*first < *second);
}

/* Corners are in the middle of pixels. */
static bool size_pixels(struct chart *chart, double density, int side)
{
    for (int k = 0; k < 2; k++) {
        double size = ceil(chart->size[k] * density) + 1 + 2 * CHART_PADDING;
        if (!(size <= side))
            return false;
        chart->pixels[k] = (int)size;
    }
    return true;
}

static bool place_all(struct chart **order, size_t count, double density, int side)
{
    int x = 0, y = 0, row = 0;
    for (size_t i = 0; i < count; i++) {
        struct chart *chart = order[i];
        if (!size_pixels(chart, density, side))
            return false;
        if (x + chart->pixels[0] > side) {
            y += row;
            x = row = 0;
        }
        if (y + chart->pixels[1] > side)
            return false;
        chart->at[0] = x;
        chart->at[1] = y;
        x += chart->pixels[0];
        row = row > chart->pixels[1] ? row : chart->pixels[1];
    }
    return true;
}

double charts_pack(struct chart_list *list, int side)
{
    size_t count = arrlenu(list->charts);
    struct chart **order = memory_alloc((count + 1) * sizeof(struct chart *));
    double density = MAX_DENSITY, fits = MIN_DENSITY, tight = MAX_DENSITY;
    for (size_t i = 0; i < count; i++)
        order[i] = &list->charts[i];
    if (count > 1)
        qsort(order, count, sizeof *order, compare_charts);
    if (!place_all(order, count, density, side)) {
        for (int i = 0; i < TRIES; i++) {
            density = sqrt(fits * tight);
            *(place_all(order, count, density, side) ? &fits : &tight) = density;
        }
        density = place_all(order, count, fits, side) ? fits : 0;
    }
    memory_free(order);
    return density;
}

#define MIN_COSINE 0.5  /* of triangles of a chart, to the first */
#define FLAT       1e-4 /* less than this, and a chart cannot overlap itself */

enum { OVERLAP_CELLS = 64 }; /* of each side of a chart, where that is looked for */

/* An edge of a surface: two points in order. */
struct edge_row {
    struct edge_key {
        float points[6];
    } key;
    int value; /* the last triangle that has it */
};

struct chart_job {
    const float *positions; /* 9 of each triangle */
    const struct mesh *mesh;
    struct chart_list *list;
    /* Of a surface */
    const uint32_t *triangles;
    size_t count;
    int (*neighbours)[3]; /* stb_ds array: by edge, -1: none */
    int *chart_of;        /* stb_ds array: -1: none yet */
    struct vec3 *normals; /* stb_ds array; zero without an area */
};

/* --- neighbours --- */

static struct edge_key edge_of(const float *corners, int edge)
{
    const float *a = corners + 3 * (size_t)edge, *b = corners + 3 * (size_t)((edge + 1) % 3);
    struct edge_key key;
    bool turned = false;
    for (int k = 2; k >= 0; k--)
        if (a[k] < b[k] || a[k] > b[k])
            turned = a[k] > b[k];
    for (int k = 0; k < 3; k++) { /* -0 is 0 */
        key.points[k] = (turned ? b : a)[k] + 0.0f;
        key.points[3 + k] = (turned ? a : b)[k] + 0.0f;
    }
    return key;
}

static const float *corners_of(const struct chart_job *job, size_t index)
{
    return job->positions + 9 * (size_t)job->triangles[index];
}

/* Pairs the triangles that share an edge, each edge once. */
static void find_neighbours(struct chart_job *job)
{
    struct edge_row *edges = NULL;
    arrsetlen(job->neighbours, job->count);
    for (size_t i = 0; i < job->count; i++)
        for (int edge = 0; edge < 3; edge++) {
            struct edge_key key = edge_of(corners_of(job, i), edge);
            ptrdiff_t at = hmgeti(edges, key);
            job->neighbours[i][edge] = -1;
            if (at < 0) {
                hmput(edges, key, (int)(3 * i) + edge);
            } else if (edges[at].value >= 0) {
                int other = edges[at].value;
                job->neighbours[i][edge] = other / 3;
                job->neighbours[other / 3][other % 3] = (int)i;
                edges[at].value = -1;
            }
        }
    hmfree(edges);
}

/* --- charts --- */

/* Collects the triangles that are connected with the first, which are turned little. */
static void collect(struct chart_job *job, int first, int number)
{
    struct chart_list *list = job->list;
    struct chart chart = {.first = arrlenu(list->triangles)};
    int *todo = NULL;
    job->chart_of[first] = number;
    arrput(todo, first);
    for (size_t i = 0; i < arrlenu(todo); i++) {
        arrput(list->triangles, job->triangles[todo[i]]);
        for (int edge = 0; edge < 3; edge++) {
            int next = job->neighbours[todo[i]][edge];
            if (next < 0 || job->chart_of[next] >= 0 ||
                !(vec3_dot(job->normals[first], job->normals[next]) > MIN_COSINE))
                continue;
            job->chart_of[next] = number;
            arrput(todo, next);
        }
    }
    chart.count = arrlenu(todo);
    arrput(list->charts, chart);
    arrfree(todo);
}

/* The axes of a plane: the first along the longest edge of the first triangle. */
static void axes_of(const float *corners, struct vec3 normal, struct vec3 axes[2])
{
    double longest = -1;
    axes[0] = vec3(0, 0, 0);
    for (int edge = 0; edge < 3; edge++) {
        struct vec3 way = vec3_sub(vec3_from_floats(corners + 3 * (size_t)((edge + 1) % 3)),
                                   vec3_from_floats(corners + 3 * (size_t)edge));
        way = vec3_mad(way, normal, -vec3_dot(way, normal));
        double length = vec3_length(way);
        if (length > longest) {
            longest = length;
            axes[0] = vec3_normalize(way);
        }
    }
    axes[1] = vec3_cross(normal, axes[0]);
}

/* Lays the triangles of a chart flat, with its longer side along the rows. */
static void lay_flat(struct chart_job *job, struct chart *chart)
{
    struct chart_list *list = job->list;
    struct vec3 normal = vec3(0, 0, 0), axes[2];
    double mins[2] = {HUGE_VAL, HUGE_VAL}, maxs[2] = {-HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < chart->count; i++)
        normal = vec3_add(
            normal,
            vec3_from_floats(job->mesh->triangles[list->triangles[chart->first + i]].normal));
    const float *first = job->positions + 9 * (size_t)list->triangles[chart->first];
    axes_of(first, vec3_normalize(normal), axes);
    for (size_t i = 0; i < 3 * chart->count; i++) {
        const float *corners = job->positions + 9 * (size_t)list->triangles[chart->first + i / 3];
        struct vec3 p = vec3_from_floats(corners + 3 * (i % 3));
        for (int k = 0; k < 2; k++) {
            double place = vec3_dot(axes[k], p);
            list->places[chart->first + i / 3][i % 3][k] = place;
            mins[k] = portable_fmin(mins[k], place);
            maxs[k] = portable_fmax(maxs[k], place);
        }
    }
    int along = maxs[0] - mins[0] >= maxs[1] - mins[1] ? 0 : 1;
    for (int k = 0; k < 2; k++)
        chart->size[k] = maxs[k ^ along] - mins[k ^ along];
    for (size_t i = 0; i < 3 * chart->count; i++) {
        double *place = list->places[chart->first + i / 3][i % 3];
        const double at[2] = {place[0] - mins[0], place[1] - mins[1]};
        place[0] = at[along];
        place[1] = at[!along];
    }
}

/* --- overlap --- */

/* Returns whether a point is well inside of a triangle. */
static bool is_inside(double place[3][2], double x, double y)
{
    int sides = 0;
    for (int k = 0; k < 3; k++) {
        const double *a = place[k], *b = place[(k + 1) % 3];
        double ways[2] = {b[0] - a[0], b[1] - a[1]};
        double cross = ways[0] * (y - a[1]) - ways[1] * (x - a[0]);
        double threshold = 1e-3 * (ways[0] * ways[0] + ways[1] * ways[1]);
        sides += cross > threshold ? 1 : cross < -threshold ? -1 : 0;
    }
    return sides == 3 || sides == -3;
}

/* Marks the cells whose middles are in a triangle. Returns false when one is marked already. */
static bool mark_cells(const struct chart *chart, double place[3][2], unsigned char *cells)
{
    double size[2];
    int from[2], to[2];
    for (int k = 0; k < 2; k++) {
        size[k] = chart->size[k] / (double)OVERLAP_CELLS;
        double low = portable_fmin(portable_fmin(place[0][k], place[1][k]), place[2][k]);
        double high = portable_fmax(portable_fmax(place[0][k], place[1][k]), place[2][k]);
        from[k] = (int)portable_fmax(low / size[k] - 1, 0);
        to[k] = (int)portable_fmin(high / size[k] + 1, OVERLAP_CELLS - 1);
    }
    for (int y = from[1]; y <= to[1]; y++)
        for (int x = from[0]; x <= to[0]; x++) {
            if (!is_inside(place, (x + 0.5) * size[0], (y + 0.5) * size[1]))
                continue;
            if (cells[OVERLAP_CELLS * y + x])
                return false;
            cells[OVERLAP_CELLS * y + x] = 1;
        }
    return true;
}

static bool overlaps(const struct chart_job *job, const struct chart *chart)
{
    unsigned char cells[OVERLAP_CELLS * OVERLAP_CELLS] = {0};
    const struct chart_list *list = job->list;
    const float *first = job->mesh->triangles[list->triangles[chart->first]].normal;
    bool flat = chart->count < 3;
    for (size_t i = 1; i < chart->count && flat; i++)
        flat = vec3_dot(vec3_from_floats(first),
                        vec3_from_floats(
                            job->mesh->triangles[list->triangles[chart->first + i]].normal)) >
               1 - FLAT;
    if (flat || !(chart->size[0] > 0) || !(chart->size[1] > 0))
        return false;
    for (size_t i = 0; i < chart->count; i++)
        if (!mark_cells(chart, list->places[chart->first + i], cells))
            return true;
    return false;
}

/* A chart that overlaps becomes one for each of its triangles. */
static void split(struct chart_job *job, struct chart chart)
{
    (void)arrpop(job->list->charts);
    for (size_t i = 0; i < chart.count; i++) {
        struct chart single = {.first = chart.first + i, .count = 1};
        lay_flat(job, &single);
        arrput(job->list->charts, single);
    }
}

static void add_surface(struct chart_job *job)
{
    struct chart_list *list = job->list;
    find_neighbours(job);
    arrsetlen(job->chart_of, job->count);
    arrsetlen(job->normals, job->count);
    for (size_t i = 0; i < job->count; i++) {
        job->chart_of[i] = -1;
        job->normals[i] = vec3_from_floats(job->mesh->triangles[job->triangles[i]].normal);
    }
    for (size_t i = 0; i < job->count; i++) {
        if (job->chart_of[i] >= 0 || !(vec3_length(job->normals[i]) > 0))
            continue;
        collect(job, (int)i, (int)arrlen(list->charts));
        arrsetlen(list->places, arrlenu(list->triangles));
        struct chart *chart = &arrlast(list->charts);
        lay_flat(job, chart);
        if (overlaps(job, chart))
            split(job, *chart);
    }
}

void charts_make(const struct mesh *mesh, const struct surface_order *order, struct chart_list *out)
{
    size_t count;
    struct chart_job job = {
        .positions = trace_positions(mesh->trace, TRACE_FACE, &count), .mesh = mesh, .list = out};
    *out = (struct chart_list){0};
    for (size_t i = 0; i < arrlenu(mesh->surfaces); i++) {
        job.triangles = order->triangles + order->first[i];
        job.count = surface_order_count(order, i);
        if (job.count)
            add_surface(&job);
    }
    arrfree(job.neighbours);
    arrfree(job.chart_of);
    arrfree(job.normals);
}

void charts_free(struct chart_list *list)
{
    arrfree(list->charts);
    arrfree(list->triangles);
    arrfree(list->places);
}
