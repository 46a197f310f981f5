#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "common/diag/codes/lightmaps.def"
#include "tests/support/near.h"
#include "tests/support/room_bsp.h"
#include "vrad/luxels/luxel_samples.h"
#include "vrad/scene/hemisphere.h"

/* ---- polygons ---- */

static const struct point2 triangle[3] = {{0, 0}, {0, 4}, {4, 0}};

static void squares_are_cut(void **state)
{
    struct point2 part[SHAPE_POINTS];
    (void)state;
    int count = shape_clip(triangle, 3, 1, 1, part);
    assert_true(shape_is_square(part, count, 1, 1));
    assert_near(shape_area(part, count), 1, 1e-12);
    /* The corner at (0, 0) leaves a quarter; the long side halves the squares that it runs along.
     */
    count = shape_clip(triangle, 3, 0, 0, part);
    assert_near(shape_area(part, count), 0.25, 1e-12);
    assert_false(shape_is_square(part, count, 0, 0));
    count = shape_clip(triangle, 3, 2, 2, part);
    assert_near(shape_area(part, count), 0.5, 1e-12);
    assert_near(shape_center(part, count).s, 2 - 1.0 / 6, 1e-12);
    assert_int_equal(shape_clip(triangle, 3, 4, 4, part), 0);
}

/* All squares together are the whole. */
static void squares_add_up(void **state)
{
    static const struct point2 odd[5] = {
        {0.3, 0.2}, {1.1, 5.7}, {4.4, 6.1}, {7.2, 3.3}, {3.9, 0.4}};
    struct point2 part[SHAPE_POINTS];
    double sum = 0;
    (void)state;
    for (int i = 0; i < 81; i++)
        sum += shape_area(part, shape_clip(odd, 5, i % 9, i / 9, part));
    assert_near(sum, shape_area(odd, 5), 1e-9);
}

static void nearest_point_of_a_polygon(void **state)
{
    (void)state;
    struct point2 p = shape_nearest(triangle, 3, 1, 1);
    assert_near(p.s, 1, 0);
    p = shape_nearest(triangle, 3, -2, 1);
    assert_near(p.s, 0, 1e-12);
    assert_near(p.t, 1, 1e-12);
    p = shape_nearest(triangle, 3, 3, 3);
    assert_near(p.s, 2, 1e-12);
    assert_near(p.t, 2, 1e-12);
}

/* Even points stay even: halves of the area get halves of the points, and means come out right. */
static void samples_keep_areas(void **state)
{
    static const struct point2 trapezoid[4] = {{1, 0}, {0, 2}, {3, 2}, {2.5, 0}};
    struct point2 sum = {0, 0}, center = shape_center(trapezoid, 4);
    enum { SIDE = 64 };
    int below = 0;
    (void)state;
    for (int i = 0; i < SIDE * SIDE; i++) {
        struct point2 p = shape_sample(trapezoid, 4, (i % SIDE + 0.5) / (double)SIDE,
                                       (i / SIDE + 0.5) / (double)SIDE);
        struct point2 at = shape_nearest(trapezoid, 4, p.s, p.t);
        assert_near(hypot(at.s - p.s, at.t - p.t), 0, 1e-9);
        sum.s += p.s / (SIDE * SIDE);
        sum.t += p.t / (SIDE * SIDE);
        below += p.t < 1;
    }
    assert_near(sum.s, center.s, 1e-3);
    assert_near(sum.t, center.t, 1e-3);
    /* Widths 1.5 at t = 0, 2.25 at 1, 3 at 2. */
    assert_near((double)below / (SIDE * SIDE), 1.875 / 4.5, 0.005);
}

/* Corners slightly off the axes, and more corners than four, still make a rectangle. */
static void rectangles_are_known(void **state)
{
    static const struct point2 box[5] = {{1, 2}, {1, 7}, {3, 7 + 1e-9}, {5, 7}, {5, 2}};
    static const struct point2 askew[4] = {{1, 2}, {1.01, 7}, {5, 7}, {5, 2}};
    struct point2 low, high, corners[4];
    (void)state;
    assert_true(shape_is_box(box, 5, &low, &high));
    assert_near(low.s + 10 * low.t, 21, 1e-6);
    assert_near(high.s + 10 * high.t, 75, 1e-6);
    shape_of_box(low, high, corners);
    assert_near(shape_area(corners, 4), 20, 1e-6);
    assert_false(shape_is_box(askew, 4, &low, &high));
}

