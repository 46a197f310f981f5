/* Maps that nobody drew, against what their brushes say by themselves. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/soup.h"

#ifdef __SANITIZE_ADDRESS__
enum { SOUPS = 60 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { SOUPS = 60 };
#else
enum { SOUPS = 1000 };
#endif
#else
enum { SOUPS = 1000 };
#endif

/* Of slopes, the distance is snapped to a whole number when it is near one; elsewhere it may be
 * another one that is. */
#define AREA_SLACK 2e-5

enum { POINTS = 100, CELLS = (SOUP_SIZE + 64) / SOUP_GRID };

struct soup_plane {
    struct vec3 normal;
    double distance;
};

/* The map, and the planes of each brush of its world: stb_ds arrays. */
struct soup {
    struct text_map map;
    struct soup_plane **brushes;
};

static void compile(struct soup *soup, uint64_t seed, bool no_tjunc)
{
    soup_make(&soup->map, seed, NULL, false);
    soup->map.options.no_tjunc = no_tjunc;
    text_map_compile(&soup->map, STATUS_OK);
    soup->brushes = NULL;
    const struct map_entity *world = &soup->map.source.entities[0];
    for (int i = 0; i < arrlen(world->solids); i++) {
        struct soup_plane *planes = NULL;
        for (int k = 0; k < arrlen(world->solids[i].sides); k++) {
            const struct vec3 *p = world->solids[i].sides[k].points;
            struct soup_plane plane = {
                .normal = vec3_normalize(vec3_cross(vec3_sub(p[0], p[1]), vec3_sub(p[2], p[1])))};
            plane.distance = vec3_dot(plane.normal, p[1]);
            arrput(planes, plane);
        }
        arrput(soup->brushes, planes);
    }
}

static void release(struct soup *soup)
{
    for (int i = 0; i < arrlen(soup->brushes); i++)
        arrfree(soup->brushes[i]);
    arrfree(soup->brushes);
    text_map_free(&soup->map);
}

/* How far the point is inside of the brush; negative outside. */
static double depth_in(const struct soup_plane *planes, struct vec3 point)
{
    double depth = (double)INFINITY;
    for (int i = 0; i < arrlen(planes); i++)
        depth = fmin(depth, planes[i].distance - vec3_dot(planes[i].normal, point));
    return depth;
}

/* The same of all brushes of the world. */
static double depth_in_world(const struct soup *soup, struct vec3 point)
{
    double depth = -(double)INFINITY;
    for (int i = 0; i < arrlen(soup->brushes); i++)
        depth = fmax(depth, depth_in(soup->brushes[i], point));
    return depth;
}

static bool is_solid(const struct soup *soup, struct vec3 point)
{
    for (int i = 0; i < arrlen(soup->brushes); i++) {
        const struct soup_plane *planes = soup->brushes[i];
        int inside = 0;
        while (inside < arrlen(planes) &&
               vec3_dot(planes[inside].normal, point) <= planes[inside].distance)
            inside++;
        if (inside == arrlen(planes))
            return true;
    }
    return false;
}

/* Where one gets from the player's corner, in cells of the grid whose middles are free. */
struct reach {
    bool reached[CELLS][CELLS][CELLS];
};

static struct vec3 middle_of(const int cell[3])
{
    struct vec3 middle;
    for (int k = 0; k < 3; k++)
        middle.e[k] = SOUP_GRID * (cell[k] + 0.5) - 64;
    return middle;
}

static void flood(const struct soup *soup, struct reach *reach)
{
    int(*stack)[3] = malloc(sizeof *stack * CELLS * CELLS * CELLS * 6);
    size_t count = 1;
    assert_non_null(stack);
    for (int k = 0; k < 3; k++)
        stack[0][k] = 3;
    while (count) {
        int cell[3];
        memcpy(cell, stack[--count], sizeof cell);
        bool *here = &reach->reached[cell[0]][cell[1]][cell[2]];
        if (*here || is_solid(soup, middle_of(cell)))
            continue;
        *here = true;
        for (int i = 0; i < 6; i++) {
            int next[3];
            memcpy(next, cell, sizeof next);
            next[i / 2] += i % 2 ? 1 : -1;
            if (next[i / 2] >= 0 && next[i / 2] < CELLS)
                memcpy(stack[count++], next, sizeof next);
        }
    }
    free(stack);
}

static bool is_reached(const struct reach *reach, struct vec3 point)
{
    int cell[3];
    for (int k = 0; k < 3; k++) {
        cell[k] = (int)floor((point.e[k] + 64) / SOUP_GRID);
        if (cell[k] < 0 || cell[k] >= CELLS)
            return false;
    }
    return reach->reached[cell[0]][cell[1]][cell[2]];
}

static struct vec3 random_point(uint64_t seed, uint64_t sample)
{
    struct vec3 point;
    for (int k = 0; k < 3; k++)
        point.e[k] = random_unit(seed, 3 * sample + (uint64_t)k) * (SOUP_SIZE + 64 - 2) - 63;
    return point;
}

/* A leaf is solid where a brush is, and where nobody gets. */
static void contents_are_the_brushes(const struct soup *soup, const struct reach *reach,
                                     uint64_t seed)
{
    const struct bsp *bsp = soup->map.bsp;
    for (uint64_t i = 0; i < POINTS; i++) {
        struct vec3 point = random_point(seed, i);
        double depth = depth_in_world(soup, point);
        if (fabs(depth) < 0.1)
            continue;
        int leaf = bsp_leaf_at(bsp, 0, point);
        bool solid = bsp->leaves[leaf].contents & CONTENTS_SOLID;
        if (depth > 0)
            assert_true(solid);
        else if (is_reached(reach, point))
            assert_false(solid);
        if (!solid)
            assert_int_equal(bsp_brush_contents_at(bsp, leaf, point), 0);
    }
}

