/* T-junctions of polygons, their triangulation, and merged surfaces. */
#include "tests/support/suite.h"

#include <math.h>
#include <stdlib.h>

#include "common/geom/winding.h"
#include "tests/support/near.h"
#include "tests/support/vbsp/q3_surfaces.h"
#include "vbsp/target/quake3/meta/meta.h"
#include "vbsp/target/quake3/surfaces/tjunctions.h"

static void add_box_side(struct draw_surface **surfaces, struct vec3 corner, struct vec3 u,
                         struct vec3 v)
{
    struct vec3 points[4] = {corner, vec3_add(corner, u), vec3_add(vec3_add(corner, u), v),
                             vec3_add(corner, v)};
    arrput(*surfaces, q3_polygon(points, 4));
}

/* A square of 512 units in the plane of `normal`, cut at random into about 2 ^ depth parts, each of
 * which was cut alone: corners of one lie on others' edges. */
static void add_cut(struct draw_surface **surfaces, struct arena *arena, const struct winding *from,
                    struct vec3 normal, int depth, uint64_t seed)
{
    if (depth == 0) {
        arrput(*surfaces, q3_polygon(from->points, from->count));
        return;
    }
    struct vec3 middle = winding_center(from);
    struct vec3 any =
        vec3(random_unit(seed, 0) - 0.5, random_unit(seed, 1) - 0.5, random_unit(seed, 2) - 0.5);
    struct plane cut = {.normal = vec3_normalize(vec3_cross(normal, any))};
    cut.dist = vec3_dot(cut.normal, middle);
    struct winding *front, *back;
    winding_clip(arena, from, &cut, 0.1, &front, &back);
    if (front)
        add_cut(surfaces, arena, front, normal, depth - 1, hash_pair(seed, 1));
    if (back)
        add_cut(surfaces, arena, back, normal, depth - 1, hash_pair(seed, 2));
}

static struct draw_surface *random_walls(uint64_t seed)
{
    struct draw_surface *surfaces = NULL;
    struct arena arena = {0};
    for (int axis = 0; axis < 3; axis++) {
        struct vec3 u = vec3(axis == 1 ? 512 : 0, axis == 2 ? 512 : 0, axis == 0 ? 512 : 0);
        struct vec3 v = vec3(axis == 2 ? 512 : 0, axis == 0 ? 512 : 0, axis == 1 ? 512 : 0);
        const struct vec3 points[4] = {vec3(0, 0, 0), u, vec3_add(u, v), v};
        struct winding *whole = winding_new(&arena, 4, points);
        struct plane plane;
        assert_true(winding_plane(whole, &plane));
        add_cut(&surfaces, &arena, whole, plane.normal, 4, hash_pair(seed, (uint64_t)axis));
    }
    arena_free(&arena);
    return surfaces;
}

static double area_of_all(const struct draw_surface *surfaces)
{
    double area = 0;
    for (size_t i = 0; i < arrlenu(surfaces); i++)
        area += draw_surface_area(&surfaces[i]);
    return area;
}

/* True if another triangle of the surface is beyond an edge. */
static bool is_inside(const struct draw_surface *surface, int from, int to)
{
    for (size_t i = 0; i < arrlenu(surface->indices); i++) {
        size_t next = i % 3 == 2 ? i - 2 : i + 1;
        if (surface->indices[i] == to && surface->indices[next] == from)
            return true;
    }
    return false;
}