/* In halves, each from the one before, or one by one. */
static void patterns_are_those_of_the_sequence(void **state)
{
    double u[LUXEL_FINE], v[LUXEL_FINE], square[2];
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        luxel_pattern(LUXEL_FINE, sample_scramble(seed), u, v);
        for (uint32_t i = 0; i < LUXEL_FINE; i++) {
            sample_square(i, seed, square);
            assert_true(u[i] == square[0] && v[i] == square[1]);
        }
    }
}

/* ---- luxels of a room ---- */

enum { POINTS = 64 };

struct fixture {
    struct diag *diag;
    struct env env;
    struct bsp *bsp;
    struct entity_view *entities;
    struct scene scene;
    struct luxel_map map;
};

static const struct entity_list no_entities;

static void build(struct fixture *f, struct bsp *bsp)
{
    f->bsp = bsp;
    f->diag = diag_new(NULL, NULL);
    f->env = (struct env){.diag = f->diag, .threads = 1};
    f->entities = entity_view_of(&no_entities);
    assert_int_equal(
        scene_build(&f->env, bsp, f->entities, true, &(struct scene_extras){NULL, NULL}, &f->scene),
        STATUS_OK);
    assert_int_equal(luxel_map_build(&f->env, &f->scene, 45, &f->map), STATUS_OK);
}

static void destroy(struct fixture *f)
{
    luxel_map_free(&f->map);
    scene_free(&f->scene);
    entity_view_free(f->entities);
    bsp_free(f->bsp);
    diag_free(f->diag);
}

static void luxels_lie_on_the_lightmap_grid(void **state)
{
    struct fixture f;
    (void)state;
    build(&f, room_new(vec3(64, 96, 128), 0.5, NULL));
    const struct face_light *face = &f.map.faces[ROOM_FLOOR];
    assert_int_equal(face->width, 5);
    assert_int_equal(face->height, 7);
    const struct luxel *luxel = &face->luxels[2 * 5 + 1];
    assert_near(luxel->position[0], 16, 1e-4);
    assert_near(luxel->position[1], 32, 1e-4);
    assert_near(luxel->position[2], 0, 1e-4);
    assert_near(luxel_normal(face, luxel)[2], 1, 1e-6);
    assert_near(luxel->area, 256, 1e-2);
    /* A corner's part is a quarter, with its own middle. */
    assert_near(face->luxels[0].area, 64, 1e-2);
    assert_near(face->luxels[0].position[0], 4, 1e-3);
    float area = 0;
    for (int i = 0; i < face->count; i++)
        area += face->luxels[i].area;
    assert_near(area, 64 * 96, 1);
    assert_near(face->reflectivity[1], 0.5, 1e-6);
    destroy(&f);
}

static void luxels_under_solids_are_hidden(void **state)
{
    struct fixture f;
    struct bsp *bsp = room_new(vec3(128, 128, 128), 0.5, NULL);
    struct luxel_sample samples[POINTS];
    (void)state;
    room_add_box(bsp, vec3(40, 40, 0), vec3(92, 92, 30));
    build(&f, bsp);
    const struct face_light *face = &f.map.faces[ROOM_FLOOR];
    const struct luxel *inside = &face->luxels[4 * 9 + 4], *edge = &face->luxels[4 * 9 + 6];
    assert_true(inside->hidden);
    assert_near(inside->area, 0, 0);
    assert_int_equal(luxel_samples(&f.map, &f.scene, face, 4 * 9 + 4, LUXEL_COARSE, samples), 0);
    /* The square 88 .. 104 is free from 92 on. */
    assert_true(edge->near_occluders && !edge->hidden);
    assert_near(edge->area, 256 * 0.75, 1);
    assert_true(edge->position[0] > 92);
    int count = luxel_samples(&f.map, &f.scene, face, 4 * 9 + 6, POINTS, samples);
    assert_int_equal(count, 48);
    for (int i = 0; i < count; i++)
        assert_true(samples[i].point[0] >= 92 && samples[i].point[0] <= 104);
    assert_false(f.map.faces[ROOM_CEILING].luxels[40].near_occluders);
    destroy(&f);
}

/* A face that misses whole squares of its lightmap: their luxels lie at its border. */
static void luxels_off_the_face_take_its_border(void **state)
{
    struct fixture f;
    struct bsp *bsp = room_new(vec3(128, 128, 128), 0.5, NULL);
    (void)state;
    bsp->faces[ROOM_FLOOR].edge_count = 3; /* the corner without (0, 128) or (128, 0) ... */
    build(&f, bsp);
    const struct face_light *face = &f.map.faces[ROOM_FLOOR];
    int off = 0;
    for (int i = 0; i < face->count; i++) {
        struct point2 at =
            shape_nearest(face->polygon, face->corners, (double)face->luxels[i].position[0] / 16,
                          (double)face->luxels[i].position[1] / 16);
        assert_near(at.s * 16, face->luxels[i].position[0], 1e-3);
        assert_near(at.t * 16, face->luxels[i].position[1], 1e-3);
        off += face->luxels[i].area == 0;
    }
    assert_true(off > 20 && off < 40);
    destroy(&f);
}