struct edge_use {
    struct bsp_edge key;
    int value; /* as many one way as the other: 0 */
};

/* Edges of faces that no other face runs along the other way. */
static int open_edges(const struct soup *soup)
{
    const struct bsp *bsp = soup->map.bsp;
    struct edge_use *uses = NULL;
    int open = 0;
    for (int i = 0; i < bsp->models[0].face_count; i++) {
        const struct bsp_face *face = &bsp->faces[i];
        for (int k = 0; k < face->edge_count; k++) {
            int a = bsp_face_vertex(bsp, face, k);
            int b = bsp_face_vertex(bsp, face, (k + 1) % face->edge_count);
            struct bsp_edge key = {{a < b ? a : b, a < b ? b : a}};
            int before = hmgeti(uses, key) < 0 ? 0 : hmget(uses, key);
            hmput(uses, key, before + (a < b ? 1 : -1));
        }
    }
    for (ptrdiff_t i = 0; i < hmlen(uses); i++)
        open += uses[i].value != 0;
    hmfree(uses);
    return open;
}

/* On each side of a brush that can be reached from the front there is a face, and only there. */
static void faces_are_where_brushes_show(const struct soup *soup, const struct reach *reach,
                                         uint64_t seed)
{
    for (uint64_t i = 0; i < POINTS; i++) {
        const struct soup_plane *planes =
            soup->brushes[hash_pair(seed, 2 * i) % arrlenu(soup->brushes)];
        const struct soup_plane *side = &planes[hash_pair(seed, 2 * i + 1) % arrlenu(planes)];
        struct vec3 point = random_point(seed ^ 77, i);
        point = vec3_mad(point, side->normal, side->distance - vec3_dot(side->normal, point));
        struct vec3 front = vec3_mad(point, side->normal, 0.5);
        struct vec3 back = vec3_mad(point, side->normal, -0.5);
        double depth = depth_in_world(soup, front);
        if (depth_in(planes, back) < 0.4 || fabs(depth) < 0.45)
            continue; /* not on the side, or at an edge */
        bool shown = text_map_face_at(&soup->map, point, side->normal) >= 0;
        if (depth > 0)
            assert_false(shown);
        else if (is_reached(reach, front))
            assert_true(shown);
    }
}

static void soups_are_what_their_brushes_say(void **state)
{
    (void)state;
    struct reach *reach = malloc(sizeof *reach);
    assert_non_null(reach);
    for (uint64_t seed = 0; seed < SOUPS; seed++) {
        struct soup soup;
        compile(&soup, seed, false);
        memset(reach, 0, sizeof *reach);
        flood(&soup, reach);
        contents_are_the_brushes(&soup, reach, seed);
        faces_are_where_brushes_show(&soup, reach, seed);
        assert_int_equal(open_edges(&soup), 0);
        release(&soup);
    }
    free(reach);
}

/* The same map elsewhere: turned, mirrored, shifted, written in another order. */
static const struct {
    struct text_move move;
    bool backwards;
} moves[] = {
    {{{0, 1, 2}, {1, 1, 1}, {0, 0, 0}}, true},
    {{{0, 1, 2}, {1, 1, 1}, {4096, -1024, 2048}}, false},
    {{{1, 0, 2}, {-1, 1, 1}, {0, 0, 0}}, false},
    {{{2, 0, 1}, {1, 1, 1}, {1024, 2048, -1024}}, false},
    {{{0, 1, 2}, {-1, 1, 1}, {0, 0, 0}}, false},
    {{{0, 1, 2}, {-1, -1, -1}, {1024, 0, 3072}}, true},
};

static double wall_area(const struct text_map *map)
{
    double wall, floor_area;
    text_map_faces(map, 0, "wall", &wall);
    text_map_faces(map, 0, "floor", &floor_area);
    return wall + floor_area;
}

static void soups_are_the_same_elsewhere(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SOUPS / 10; seed++) {
        struct text_map first;
        soup_make(&first, seed, NULL, false);
        text_map_compile(&first, STATUS_OK);
        for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
            const struct text_move *move = &moves[i].move;
            struct text_map map;
            soup_make(&map, seed, move, moves[i].backwards);
            text_map_compile(&map, STATUS_OK);
            double area = wall_area(&first);
            assert_true(fabs(wall_area(&map) - area) <= AREA_SLACK * area);
            for (uint64_t k = 0; k < POINTS; k++) {
                struct vec3 point = random_point(seed, k);
                int here = bsp_leaf_at(first.bsp, 0, point);
                int there = bsp_leaf_at(map.bsp, 0, text_moved(move, point));
                assert_int_equal(first.bsp->leaves[here].contents, map.bsp->leaves[there].contents);
            }
            text_map_free(&map);
        }
        text_map_free(&first);
    }
}

/* That there are no cracks is the work of one part, which can be left out. */
static void soups_crack_without_their_t_junctions(void **state)
{
    (void)state;
    int cracked = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct soup soup;
        compile(&soup, seed, true);
        cracked += open_edges(&soup) > 0;
        release(&soup);
    }
    assert_true(cracked > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soups_are_what_their_brushes_say),
        cmocka_unit_test(soups_are_the_same_elsewhere),
        cmocka_unit_test(soups_crack_without_their_t_junctions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