/* The number of corners inside edges of others. */
static size_t count_cracks(const struct draw_surface *surfaces)
{
    size_t cracks = 0;
    struct draw_vertex *corners = NULL;
    for (size_t i = 0; i < arrlenu(surfaces); i++)
        for (size_t k = 0; k < arrlenu(surfaces[i].vertices); k++)
            arrput(corners, surfaces[i].vertices[k]);
    for (size_t i = 0; i < arrlenu(surfaces); i++) {
        const struct draw_surface *surface = &surfaces[i];
        bool polygon = !surface->indices;
        size_t edges = polygon ? arrlenu(surface->vertices) : arrlenu(surface->indices);
        for (size_t k = 0; k < edges; k++) {
            size_t next = polygon ? (k + 1) % edges : k % 3 == 2 ? k - 2 : k + 1;
            struct vec3 a = surface->vertices[polygon ? k : (size_t)surface->indices[k]].p;
            struct vec3 b = surface->vertices[polygon ? next : (size_t)surface->indices[next]].p;
            struct vec3 way = vec3_normalize(vec3_sub(b, a));
            if (!polygon && is_inside(surface, surface->indices[k], surface->indices[next]))
                continue;
            for (size_t c = 0; c < arrlenu(corners); c++) {
                struct vec3 to = vec3_sub(corners[c].p, a);
                double along = vec3_dot(to, way);
                if (along > 0.2 && along < vec3_distance(a, b) - 0.2 &&
                    vec3_length(vec3_mad(to, way, -along)) < TJUNCTION_NEAR * 0.9)
                    cracks++;
            }
        }
    }
    arrfree(corners);
    return cracks;
}

static void random_walls_have_no_cracks(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct draw_surface *surfaces = random_walls(seed);
        double area = area_of_all(surfaces);
        assert_true(count_cracks(surfaces) > 10);
        assert_true(surfaces_fix_tjunctions(surfaces, arrlenu(surfaces), 2) > 10);
        assert_int_equal(count_cracks(surfaces), 0);
        assert_near(area_of_all(surfaces), area, area * 1e-4);
        assert_int_equal(surfaces_fix_tjunctions(surfaces, arrlenu(surfaces), 1), 0);
        draw_surfaces_free(surfaces);
    }
}

static int compare_surfaces(const void *a, const void *b)
{
    const struct draw_surface *one = a, *two = b;
    for (size_t i = 0; i < arrlenu(one->vertices) && i < arrlenu(two->vertices); i++)
        for (int k = 0; k < 3; k++) {
            double gap = one->vertices[i].p.e[k] - two->vertices[i].p.e[k];
            if (gap < 0 || gap > 0)
                return gap < 0 ? -1 : 1;
        }
    return 0;
}

static void order_and_threads_do_not_matter(void **state)
{
    (void)state;
    struct draw_surface *one = random_walls(77), *two = random_walls(77);
    size_t count = arrlenu(one);
    for (size_t i = 0; i < count / 2; i++) {
        struct draw_surface swapped = two[i];
        two[i] = two[count - 1 - i];
        two[count - 1 - i] = swapped;
    }
    surfaces_fix_tjunctions(one, count, 1);
    surfaces_fix_tjunctions(two, count, 7);
    qsort(one, count, sizeof *one, compare_surfaces);
    qsort(two, count, sizeof *two, compare_surfaces);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(arrlenu(one[i].vertices), arrlenu(two[i].vertices));
        for (size_t k = 0; k < arrlenu(one[i].vertices); k++) {
            const struct draw_vertex *a = &one[i].vertices[k], *b = &two[i].vertices[k];
            assert_memory_equal(&a->p, &b->p, sizeof a->p);
            assert_memory_equal(&a->normal, &b->normal, sizeof a->normal);
            assert_memory_equal(a->texture, b->texture, sizeof a->texture);
        }
    }
    draw_surfaces_free(one);
    draw_surfaces_free(two);
}

static void triangles_get_points_too(void **state)
{
    (void)state;
    struct draw_surface *surfaces = random_walls(5);
    for (size_t i = 0; i < arrlenu(surfaces); i += 2)
        surface_triangulate(&surfaces[i]);
    double area = area_of_all(surfaces);
    surfaces_fix_tjunctions(surfaces, arrlenu(surfaces), 2);
    assert_int_equal(count_cracks(surfaces), 0);
    assert_near(area_of_all(surfaces), area, area * 1e-4);
    draw_surfaces_free(surfaces);
}