static void samples_are_even_and_repeat(void **state)
{
    struct fixture f;
    struct luxel_sample a[POINTS], b[POINTS];
    (void)state;
    build(&f, room_new(vec3(128, 128, 128), 0.5, NULL));
    const struct face_light *face = &f.map.faces[ROOM_LOW_X];
    assert_int_equal(luxel_samples(&f.map, &f.scene, face, 12, POINTS, a), POINTS);
    assert_int_equal(luxel_samples(&f.map, &f.scene, face, 12, POINTS, b), POINTS);
    assert_memory_equal(a, b, sizeof a);
    int cells[64] = {0};
    for (int i = 0; i < POINTS; i++) { /* luxel (3, 1): y 40 .. 56, z 8 .. 24 */
        int y = (int)((a[i].point[1] - 40) / 2), z = (int)((a[i].point[2] - 8) / 2);
        assert_true(y >= 0 && y < 8 && z >= 0 && z < 8);
        cells[z * 8 + y]++;
        assert_near(a[i].origin[0], SCENE_RAY_OFFSET, 1e-5);
    }
    for (int i = 0; i < 64; i++)
        assert_int_equal(cells[i], 1);
    destroy(&f);
}

static void damaged_lightmaps_are_refused(void **state)
{
    (void)state;
    for (int fault = 0; fault < 4; fault++) {
        struct bsp *bsp = room_new(vec3(64, 64, 64), 0.5, NULL);
        struct diag *diag = diag_new(NULL, NULL);
        struct env env = {.diag = diag, .threads = 1};
        struct entity_view *entities = entity_view_of(&no_entities);
        struct scene scene;
        struct luxel_map map;
        if (fault == 0)
            bsp->faces[3].lightmap_size[0] = -4;
        else if (fault == 1)
            bsp->faces[3].lightmap_size[1] = 2000000000;
        else
            bsp->texinfo[bsp->faces[3].texinfo].lightmap[0][0] = fault == 2 ? NAN : 1e30f;
        assert_int_equal(
            scene_build(&env, bsp, entities, true, &(struct scene_extras){NULL, NULL}, &scene),
            STATUS_OK);
        assert_int_equal(luxel_map_build(&env, &scene, 45, &map), STATUS_FAILED);
        assert_int_equal(diag_count_code(diag, DIAG_LIGHTMAP_SHAPE), 1);
        scene_free(&scene);
        entity_view_free(entities);
        bsp_free(bsp);
        diag_free(diag);
    }
}

/* An invalid file may request more memory than there is. */
static void too_many_luxels_are_refused(void **state)
{
    struct bsp *bsp = room_new(vec3(64, 64, 64), 0.5, NULL);
    struct diag *diag = diag_new(NULL, NULL);
    struct env env = {.diag = diag, .threads = 1};
    struct entity_view *entities = entity_view_of(&no_entities);
    struct scene scene;
    struct luxel_map map;
    (void)state;
    for (int i = 0; i < 100; i++) {
        struct bsp_face face = bsp->faces[ROOM_FLOOR];
        face.lightmap_size[0] = face.lightmap_size[1] = 1000;
        arrput(bsp->faces, face);
    }
    assert_int_equal(
        scene_build(&env, bsp, entities, true, &(struct scene_extras){NULL, NULL}, &scene),
        STATUS_OK);
    assert_int_equal(luxel_map_build(&env, &scene, 45, &map), STATUS_FAILED);
    assert_int_equal(diag_count_code(diag, DIAG_LIGHTMAP_BYTES), 1);
    scene_free(&scene);
    entity_view_free(entities);
    bsp_free(bsp);
    diag_free(diag);
}

/* ---- normals ---- */

