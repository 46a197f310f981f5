/* Hulls of polygons, and mass properties of solids. */
#include "tests/support/suite.h"

#include "common/core/random.h"
#include "tests/support/bsp_files.h"
#include "tests/support/near.h"
#include "tests/support/physics_solids.h"
#include "vbsp/target/source/physics/physics_hull.h"

enum { BOX_FACES = 6 };

static double random_of(uint64_t seed, int point, int axis)
{
    uint64_t hash = hash_pair(hash_pair(seed, (uint64_t)point), (uint64_t)axis);
    return (double)(hash >> 11) / (double)(UINT64_C(1) << 53);
}

static struct hull_face face(struct arena *arena, int count, const struct vec3 *points,
                             int material)
{
    return (struct hull_face){winding_new(arena, count, points), material};
}

/* Clockwise from outside. */
static void box_faces(struct arena *arena, struct vec3 a, struct vec3 b, struct hull_face *out)
{
    for (int axis = 0; axis < 3; axis++) {
        for (int far = 0; far < 2; far++) {
            int u = (axis + 1) % 3, v = (axis + 2) % 3;
            struct vec3 points[4];
            for (int i = 0; i < 4; i++) {
                int turn = far ? i : 3 - i;
                points[i].e[axis] = far ? b.e[axis] : a.e[axis];
                points[i].e[u] = turn == 2 || turn == 3 ? b.e[u] : a.e[u];
                points[i].e[v] = turn == 1 || turn == 2 ? b.e[v] : a.e[v];
            }
            out[2 * axis + far] = face(arena, 4, points, 1 + 2 * axis + far);
        }
    }
}

static void add_box(struct hull_set *set, struct vec3 a, struct vec3 b, int brush)
{
    struct arena arena = {0};
    struct hull_face faces[BOX_FACES];
    box_faces(&arena, a, b, faces);
    assert_true(hull_set_add(set, faces, BOX_FACES, brush));
    arena_free(&arena);
}

/* It goes to bytes and back, and all that holds in a real one holds. */
static void check_set(struct hull_set *set)
{
    struct diag *diag = diag_new(bsp_print_entry, NULL);
    struct bytes bytes = {0};
    struct physics_solid again = {0};
    hull_set_finish(set);
    assert_int_equal(physics_solid_encode(&set->solid, NULL, diag, &bytes), STATUS_OK);
    assert_int_equal(physics_solid_decode(&bytes, NULL, diag, &again), STATUS_OK);
    assert_true(again.exact);
    assert_int_equal(arrlen(again.nodes), 2 * arrlen(again.ledges) - 1);
    physics_check_solid(&again);
    physics_solid_free(&again);
    bytes_free(&bytes);
    diag_free(diag);
}

static void a_box(void **state)
{
    (void)state;
    const double metre = PHYSICS_METRES_PER_UNIT;
    struct hull_set set = {0};
    add_box(&set, vec3(0, 0, 0), vec3(100, 200, 400), 7);
    check_set(&set);
    const struct physics_solid *solid = &set.solid;
    assert_int_equal(arrlen(solid->points), 8);
    assert_int_equal(solid->ledges[0].triangle_count, 12);
    assert_int_equal(solid->ledges[0].client, 7);
    assert_near(set.volume, 8e6, 1e-6);
    /* (x, y, z) is (x, -z, y) there. */
    const double middle[3] = {50, -200, 100}, size[3] = {100, 400, 200};
    double variance[3];
    for (int i = 0; i < 3; i++) {
        assert_near((double)solid->mass_centre[i], middle[i] * metre, 1e-5);
        variance[i] = size[i] * size[i] * metre * metre / 12;
    }
    for (int i = 0; i < 3; i++) {
        double y = variance[(i + 1) % 3], z = variance[(i + 2) % 3];
        assert_near((double)solid->inertia[i], sqrt(y * y + z * z), 1e-4);
    }
    double radius = sqrt(52500) * metre, away = sqrt(50000) * metre;
    assert_near((double)solid->radius, radius, 1e-5);
    assert_int_equal(solid->deviation, (int)(250 * away / radius) + 1);
    int materials[BOX_FACES + 1] = {0};
    for (int i = 0; i < 12; i++)
        materials[solid->triangles[i].material]++;
    for (int i = 1; i <= BOX_FACES; i++)
        assert_int_equal(materials[i], 2);
    hull_set_free(&set);
}