static void left_out_surfaces_stay(void **state)
{
    (void)state;
    struct draw_surface *surfaces = NULL;
    add_box_side(&surfaces, vec3(0, 0, 0), vec3(0, 64, 0), vec3(64, 0, 0));
    add_box_side(&surfaces, vec3(64, 0, 0), vec3(0, 32, 0), vec3(64, 0, 0));
    surfaces[1].no_tjunctions = true;
    assert_int_equal(surfaces_fix_tjunctions(surfaces, 2, 1), 0);
    surfaces[1].no_tjunctions = false;
    assert_int_equal(surfaces_fix_tjunctions(surfaces, 2, 1), 1);
    assert_int_equal(arrlenu(surfaces[0].vertices), 5);
    draw_surfaces_free(surfaces);
}

/* Its border of two curves is straight: the corner in its middle, which the engine draws, is added
 * to the wall's edge; the control points between are not drawn. Corners are not moved to it. */
static void borders_of_patches_count(void **state)
{
    (void)state;
    struct draw_surface *surfaces = NULL;
    add_box_side(&surfaces, vec3(0, 0, 0), vec3(0, 64, 0), vec3(64, 0, 0));
    struct draw_surface patch = {.type = SURFACE_PATCH, .patch_columns = 5, .patch_rows = 3};
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 5; column++) {
            struct draw_vertex point = {.p = vec3(63.96 + 10 * row, 10 + 12 * column, 0)};
            arrput(patch.vertices, point);
        }
    arrput(surfaces, patch);
    assert_int_equal(surfaces_fix_tjunctions(surfaces, 2, 1), 3);
    assert_int_equal(arrlenu(surfaces[0].vertices), 7);
    size_t at_corner = 0;
    for (size_t i = 0; i < 7; i++) {
        struct vec3 p = surfaces[0].vertices[i].p;
        at_corner +=
            vec3_distance(p, vec3(64, 0, 0)) <= 0 || vec3_distance(p, vec3(64, 64, 0)) <= 0;
    }
    assert_int_equal(at_corner, 2);
    assert_int_equal(arrlenu(surfaces[1].vertices), 15);
    surfaces[1].no_tjunctions = true;
    draw_surface_free(&surfaces[0]);
    arrdel(surfaces, 0);
    add_box_side(&surfaces, vec3(0, 0, 0), vec3(0, 64, 0), vec3(64, 0, 0));
    assert_int_equal(surfaces_fix_tjunctions(surfaces, 2, 1), 0);
    draw_surfaces_free(surfaces);
}

static void a_sliver_goes(void **state)
{
    (void)state;
    struct draw_surface *surfaces = NULL;
    add_box_side(&surfaces, vec3(0, 0, 0), vec3(0, 64, 0), vec3(64, 0, 0));
    add_box_side(&surfaces, vec3(64, 0, 0), vec3(0, 64, 0), vec3(0.05, 0, 0));
    surfaces_fix_tjunctions(surfaces, 2, 1);
    assert_int_equal(arrlenu(surfaces[0].vertices), 4);
    assert_int_equal(arrlenu(surfaces[1].vertices), 0);
    surfaces_join(&surfaces, &META_LIMITS);
    assert_int_equal(arrlenu(surfaces), 1);
    draw_surfaces_free(surfaces);
}

/* Invariants of merged surfaces, and comparison with the input. */
static void check_joined(const struct draw_surface *surfaces, const struct meta_limits *limits)
{
    for (size_t i = 0; i < arrlenu(surfaces); i++) {
        const struct draw_surface *surface = &surfaces[i];
        assert_true(arrlenu(surface->indices) >= 3 && arrlenu(surface->indices) % 3 == 0);
        assert_true((int)arrlen(surface->indices) <= limits->indices);
        assert_true((int)arrlen(surface->vertices) <=
                    (surface->lightmapped ? limits->lightmapped_vertices : limits->vertices));
        assert_int_equal(surface->type, surface->lightmapped ? SURFACE_PLANAR : SURFACE_MESH);
        for (size_t k = 0; k < arrlenu(surface->indices); k += 3) {
            struct vec3 front = q3_front(surface, k);
            assert_true(vec3_length(front) > 0);
            const struct draw_vertex *v = &surface->vertices[surface->indices[k]];
            assert_true(vec3_dot(front, v->normal) > 0);
            if (surface->planar) {
                assert_near(vec3_dot(vec3_normalize(front), surface->normal), 1, 1e-3);
                assert_near(vec3_dot(v->p, surface->normal), surface->dist, 0.2);
            }
        }
    }
}