static void bump_basis_leans_by_one_angle(void **state)
{
    struct fixture f;
    struct vec3 basis[LUXEL_BUMPS];
    (void)state;
    build(&f, room_new(vec3(64, 64, 64), 0.5, NULL));
    for (int side = 0; side < 6; side++) {
        const struct face_light *face = &f.map.faces[side];
        luxel_bump_basis(&f.scene, face, &face->luxels[7], basis);
        struct vec3 sum = vec3(0, 0, 0);
        for (int i = 0; i < LUXEL_BUMPS; i++) {
            assert_near(vec3_length(basis[i]), 1, 1e-9);
            assert_near(vec3_dot(basis[i], face->normal), sqrt(1.0 / 3), 1e-9);
            assert_near(vec3_dot(basis[i], basis[(i + 1) % 3]), 0, 1e-9);
            sum = vec3_add(sum, basis[i]);
        }
        assert_near(vec3_dot(sum, face->normal), sqrt(3), 1e-9);
        /* The first leans along the texture's S axis. */
        const float *s = f.bsp->texinfo[face->face->texinfo].texture[0];
        struct vec3 axis = vec3((double)s[0] / 4, (double)s[1] / 4, (double)s[2] / 4);
        assert_near(vec3_dot(basis[0], axis), sqrt(2.0 / 3), 1e-9);
    }
    destroy(&f);
}

/* Shares the corner (0, 0, 0) among the three faces there. */
static void share_corner(struct bsp *bsp)
{
    for (int i = 0; i < (int)arrlen(bsp->edges); i++) {
        const float *p = bsp->vertices[bsp->edges[i].v[0]].p;
        if (p[0] == 0 && p[1] == 0 && p[2] == 0)
            bsp->edges[i].v[0] = 3;
    }
    for (int k = 0; k < 3; k++)
        bsp->vertices[3].p[k] = 0;
}

static int floor_corner(const struct bsp *bsp)
{
    for (int k = 0; k < 4; k++)
        if (bsp_face_vertex(bsp, &bsp->faces[ROOM_FLOOR], k) == 3)
            return k;
    return -1;
}

static void normals_blend_by_angle_or_group(void **state)
{
    static const struct {
        double degrees;
        uint32_t groups[3];
        double z; /* of the floor's normal at the shared corner */
    } cases[] = {
        {45, {0, 0, 0}, 1},
        {91, {0, 0, 0}, 0.5773502691896258},
        {45, {1, 1, 1}, 0.5773502691896258},
        {45, {1, 2, 1}, 0.7071067811865476},
        {91, {1, 2, 4}, 1},
        {45, {0x1000001, 0x1000001, 0x1000001}, 1}, /* a hard group */
        {91, {0, 0, 1}, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bsp *bsp = room_new(vec3(64, 64, 64), 0.5, NULL);
        struct arena arena = {0};
        struct vertex_normals normals;
        share_corner(bsp);
        bsp->faces[ROOM_LOW_X].smoothing_groups = cases[i].groups[0];
        bsp->faces[ROOM_LOW_Y].smoothing_groups = cases[i].groups[1];
        bsp->faces[ROOM_FLOOR].smoothing_groups = cases[i].groups[2];
        vertex_normals_build(bsp, cases[i].degrees, &arena, &normals);
        int corner = floor_corner(bsp);
        assert_true(corner >= 0);
        const float *n = normals.normals[normals.first[ROOM_FLOOR] + corner];
        assert_near(n[2], cases[i].z, 1e-6);
        assert_int_equal(normals.phong[ROOM_FLOOR], cases[i].z < 1);
        /* The middle keeps the plane's normal; the corner has its own. */
        struct vec3 middle = vertex_normals_at(&normals, ROOM_FLOOR, vec3(32, 32, 0));
        struct vec3 at_corner = vertex_normals_at(&normals, ROOM_FLOOR, vec3(0, 0, 0));
        assert_near(middle.z, 1, 1e-6);
        assert_near(at_corner.z, cases[i].z, 1e-6);
        vertex_normals_store(&normals, bsp);
        assert_int_equal(arrlen(bsp->vertex_normal_indices), 24);
        assert_true(arrlen(bsp->vertex_normals) >= 6 && arrlen(bsp->vertex_normals) <= 9);
        arena_free(&arena);
        bsp_free(bsp);
    }
}

SUITE(test_luxel)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squares_are_cut),
        cmocka_unit_test(squares_add_up),
        cmocka_unit_test(nearest_point_of_a_polygon),
        cmocka_unit_test(samples_keep_areas),
        cmocka_unit_test(rectangles_are_known),
        cmocka_unit_test(patterns_are_those_of_the_sequence),
        cmocka_unit_test(luxels_lie_on_the_lightmap_grid),
        cmocka_unit_test(luxels_under_solids_are_hidden),
        cmocka_unit_test(luxels_off_the_face_take_its_border),
        cmocka_unit_test(samples_are_even_and_repeat),
        cmocka_unit_test(damaged_lightmaps_are_refused),
        cmocka_unit_test(too_many_luxels_are_refused),
        cmocka_unit_test(bump_basis_leans_by_one_angle),
        cmocka_unit_test(normals_blend_by_angle_or_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
