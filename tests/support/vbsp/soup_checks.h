/* Compares a compiled map with its brushes, point by point. */
#ifndef TESTS_SOUP_CHECKS_H
#define TESTS_SOUP_CHECKS_H

#include <math.h>
#include <stdlib.h>

#include "common/bsp/face_records.h"
#include "common/core/random.h"
#include "tests/support/vbsp/soup.h"

enum { SOUP_CELLS = (SOUP_SIZE + 64) / SOUP_GRID };

/* Paths closer to a brush than this do not count. */
#define SOUP_CLEARANCE 0.05

struct soup_plane {
    struct vec3 normal;
    double distance;
};

/* The map, and for each brush of its world the planes as drawn and the points that define them:
 * stb_ds arrays. The map may be rotated: `axes` are the directions of x, y and z of its room. */
struct soup {
    struct text_map map;
    struct vec3 axes[3];
    struct soup_plane **brushes;
    struct vec3 **points;
    /* Cells of the grid that can be reached from the player's corner, by their middles. */
    bool reached[SOUP_CELLS][SOUP_CELLS][SOUP_CELLS];
};

static inline struct soup *soup_new(void)
{
    struct soup *soup = memory_zalloc(1, sizeof *soup);
    for (int k = 0; k < 3; k++)
        soup->axes[k].e[k] = 1;
    return soup;
}

static inline void soup_free(struct soup *soup)
{
    for (int i = 0; i < arrlen(soup->brushes); i++) {
        arrfree(soup->brushes[i]);
        arrfree(soup->points[i]);
    }
    arrfree(soup->brushes);
    arrfree(soup->points);
    text_map_free(&soup->map);
    memory_free(soup);
}

/* Transforms a point of the room into the map. */
static inline struct vec3 soup_placed(const struct soup *soup, struct vec3 point)
{
    struct vec3 at = vec3(0, 0, 0);
    for (int k = 0; k < 3; k++)
        at = vec3_mad(at, soup->axes[k], point.e[k]);
    return at;
}

/* Reads the brushes from the source of the compiled map. */
static inline void soup_read_brushes(struct soup *soup)
{
    const struct map_entity *world = &soup->map.level.entities[0];
    for (int i = 0; i < arrlen(world->solids); i++) {
        struct soup_plane *planes = NULL;
        struct vec3 *points = NULL;
        for (int k = 0; k < arrlen(world->solids[i].sides); k++) {
            const struct vec3 *p = world->solids[i].sides[k].points;
            struct soup_plane plane = {
                .normal = vec3_normalize(vec3_cross(vec3_sub(p[0], p[1]), vec3_sub(p[2], p[1])))};
            plane.distance = vec3_dot(plane.normal, p[1]);
            arrput(planes, plane);
            for (int n = 0; n < 3; n++)
                arrput(points, p[n]);
        }
        arrput(soup->brushes, planes);
        arrput(soup->points, points);
    }
}

/* Distance of the point inside of the brush; negative outside. */
static inline double soup_depth_in(const struct soup_plane *planes, struct vec3 point)
{
    double depth = (double)INFINITY;
    for (int i = 0; i < arrlen(planes); i++)
        depth = fmin(depth, planes[i].distance - vec3_dot(planes[i].normal, point));
    return depth;
}

/* The same for all brushes of the world. */
static inline double soup_depth(const struct soup *soup, struct vec3 point)
{
    double depth = -(double)INFINITY;
    for (int i = 0; i < arrlen(soup->brushes); i++)
        depth = fmax(depth, soup_depth_in(soup->brushes[i], point));
    return depth;
}