static void boxes_share_corners_and_stand_in_a_tree(void **state)
{
    (void)state;
    struct hull_set set = {0};
    for (int i = 0; i < 9; i++) {
        double x = 64 * (i % 3), y = 64 * (i / 3);
        add_box(&set, vec3(x, y, 0), vec3(x + 64, y + 64, 64 + i), i);
    }
    assert_int_equal(arrlen(set.solid.points), 16 + 9 * 4);
    check_set(&set);
    hull_set_free(&set);
}

/* Coverage of hulls seen along an axis: two boxes at opposite corners cover half. */
static void drag(void **state)
{
    (void)state;
    struct hull_set set = {0};
    add_box(&set, vec3(0, 0, 0), vec3(32, 32, 16), 0);
    add_box(&set, vec3(32, 32, 0), vec3(64, 64, 16), 1);
    check_set(&set);
    physics_solid_measure_drag(&set.solid);
    assert_near((double)set.solid.drag[0], 1, 0);
    assert_near((double)set.solid.drag[1], 1, 0);
    assert_near((double)set.solid.drag[2], 0.5, 0.03);
    hull_set_free(&set);
}

/* Corners that are nearly one, a corner on a neighbour's edge, and a face that is cut in two. */
static void cracks_are_closed(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct hull_set set = {0};
    struct hull_face faces[BOX_FACES + 1];
    box_faces(&arena, vec3(0, 0, 0), vec3(64, 64, 64), faces);
    const struct vec3 low[] = {vec3(0, 0, 64), vec3(0, 64, 64), vec3(32, 64, 64), vec3(32, 0, 64)};
    const struct vec3 high[] = {vec3(32, 0, 64), vec3(32.004, 64, 64), vec3(64, 64.003, 64),
                                vec3(64, 0, 64)};
    faces[5] = face(&arena, 4, low, 1);
    faces[6] = face(&arena, 4, high, 1);
    assert_true(hull_set_add(&set, faces, BOX_FACES + 1, 0));
    assert_int_equal(arrlen(set.solid.points), 8);
    assert_int_equal(arrlen(set.solid.triangles), 12);
    check_set(&set);
    assert_near(set.volume, 64 * 64 * 64, 10);
    hull_set_free(&set);
    arena_free(&arena);
}

/* Nothing is added for what is flat or has too few corners. */
static void no_hull(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct hull_set set = {0};
    struct hull_face faces[BOX_FACES];
    box_faces(&arena, vec3(0, 0, 0), vec3(64, 64, 64), faces);
    assert_false(hull_set_add(&set, faces, 0, 0));
    assert_false(hull_set_add(&set, faces, 1, 0));
    box_faces(&arena, vec3(0, 0, 0), vec3(64, 64, 0.004), faces);
    assert_false(hull_set_add(&set, faces, BOX_FACES, 0));
    assert_null(set.solid.ledges);
    assert_null(set.solid.points);
    hull_set_free(&set);
    arena_free(&arena);
}

/* Corners here and there on a ball, some of them nearly one: the hull is closed and convex, and no
 * corner lies outside of it. */
