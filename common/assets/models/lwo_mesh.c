#include "common/assets/models/lwo.h"

#include <stdlib.h>

#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/core/portable_math.h"
#include "common/geom/angle.h"

/* Cosines of equal angles differ by no more than this: triangles in one plane are smooth at any
 * angle. */
#define SAME_COSINE 1e-6

enum {
    MAX_AT_POINT = 256, /* polygons at a point; where there are more, they stay flat */
};

/* Shared by all corners. */
struct maker {
    const struct lwo_layer *layer;
    const struct lwo_surface *surfaces;
    size_t tags;
    struct vec3 *normals;      /* of polygons: twice the area long */
    int32_t *first_use, *uses; /* of points: a range of uses, which are polygons */
    struct mesh_triangle **out;
    struct mesh_losses *losses;
};

static int compare_values(const void *a, const void *b)
{
    const struct lwo_value *one = a, *two = b;
    const int32_t pairs[][2] = {{one->map, two->map},
                                {one->point, two->point},
                                {one->polygon, two->polygon},
                                {one->order, two->order}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][0] != pairs[i][1])
            return pairs[i][0] < pairs[i][1] ? -1 : 1;
    return 0;
}

/* Returns the first value of a map for a corner; NULL without one. */
static const struct lwo_value *find_exactly(const struct lwo_layer *layer, int32_t map,
                                            int32_t point, int32_t polygon)
{
    const struct lwo_value wanted = {.map = map, .point = point, .polygon = polygon, .order = -1};
    size_t low = 0, high = arrlenu(layer->values);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_values(&layer->values[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct lwo_value *found = low < arrlenu(layer->values) ? &layer->values[low] : NULL;
    bool fits = found && found->map == map && found->point == point && found->polygon == polygon;
    return fits ? found : NULL;
}

/* The value of the corner itself precedes that of its point. */
static const struct lwo_value *find_value(const struct lwo_layer *layer, int32_t map, int32_t point,
                                          int32_t polygon)
{
    const struct lwo_value *own = find_exactly(layer, map, point, polygon);
    return own ? own : find_exactly(layer, map, point, -1);
}

/* Uses the map that the surface names, else the first that has something for the corner. */
static const struct lwo_value *value_of(const struct lwo_layer *layer, enum lwo_map_kind kind,
                                        const char *name, int32_t point, int32_t polygon)
{
    const struct lwo_value *first = NULL;
    for (size_t i = 0; i < arrlenu(layer->maps); i++) {
        const struct lwo_map *map = &layer->maps[i];
        bool is_named = map->name == name;
        if (map->kind != kind || (first && !is_named))
            continue;
        const struct lwo_value *found = find_value(layer, (int32_t)i, point, polygon);
        if (found && is_named)
            return found;
        if (!first)
            first = found;
    }
    return first;
}

/* By Newell: the sum over the edges, right for corners in any plane. */
static struct vec3 polygon_normal(const struct lwo_layer *layer, const struct lwo_polygon *polygon)
{
    struct vec3 sum = vec3(0, 0, 0);
    if (!polygon->count)
        return sum;
    const int32_t *corners = layer->corners + polygon->first;
    struct vec3 start = layer->points[corners[0]];
    for (int32_t i = 2; i < polygon->count; i++)
        sum = vec3_add(sum, vec3_cross(vec3_sub(layer->points[corners[i]], start),
                                       vec3_sub(layer->points[corners[i - 1]], start)));
    return sum;
}

static void find_normals(struct maker *maker)
{
    const struct lwo_layer *layer = maker->layer;
    size_t count = arrlenu(layer->polygons);
    maker->normals = memory_alloc((count + 1) * sizeof *maker->normals);
    for (size_t i = 0; i < count; i++)
        maker->normals[i] = polygon_normal(layer, &layer->polygons[i]);
}

/* Lists the polygons at each point. */
static void find_uses(struct maker *maker)
{
    const struct lwo_layer *layer = maker->layer;
    size_t points = arrlenu(layer->points);
    maker->first_use = memory_zalloc(points + 2, sizeof *maker->first_use);
    maker->uses = memory_alloc((arrlenu(layer->corners) + 1) * sizeof *maker->uses);
    for (size_t i = 0; i < arrlenu(layer->corners); i++)
        maker->first_use[layer->corners[i] + 2]++;
    for (size_t i = 2; i < points + 2; i++)
        maker->first_use[i] += maker->first_use[i - 1];
    for (size_t i = 0; i < arrlenu(layer->polygons); i++) {
        const struct lwo_polygon *polygon = &layer->polygons[i];
        for (int32_t k = 0; k < polygon->count; k++)
            maker->uses[maker->first_use[layer->corners[polygon->first + k] + 1]++] = (int32_t)i;
    }
}

static const struct lwo_surface *surface_of(const struct maker *maker, int32_t tag)
{
    static const struct lwo_surface none = {"", NULL, 0};
    return tag >= 0 && (size_t)tag < maker->tags ? &maker->surfaces[tag] : &none;
}

/* The mean of the polygons at the point, weighted by area, whose angle to this one is at most that
 * of its surface; of those in its smoothing group. */
static struct vec3 smooth_normal(const struct maker *maker, int32_t number, int32_t point,
                                 double smoothing)
{
    const struct lwo_polygon *polygons = maker->layer->polygons;
    struct vec3 own = vec3_normalize(maker->normals[number]), sum = vec3(0, 0, 0);
    int32_t first = maker->first_use[point], last = maker->first_use[point + 1];
    if (!(smoothing > 0) || last - first > MAX_AT_POINT)
        return own;
    double min = portable_cos(portable_fmin(smoothing, PI)) - SAME_COSINE;
    for (int32_t i = first; i < last; i++) {
        int32_t other = maker->uses[i];
        if (polygons[other].group == polygons[number].group &&
            vec3_dot(own, vec3_normalize(maker->normals[other])) >= min)
            sum = vec3_add(sum, maker->normals[other]);
    }
    return vec3_dot(sum, own) > 0 ? vec3_normalize(sum) : own;
}

static uint8_t byte_of(float value)
{
    return (uint8_t)(portable_fmin(portable_fmax((double)value, 0), 1) * 255 + 0.5);
}

static struct mesh_vertex make_corner(const struct maker *maker, int32_t number, int32_t point,
                                      const struct lwo_surface *surface)
{
    const struct lwo_layer *layer = maker->layer;
    struct mesh_vertex vertex = {.p = layer->points[point], .colour = {255, 255, 255, 255}};
    const struct lwo_value *texture =
        value_of(layer, LWO_MAP_TEXTURE, surface->texture_map, point, number);
    const struct lwo_value *colour = value_of(layer, LWO_MAP_COLOUR, NULL, point, number);
    vertex.normal = smooth_normal(maker, number, point, surface->smoothing);
    if (texture) {
        vertex.texture[0] = (double)texture->numbers[0];
        vertex.texture[1] = 1 - (double)texture->numbers[1];
    }
    for (int i = 0; colour && i < 4; i++)
        vertex.colour[i] = byte_of(colour->numbers[i]);
    maker->losses->corners++;
    maker->losses->without_texture += !texture;
    return vertex;
}

/* A fan of triangles. The corners of the file are clockwise seen from the front. */
static void add_polygon(const struct maker *maker, int32_t number)
{
    const struct lwo_polygon *polygon = &maker->layer->polygons[number];
    const struct lwo_surface *surface = surface_of(maker, polygon->tag);
    struct mesh_triangle triangle = {.shader = surface->name};
    if (!polygon->count)
        return;
    const int32_t *points = maker->layer->corners + polygon->first;
    for (int32_t i = 0; i < polygon->count; i++) {
        int slot = i < 2 ? i : 2;
        triangle.corners[slot] = make_corner(maker, number, points[i], surface);
        triangle.points[slot] = points[i];
        if (i < 2)
            continue;
        arrput(*maker->out, triangle);
        triangle.corners[1] = triangle.corners[2];
        triangle.points[1] = triangle.points[2];
    }
}

void lwo_triangles(struct lwo_layer *layer, const struct lwo_surface *surfaces, size_t tags,
                   struct mesh_triangle **out, struct mesh_losses *losses)
{
    struct maker maker = {
        .layer = layer, .surfaces = surfaces, .tags = tags, .out = out, .losses = losses};
    if (arrlenu(layer->values))
        qsort(layer->values, arrlenu(layer->values), sizeof *layer->values, compare_values);
    find_normals(&maker);
    find_uses(&maker);
    for (size_t i = 0; i < arrlenu(layer->polygons); i++)
        add_polygon(&maker, (int32_t)i);
    memory_free(maker.normals);
    memory_free(maker.first_use);
    memory_free(maker.uses);
}