/* Returns true when the line between two points does not touch the brush. */
static inline bool soup_passes(const struct soup_plane *planes, struct vec3 a, struct vec3 b)
{
    double enter = 0, leave = 1;
    for (int i = 0; i < arrlen(planes); i++) {
        double from = vec3_dot(planes[i].normal, a) - planes[i].distance - SOUP_CLEARANCE;
        double to = vec3_dot(planes[i].normal, b) - planes[i].distance - SOUP_CLEARANCE;
        if (from > 0 && to > 0)
            return true;
        if (from > 0)
            enter = fmax(enter, from / (from - to));
        else if (to > 0)
            leave = fmin(leave, from / (from - to));
    }
    return enter > leave;
}

static inline bool soup_is_clear(const struct soup *soup, struct vec3 a, struct vec3 b)
{
    for (int i = 0; i < arrlen(soup->brushes); i++)
        if (!soup_passes(soup->brushes[i], a, b))
            return false;
    return true;
}

static inline struct vec3 soup_middle(const struct soup *soup, const int cell[3])
{
    struct vec3 middle;
    for (int k = 0; k < 3; k++)
        middle.e[k] = (double)SOUP_GRID * (cell[k] + 0.5) - 64;
    return soup_placed(soup, middle);
}

/* Flood fill from the player's corner, from middle to middle. */
static inline void soup_flood(struct soup *soup)
{
    int(*stack)[3] = malloc(sizeof *stack * SOUP_CELLS * SOUP_CELLS * SOUP_CELLS);
    size_t count = 1;
    assert_non_null(stack);
    for (int k = 0; k < 3; k++)
        stack[0][k] = 3;
    memset(soup->reached, 0, sizeof soup->reached);
    soup->reached[3][3][3] = true;
    while (count) {
        int cell[3];
        memcpy(cell, stack[--count], sizeof cell);
        for (int i = 0; i < 6; i++) {
            int next[3];
            memcpy(next, cell, sizeof next);
            next[i / 2] += i % 2 ? 1 : -1;
            if (next[i / 2] < 0 || next[i / 2] >= SOUP_CELLS ||
                soup->reached[next[0]][next[1]][next[2]] ||
                !soup_is_clear(soup, soup_middle(soup, cell), soup_middle(soup, next)))
                continue;
            soup->reached[next[0]][next[1]][next[2]] = true;
            memcpy(stack[count++], next, sizeof next);
        }
    }
    free(stack);
}

/* Returns true when the point can certainly be reached: from the middle of its cell or of a
 * neighbour. */
static inline bool soup_is_reached(const struct soup *soup, struct vec3 point)
{
    int cell[3];
    for (int k = 0; k < 3; k++)
        cell[k] = (int)floor((vec3_dot(soup->axes[k], point) + 64) / (double)SOUP_GRID);
    for (int i = 0; i < 27; i++) {
        /* Its own first: 13 is the middle one of 27. */
        int at = (i + 13) % 27,
            near[3] = {cell[0] + at / 9 - 1, cell[1] + at / 3 % 3 - 1, cell[2] + at % 3 - 1};
        bool inside = true;
        for (int k = 0; k < 3; k++)
            inside &= near[k] >= 0 && near[k] < SOUP_CELLS;
        if (inside && soup->reached[near[0]][near[1]][near[2]] &&
            soup_is_clear(soup, soup_middle(soup, near), point))
            return true;
    }
    return false;
}

/* A point in the room or slightly within its walls. */
static inline struct vec3 soup_point(const struct soup *soup, uint64_t seed, uint64_t sample)
{
    struct vec3 point;
    for (int k = 0; k < 3; k++)
        point.e[k] = random_unit(seed, 3 * sample + (uint64_t)k) * (SOUP_SIZE + 64 - 2) - 63;
    return soup_placed(soup, point);
}

/* A point within a brush. */
static inline struct vec3 soup_point_of(const struct soup *soup, int brush, uint64_t seed,
                                        uint64_t sample)
{
    const struct vec3 *points = soup->points[brush];
    struct vec3 sum = vec3(0, 0, 0);
    double weights = 0;
    for (int i = 0; i < arrlen(points); i++) {
        double weight = pow(random_unit(seed ^ sample << 20, (uint64_t)i), 4);
        sum = vec3_mad(sum, points[i], weight);
        weights += weight;
    }
    return vec3_scale(sum, 1 / weights);
}