static void triangles_of_outlines_have_area(void **state)
{
    (void)state;
    /* A square with points on all of its sides, some of them very near to the corners. */
    struct vec3 points[40];
    int count = 0;
    const double along[] = {0, 0.2, 1, 30, 63.9};
    const struct vec3 ways[4] = {vec3(0, 1, 0), vec3(1, 0, 0), vec3(0, -1, 0), vec3(-1, 0, 0)};
    struct vec3 corner = vec3(0, 0, 0);
    for (int side = 0; side < 4; side++) {
        for (int i = 0; i < 5; i++)
            points[count++] = vec3_mad(corner, ways[side], along[i]);
        corner = vec3_mad(corner, ways[side], 64);
    }
    struct draw_surface *surfaces = NULL;
    arrput(surfaces, q3_polygon(points, count));
    surface_triangulate(&surfaces[0]);
    assert_int_equal(arrlenu(surfaces[0].indices), 3 * (count - 2));
    assert_near(draw_surface_area(&surfaces[0]), 64 * 64, 1e-9);
    check_joined(surfaces, &META_LIMITS);
    surface_triangulate(&surfaces[0]);
    assert_int_equal(arrlenu(surfaces[0].indices), 3 * (count - 2));
    draw_surfaces_free(surfaces);
    surfaces = NULL;
    for (int i = 0; i < 4; i++)
        points[i] = vec3(i, 0, 0);
    arrput(surfaces, q3_polygon(points, 4));
    surface_triangulate(&surfaces[0]);
    assert_int_equal(arrlenu(surfaces[0].indices), 0);
    assert_int_equal(arrlenu(surfaces[0].vertices), 0);
    draw_surfaces_free(surfaces);
}

static void joining_keeps_all_area(void **state)
{
    (void)state;
    const struct meta_limits tight = {8, 20, 30, 126, 16}, *limits[2] = {&META_LIMITS, &tight};
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct draw_surface *surfaces = random_walls(seed);
        for (size_t i = 0; i < arrlenu(surfaces); i++)
            surfaces[i].lightmapped = seed % 3 != 0;
        surfaces_fix_tjunctions(surfaces, arrlenu(surfaces), 1);
        for (size_t i = 0; i < arrlenu(surfaces); i++)
            surface_triangulate(&surfaces[i]);
        double area = area_of_all(surfaces);
        surfaces_join(&surfaces, limits[seed % 2]);
        assert_near(area_of_all(surfaces), area, area * 1e-9);
        /* Surfaces that were full are cut along inner edges, which may pass corners closely. */
        if (seed % 2 == 0)
            assert_int_equal(count_cracks(surfaces), 0);
        check_joined(surfaces, limits[seed % 2]);
        if (seed % 3 && seed % 2 == 0)
            assert_int_equal(arrlenu(surfaces), 3); /* one a wall: none has 64 vertices */
        if (seed % 3 == 0 && seed % 2 == 0)
            assert_int_equal(arrlenu(surfaces), 1);
        draw_surfaces_free(surfaces);
    }
}

/* A floor of n x n squares of 32 units. */
static struct draw_surface *tiles(int n)
{
    struct draw_surface *surfaces = NULL;
    for (int i = 0; i < n * n; i++)
        add_box_side(&surfaces, vec3(i % n * 32, i / n * 32, 0), vec3(0, 32, 0), vec3(32, 0, 0));
    return surfaces;
}

static void surfaces_are_filled_well(void **state)
{
    (void)state;
    struct draw_surface *surfaces = tiles(40);
    surfaces_join(&surfaces, &META_LIMITS);
    check_joined(surfaces, &META_LIMITS);
    assert_near(area_of_all(surfaces), 40.0 * 40 * 32 * 32, 1e-6);
    /* 64 vertices are 49 squares at best: 1600 squares need 33. */
    assert_true(arrlenu(surfaces) >= 33 && arrlenu(surfaces) <= 45);
    draw_surfaces_free(surfaces);
}