static void odd_shapes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct arena arena = {0};
        struct hull_set set = {0};
        struct vec3 points[60];
        int count = 8 + (int)(seed % 50);
        for (int i = 0; i < count; i++) {
            struct vec3 p;
            for (int k = 0; k < 3; k++)
                p.e[k] = random_of(seed, i, k) - 0.5;
            points[i] = vec3_scale(vec3_normalize(p), 100 + 0.02 * random_of(seed, i, 3));
            if (i % 5 == 4)
                points[i] = vec3_mad(points[i - 1], p, 0.1);
        }
        struct hull_face all = face(&arena, count, points, 0);
        assert_true(hull_set_add(&set, &all, 1, 0));
        check_set(&set);
        for (int32_t i = 0; i < arrlen(set.solid.triangles); i++) {
            const struct physics_triangle *triangle = &set.solid.triangles[i];
            struct vec3 normal = vec3_normalize(physics_normal(&set.solid, triangle));
            struct vec3 corner = physics_point(&set.solid, triangle->edges[0].point);
            for (int k = 0; k < count; k++) {
                float place[3];
                physics_to_metres(points[k], place);
                struct vec3 way =
                    vec3_sub(vec3((double)place[0], (double)place[1], (double)place[2]), corner);
                assert_true(vec3_dot(way, normal) < 0.02 * PHYSICS_METRES_PER_UNIT);
            }
        }
        hull_set_free(&set);
        arena_free(&arena);
    }
}

/* A prism of many sides: faces with many corners make no slivers, and there is a limit. */
static void prism(struct arena *arena, int sides, struct hull_face **out)
{
    struct vec3 *top = ARENA_ARRAY(arena, struct vec3, (size_t)sides);
    struct vec3 *bottom = ARENA_ARRAY(arena, struct vec3, (size_t)sides);
    for (int i = 0; i < sides; i++) {
        double angle = -2 * acos(-1) * i / sides;
        top[i] = vec3(4000 * cos(angle), 4000 * sin(angle), 64);
        bottom[sides - 1 - i] = vec3(top[i].x, top[i].y, 0);
    }
    struct hull_face cap = face(arena, sides, top, 0), base = face(arena, sides, bottom, 0);
    arrput(*out, cap);
    arrput(*out, base);
    for (int i = 0; i < sides; i++) {
        struct vec3 a = top[i], b = top[(i + 1) % sides];
        const struct vec3 quad[] = {b, a, vec3(a.x, a.y, 0), vec3(b.x, b.y, 0)};
        struct hull_face wall = face(arena, 4, quad, 0);
        arrput(*out, wall);
    }
}

static void prisms(void **state)
{
    (void)state;
    for (int sides = 3; sides <= 1100; sides += sides < 40 ? 1 : 1060) {
        struct arena arena = {0};
        struct hull_set set = {0};
        struct hull_face *faces = NULL;
        prism(&arena, sides, &faces);
        bool fits = 4 * sides - 4 <= PHYSICS_TRIANGLES_MAX;
        assert_int_equal(hull_set_add(&set, faces, (int)arrlen(faces), 0), fits);
        if (fits) {
            assert_int_equal(arrlen(set.solid.triangles), 4 * sides - 4);
            check_set(&set);
        }
        hull_set_free(&set);
        arrfree(faces);
        arena_free(&arena);
    }
}

static void a_solid_fills_up(void **state)
{
    (void)state;
    struct hull_set set = {0};
    int count = 0;
    for (; hull_set_has_room(&set); count++) {
        double x = 20 * (count % 100), y = 20 * (count / 100 % 100), z = 20 * (count / 10000);
        add_box(&set, vec3(x, y, z), vec3(x + 10, y + 10, z + 10), count);
    }
    assert_in_range(count, 7000, 8192);
    check_set(&set);
    hull_set_free(&set);
}

SUITE(test_physics_hull)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box),   cmocka_unit_test(boxes_share_corners_and_stand_in_a_tree),
        cmocka_unit_test(drag),    cmocka_unit_test(cracks_are_closed),
        cmocka_unit_test(no_hull), cmocka_unit_test(odd_shapes),
        cmocka_unit_test(prisms),  cmocka_unit_test(a_solid_fills_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