/* A leaf must be solid inside of brushes and where nothing can be reached. Points within `slack` of
 * the surface of a brush are skipped. */
static inline void soup_check_contents(const struct soup *soup, struct vec3 point, double slack)
{
    const struct bsp *bsp = soup->map.bsp;
    double depth = soup_depth(soup, point);
    if (fabs(depth) < slack)
        return;
    int leaf = bsp_leaf_at(bsp, 0, point);
    bool solid = bsp->leaves[leaf].contents & CONTENTS_SOLID;
    if (depth > 0)
        assert_true(solid);
    else if (soup_is_reached(soup, point))
        assert_false(solid);
    if (!solid)
        assert_int_equal(bsp_brush_contents_at(bsp, leaf, point), 0);
}

/* Number of faces of the world at the point that face along `normal`. */
static inline int soup_faces_at(const struct soup *soup, struct vec3 point, struct vec3 normal)
{
    const struct bsp *bsp = soup->map.bsp;
    int count = 0;
    for (int i = 0; i < bsp->models[0].face_count; i++)
        count += text_map_is_on_face(bsp, &bsp->faces[i], point, normal);
    return count;
}

/* A random point of a random side: on its plane, around its brush. */
struct soup_sample {
    int brush;
    struct vec3 point, normal;
};

static inline struct soup_sample soup_sample(const struct soup *soup, uint64_t seed, uint64_t i)
{
    int brush = (int)(hash_pair(seed, 2 * i) % arrlenu(soup->brushes));
    const struct soup_plane *planes = soup->brushes[brush];
    const struct soup_plane *side = &planes[hash_pair(seed, 2 * i + 1) % arrlenu(planes)];
    struct vec3 point = soup_point_of(soup, brush, seed ^ 77, i);
    point = vec3_mad(point, side->normal, side->distance - vec3_dot(side->normal, point));
    return (struct soup_sample){brush, point, side->normal};
}

/* Checks that there is one face on each side of a brush that can be reached from the front, and
 * only there. Points closer than `margin` to an edge, or to another brush, are skipped. Returns
 * true unless skipped. */
static inline bool soup_check_faces(const struct soup *soup, const struct soup_sample *sample,
                                    double margin)
{
    struct vec3 front = vec3_mad(sample->point, sample->normal, margin);
    struct vec3 back = vec3_mad(sample->point, sample->normal, -margin);
    double depth = soup_depth(soup, front);
    if (soup_depth_in(soup->brushes[sample->brush], back) < 0.9 * margin ||
        fabs(depth) < 0.9 * margin)
        return false;
    int faces = soup_faces_at(soup, sample->point, sample->normal);
    if (depth > 0)
        assert_int_equal(faces, 0);
    else if (soup_is_reached(soup, front))
        assert_int_equal(faces, 1);
    return true;
}

/* Visible area of a side, by samples on a lattice over it; and the area of samples for which
 * reachability is unknown. */
struct soup_area {
    double shown, unknown;
};

/* Distance in front of the side, so that slopes that meet there do not count. */
#define SOUP_HAIR 0.02

/* Where brushes share a side, the first one has the face. */
static inline void soup_add_sample(const struct soup *soup, int brush, struct vec3 point,
                                   struct vec3 normal, double area, struct soup_area *sum)
{
    struct vec3 back = vec3_mad(point, normal, -SOUP_HAIR);
    struct vec3 front = vec3_mad(point, normal, SOUP_HAIR);
    if (soup_depth_in(soup->brushes[brush], back) <= 0 || soup_depth(soup, front) >= 0)
        return;
    for (int i = 0; i < brush; i++)
        if (soup_depth_in(soup->brushes[i], back) > 0)
            return;
    bool in_room = true;
    for (int k = 0; k < 3; k++) {
        double at = vec3_dot(soup->axes[k], front);
        in_room &= at > -64 && at < (double)SOUP_SIZE;
    }
    if (in_room && soup_is_reached(soup, vec3_mad(point, normal, 2 * SOUP_CLEARANCE)))
        sum->shown += area;
    else if (in_room)
        sum->unknown += area;
}