static void large_surfaces_keep_to_a_page(void **state)
{
    (void)state;
    struct draw_surface *surfaces = NULL;
    for (int i = 0; i < 8; i++)
        add_box_side(&surfaces, vec3(i * 1000, 0, 0), vec3(0, 64, 0), vec3(1000, 0, 0));
    surfaces_join(&surfaces, &META_LIMITS);
    assert_int_equal(arrlenu(surfaces), 4); /* 126 luxels of 16 units are 2016 */
    for (size_t i = 0; i < arrlenu(surfaces); i++)
        surfaces[i].keys.sample_size = 64;
    surfaces_join(&surfaces, &META_LIMITS);
    assert_int_equal(arrlenu(surfaces), 1);
    draw_surfaces_free(surfaces);
}

/* A strip of luxels that two floors would share. */
static void floors_beside_a_wall_have_luxels_of_their_own(void **state)
{
    (void)state;
    static const struct {
        double gap;
        size_t surfaces;
    } cases[] = {{1, 2}, {8, 2}, {15, 2}, {48, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct draw_surface *surfaces = NULL;
        add_box_side(&surfaces, vec3(0, 0, 0), vec3(0, 256, 0), vec3(64, 0, 0));
        add_box_side(&surfaces, vec3(64 + cases[i].gap, 0, 0), vec3(0, 256, 0), vec3(64, 0, 0));
        surfaces_join(&surfaces, &META_LIMITS);
        assert_int_equal(arrlenu(surfaces), cases[i].surfaces);
        draw_surfaces_free(surfaces);
    }
}

static void what_differs_is_kept_apart(void **state)
{
    (void)state;
    static const struct shader other = {.name = "textures/test/other",
                                        .compile_flags = SHADER_HAS_LIGHTMAP};
    struct draw_surface *surfaces = tiles(3);
    surfaces[1].shader = &other;
    surfaces[2].fog = 0;
    surfaces[3].model = 1;
    surfaces[5].keys.sample_size = 8;
    surfaces[7].keys.cast_shadows = 3;
    surfaces_join(&surfaces, &META_LIMITS);
    assert_int_equal(arrlenu(surfaces), 6);
    assert_true(surfaces[0].shader == &q3_plain && surfaces[1].shader == &other);
    draw_surfaces_free(surfaces);
}

static void patches_pass_through(void **state)
{
    (void)state;
    struct draw_surface *surfaces = tiles(2);
    struct draw_surface patch = draw_surface_copy(&surfaces[0]);
    patch.type = SURFACE_PATCH;
    arrins(surfaces, 1, patch);
    surfaces_join(&surfaces, &META_LIMITS);
    assert_int_equal(arrlenu(surfaces), 2);
    assert_int_equal(surfaces[1].type, SURFACE_PATCH);
    assert_int_equal(arrlenu(surfaces[1].vertices), 4);
    draw_surfaces_free(surfaces);
}

/* Eight sides of a pillar. */
static struct draw_surface *pillar(double angle)
{
    const double eighth = acos(-1) / 4;
    struct draw_surface *surfaces = NULL;
    for (int i = 0; i < 8; i++) {
        double a = i * eighth, b = (i + 1) * eighth;
        struct vec3 from = vec3(64 * cos(a), 64 * sin(a), 0),
                    to = vec3(64 * cos(b), 64 * sin(b), 0);
        add_box_side(&surfaces, from, vec3(0, 0, 128), vec3_sub(to, from));
        surfaces[i].keys.shade_angle = angle;
    }
    return surfaces;
}

static void pillars_are_smoothed(void **state)
{
    (void)state;
    struct draw_surface *surfaces = pillar(46);
    surfaces_fix_tjunctions(surfaces, 8, 1);
    surfaces_smooth(surfaces, 8, 0);
    for (size_t i = 0; i < 8; i++)
        for (size_t k = 0; k < 4; k++) {
            const struct draw_vertex *v = &surfaces[i].vertices[k];
            struct vec3 out = vec3_normalize(vec3(v->p.x, v->p.y, 0));
            assert_true(vec3_distance(v->normal, out) < 1e-4);
        }
    surfaces_join(&surfaces, &META_LIMITS);
    check_joined(surfaces, &META_LIMITS);
    assert_true(arrlenu(surfaces) == 4); /* the ways along the axes */
    assert_false(surfaces[0].planar);
    assert_true(vec3_length(surfaces[0].normal) <= 0);
    draw_surfaces_free(surfaces);
    /* Below the angle between the sides all stay flat. */
    surfaces = pillar(44);
    surfaces_smooth(surfaces, 8, 0);
    for (size_t i = 0; i < 8; i++)
        assert_true(vec3_distance(surfaces[i].vertices[0].normal, surfaces[i].normal) < 1e-9);
    surfaces_join(&surfaces, &META_LIMITS);
    assert_int_equal(arrlenu(surfaces), 8);
    assert_true(surfaces[7].planar);
    draw_surfaces_free(surfaces);
}

static void joined_again_is_the_same(void **state)
{
    (void)state;
    struct draw_surface *surfaces = random_walls(3);
    surfaces_fix_tjunctions(surfaces, arrlenu(surfaces), 1);
    surfaces_join(&surfaces, &META_LIMITS);
    size_t count = arrlenu(surfaces), vertices = arrlenu(surfaces[0].vertices);
    surfaces_join(&surfaces, &META_LIMITS);
    assert_int_equal(arrlenu(surfaces), count);
    assert_int_equal(arrlenu(surfaces[0].vertices), vertices);
    draw_surfaces_free(surfaces);
}

static void large_meshes_are_split(void **state)
{
    (void)state;
    struct draw_surface *floor = tiles(40), *parts = NULL;
    const struct meta_limits all = {99999, 99999, 999999, 126, 16};
    for (size_t i = 0; i < arrlenu(floor); i++)
        floor[i].lightmapped = false;
    surfaces_join(&floor, &all);
    struct draw_surface mesh = draw_surface_like(&floor[0]);
    for (size_t i = 0; i < arrlenu(floor); i++) {
        int first = (int)arrlen(mesh.vertices);
        for (size_t k = 0; k < arrlenu(floor[i].vertices); k++)
            arrput(mesh.vertices, floor[i].vertices[k]);
        for (size_t k = 0; k < arrlenu(floor[i].indices); k++)
            arrput(mesh.indices, first + floor[i].indices[k]);
    }
    draw_surfaces_free(floor);
    assert_int_equal(arrlenu(mesh.indices), 1600 * 6);
    surface_split(&mesh, &META_LIMITS, &parts);
    assert_true(arrlenu(parts) >= 2 && arrlenu(parts) <= 3);
    assert_near(area_of_all(parts), 40.0 * 40 * 32 * 32, 1e-6);
    check_joined(parts, &META_LIMITS);
    draw_surfaces_free(parts);
}

SUITE(test_q3_meta)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_walls_have_no_cracks),
        cmocka_unit_test(order_and_threads_do_not_matter),
        cmocka_unit_test(triangles_get_points_too),
        cmocka_unit_test(left_out_surfaces_stay),
        cmocka_unit_test(borders_of_patches_count),
        cmocka_unit_test(a_sliver_goes),
        cmocka_unit_test(triangles_of_outlines_have_area),
        cmocka_unit_test(joining_keeps_all_area),
        cmocka_unit_test(surfaces_are_filled_well),
        cmocka_unit_test(large_surfaces_keep_to_a_page),
        cmocka_unit_test(floors_beside_a_wall_have_luxels_of_their_own),
        cmocka_unit_test(what_differs_is_kept_apart),
        cmocka_unit_test(patches_pass_through),
        cmocka_unit_test(pillars_are_smoothed),
        cmocka_unit_test(joined_again_is_the_same),
        cmocka_unit_test(large_meshes_are_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
