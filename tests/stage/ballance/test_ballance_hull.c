#include "tests/support/suite.h"

#include "ballance/compile/outer_hull.h"
#include "tests/support/random_solids.h"

static void make_hull(const struct test_solid *solids, size_t count, struct outer_hull *out)
{
    struct outer_builder *builder = outer_begin();
    for (size_t i = 0; i < count; i++) {
        struct outer_side sides[SOLID_SIDES];
        for (size_t k = 0; k < solids[i].count; k++)
            sides[k] = (struct outer_side){solids[i].planes[k], 0};
        (void)outer_add(builder, sides, solids[i].count);
    }
    outer_finish(builder, out);
}

static struct vec3 corner(const struct outer_hull *hull, size_t triangle, int k)
{
    return hull->vertices[hull->triangles[triangle].corners[k]];
}

static double hull_volume(const struct outer_hull *hull)
{
    double volume = 0;
    for (size_t i = 0; i < arrlenu(hull->triangles); i++) /* clockwise: the volume is negative */
        volume -=
            vec3_dot(corner(hull, i, 0), vec3_cross(corner(hull, i, 1), corner(hull, i, 2))) / 6;
    return volume;
}

struct directed {
    int from, to;
};

struct edge_use {
    struct directed key;
    int value;
};

/* Returns the number of directed edges that are not met once in each direction; `touching` those
 * that are met equally often, but more than once. */
static size_t count_open(const struct outer_hull *hull, size_t *touching)
{
    struct edge_use *uses = NULL;
    size_t open = 0;
    *touching = 0;
    for (size_t i = 0; i < arrlenu(hull->triangles); i++)
        for (int k = 0; k < 3; k++) {
            const int *corners = hull->triangles[i].corners;
            struct directed edge = {corners[k], corners[(k + 1) % 3]};
            int count = hmget(uses, edge);
            hmput(uses, edge, count + 1);
        }
    for (size_t i = 0; i < hmlenu(uses); i++) {
        struct directed back = {uses[i].key.to, uses[i].key.from};
        int forth = uses[i].value, returns = hmget(uses, back);
        open += forth != returns;
        *touching += forth == returns && forth > 1;
    }
    hmfree(uses);
    return open;
}

/* Returns true when a ray from the point in some direction leaves the hull more often than it
 * enters it. */
static bool is_in_hull(const struct outer_hull *hull, struct vec3 p)
{
    struct vec3 d = vec3_normalize(vec3(0.3456789, 0.2718281828, 0.8987654321));
    int winding = 0;
    for (size_t i = 0; i < arrlenu(hull->triangles); i++) {
        struct vec3 a = vec3_sub(corner(hull, i, 0), p), b = vec3_sub(corner(hull, i, 1), p),
                    c = vec3_sub(corner(hull, i, 2), p);
        double u = vec3_dot(d, vec3_cross(c, b)), v = vec3_dot(d, vec3_cross(a, c)),
               w = vec3_dot(d, vec3_cross(b, a));
        if (!((u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0)))
            continue;
        double volume = vec3_dot(a, vec3_cross(b, c)), sum = u + v + w;
        if (volume / sum < 0) /* in front of the point: sum is -6 times that of the tetrahedron */
            winding += sum > 0 ? 1 : -1;
    }
    return winding != 0;
}

static void expect_contents(const struct outer_hull *hull, const struct test_solid *solids,
                            size_t count, struct dice *dice, int points)
{
    for (int i = 0; i < points; i++) {
        struct vec3 p;
        double nearest = 1e30, inside = 1e30;
        for (int k = 0; k < 3; k++)
            p.e[k] = dice_between(dice, -220, 300);
        for (size_t k = 0; k < count; k++) {
            double off = solid_distance(&solids[k], p);
            nearest = portable_fmin(nearest, fabs(off));
            inside = portable_fmin(inside, off);
        }
        if (nearest > 0.05)
            assert_int_equal(is_in_hull(hull, p), inside < 0);
    }
}

/* Returns the number of triangles without height. */
static size_t count_flat(const struct outer_hull *hull)
{
    size_t flat = 0;
    for (size_t i = 0; i < arrlenu(hull->triangles); i++) {
        struct vec3 a = corner(hull, i, 0), b = corner(hull, i, 1), c = corner(hull, i, 2);
        double area = vec3_dot(vec3_cross(vec3_sub(c, a), vec3_sub(b, a)),
                               hull->planes[hull->triangles[i].plane].normal);
        if (!(area > 0))
            flat++;
    }
    return flat;
}

enum { SOLIDS = 10, LEVELS = 1000, POINTS = 50 };

/* Levels in which solids share an edge and nothing else of it. */
static size_t touching_levels;

static void check_level(uint64_t seed)
{
    struct dice dice = {.seed = seed};
    struct test_solid solids[SOLIDS];
    struct outer_hull hull;
    size_t count = 1 + (size_t)dice_of(&dice, SOLIDS), touching;
    for (size_t i = 0; i < count; i++)
        solids[i] = dice_solid(&dice, 64);
    make_hull(solids, count, &hull);
    double expected = union_volume(solids, count), off = fabs(hull_volume(&hull) - expected);
    size_t open = count_open(&hull, &touching), flat = count_flat(&hull);
    if (open || flat || off > 1e-5 * expected)
        print_message("level %zu\n", (size_t)seed);
    assert_int_equal(open, 0);
    assert_int_equal(hull.open_edges, 0);
    assert_int_equal(flat, 0);
    assert_int_equal(hull.degenerate, 0);
    assert_true(off <= 1e-5 * expected);
    expect_contents(&hull, solids, count, &dice, POINTS);
    touching_levels += touching > 0;
    outer_free(&hull);
}

static void random_levels_are_closed_and_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < LEVELS; seed++)
        check_level(seed);
    assert_in_range(touching_levels, 0, LEVELS / 10);
}

SUITE(test_ballance_hull)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_levels_are_closed_and_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