static inline void soup_add_side(const struct soup *soup, int brush, int side, double step,
                                 uint64_t seed, struct soup_area *sum)
{
    const struct vec3 *points = soup->points[brush], *drawn = points + 3 * side;
    struct vec3 normal = soup->brushes[brush][side].normal;
    struct vec3 u = vec3_normalize(vec3_sub(drawn[1], drawn[0])), v = vec3_cross(normal, u);
    double low[2] = {0, 0}, high[2] = {0, 0};
    for (int i = 0; i < arrlen(points); i++) {
        struct vec3 off = vec3_sub(points[i], drawn[0]);
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], vec3_dot(off, k ? v : u));
            high[k] = fmax(high[k], vec3_dot(off, k ? v : u));
        }
    }
    double cell[2], counts[2];
    for (int k = 0; k < 2; k++) {
        counts[k] = ceil((high[k] - low[k]) / step);
        cell[k] = (high[k] - low[k]) / counts[k];
    }
    for (int i = 0; i < (int)counts[0]; i++)
        for (int j = 0; j < (int)counts[1]; j++) {
            uint64_t item = hash_pair(hash_pair(seed, (uint64_t)brush), (uint64_t)side);
            uint64_t at = 2 * ((uint64_t)i << 16 | (uint64_t)j);
            struct vec3 point = drawn[0];
            point = vec3_mad(point, u, low[0] + cell[0] * (i + random_unit(item, at)));
            point = vec3_mad(point, v, low[1] + cell[1] * (j + random_unit(item, at + 1)));
            soup_add_sample(soup, brush, point, normal, cell[0] * cell[1], sum);
        }
}

/* The area of all brush sides that can be seen, by samples about `step` apart. */
static inline struct soup_area soup_count_area(const struct soup *soup, double step, uint64_t seed)
{
    struct soup_area sum = {0, 0};
    for (int i = 0; i < arrlen(soup->brushes); i++)
        for (int k = 0; k < arrlen(soup->brushes[i]); k++)
            soup_add_side(soup, i, k, step, seed, &sum);
    return sum;
}

/* The same for the faces of the compiled map. */
static inline double soup_face_area(const struct soup *soup)
{
    double wall, floor_area;
    text_map_faces(&soup->map, 0, "wall", &wall);
    text_map_faces(&soup->map, 0, "floor", &floor_area);
    return wall + floor_area;
}

struct soup_edge {
    struct bsp_edge key;
    int value; /* as many in each direction: 0 */
};

/* Number of edges of faces without an opposite edge of another face. */
static inline int soup_open_edges(const struct soup *soup)
{
    const struct bsp *bsp = soup->map.bsp;
    struct soup_edge *edges = NULL;
    int open = 0;
    for (int i = 0; i < bsp->models[0].face_count; i++) {
        const struct bsp_face *face = &bsp->faces[i];
        for (int k = 0; k < face->edge_count; k++) {
            int a = bsp_face_vertex(bsp, face, k);
            int b = bsp_face_vertex(bsp, face, (k + 1) % face->edge_count);
            struct bsp_edge key = {{a < b ? a : b, a < b ? b : a}};
            int before = hmgeti(edges, key) < 0 ? 0 : hmget(edges, key);
            hmput(edges, key, before + (a < b ? 1 : -1));
        }
    }
    for (ptrdiff_t i = 0; i < hmlen(edges); i++)
        open += edges[i].value != 0;
    hmfree(edges);
    return open;
}

#endif
