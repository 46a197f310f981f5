/* Collision of patches in the engine: closed forms, and patches that were tested in it. */
#include "tests/support/suite.h"

#include <math.h>

#include "common/diag/codes/quake3_patches.def"
#include "tests/support/vbsp/q3_surfaces.h"
#include "vbsp/target/quake3/patches/patch_collide.h"

/* A patch of points 64 units apart. Heights of every second point are random up to `rough`, up to
 * piece number `pieces`, those between lie on lines; then odd columns are raised by bend_x, odd
 * rows by bend_y. */
struct shape {
    int columns, rows;
    double rough;
    int pieces;
    double bend_x, bend_y;
};

static double height(const struct shape *shape, int x, int y)
{
    if (y / 2 * 16 + x / 2 >= shape->pieces)
        return 0;
    return shape->rough * random_unit((uint64_t)x, (uint64_t)y);
}

static double between(const struct shape *shape, int x, int y)
{
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += height(shape, x - x % 2 + (i % 2 ? 2 * (x % 2) : 0),
                      y - y % 2 + (i / 2 ? 2 * (y % 2) : 0));
    return sum / 4 + (x % 2) * shape->bend_x + (y % 2) * shape->bend_y;
}

static struct draw_surface patch_of(const struct shape *shape)
{
    struct draw_surface patch = {.type = SURFACE_PATCH,
                                 .shader = &q3_plain,
                                 .patch_columns = shape->columns,
                                 .patch_rows = shape->rows};
    for (int y = 0; y < shape->rows; y++)
        for (int x = 0; x < shape->columns; x++)
            arrput(patch.vertices,
                   ((struct draw_vertex){.p = vec3(x * 64, y * 64, between(shape, x, y))}));
    return patch;
}

static struct patch_load load_of(struct shape shape)
{
    struct draw_surface patch = patch_of(&shape);
    struct patch_load load = patch_collision_load(&patch);
    draw_surface_free(&patch);
    return load;
}

/* A bend of b is a bow of b / 2; each halving leaves a quarter. */
static void bent_pieces_are_halved(void **state)
{
    (void)state;
    const struct {
        double bend;
        int columns;
    } cases[] = {{0, 2}, {31.9, 2}, {32.1, 3}, {127, 3}, {129, 5}, {511, 5}, {513, 9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct patch_load load = load_of((struct shape){3, 3, 0, 0, cases[i].bend, 0});
        assert_int_equal(load.columns, cases[i].columns);
        assert_int_equal(load.rows, 2);
        assert_int_equal(load.facets, cases[i].columns - 1);
    }
}

static void flat_patches_need_few_planes(void **state)
{
    (void)state;
    struct patch_load load = load_of((struct shape){3, 3, 0, 0, 0, 0});
    assert_int_equal(load.facets, 1);
    assert_int_equal(load.planes, 5); /* its own, and four around: axial, as its bevels */
    load = load_of((struct shape){3, 3, 50, 1, 0, 0});
    assert_int_equal(load.facets, 2);
}

/* Columns of a tube's end that fall together are one. */
static void columns_in_one_place_are_welded(void **state)
{
    (void)state;
    struct shape shape = {5, 3, 0, 0, 0, 0};
    struct draw_surface patch = patch_of(&shape);
    for (int row = 0; row < 3; row++)
        for (int column = 3; column < 5; column++)
            patch.vertices[row * 5 + column].p = patch.vertices[row * 5 + 2].p;
    assert_int_equal(patch_collision_load(&patch).columns, 2);
    draw_surface_free(&patch);
}

static void facets_are_counted_exactly(void **state)
{
    (void)state;
    /* Sums of two curves are made of flat squares: 30 x 30. */
    struct patch_load load = load_of((struct shape){31, 31, 0, 0, 36, 36});
    assert_int_equal(load.facets, 900);
    assert_true(load.planes < PATCH_SAFE_PLANES);
}

static size_t told(struct shape shape, int code, bool *good)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct draw_surface patch = patch_of(&shape);
    *good = patch_check_collision(&patch, diag);
    size_t count = diag_count_code(diag, code);
    draw_surface_free(&patch);
    diag_free(diag);
    return count;
}

/* As tried in ioquake3: the first three load, the others end it. */
static void what_the_engine_refuses_is_reported(void **state)
{
    (void)state;
    bool good;
    assert_int_equal(told((struct shape){31, 5, 40, 256, 36, 0}, DIAG_PATCH_HEAVY, &good), 0);
    assert_true(good);
    assert_int_equal(told((struct shape){31, 31, 0, 0, 36, 36}, DIAG_PATCH_COLLISION, &good), 0);
    assert_true(good);
    assert_int_equal(told((struct shape){31, 17, 40, 256, 36, 0}, DIAG_PATCH_HEAVY, &good), 1);
    assert_true(good);
    assert_int_equal(told((struct shape){31, 31, 40, 256, 36, 36}, DIAG_PATCH_COLLISION, &good), 1);
    assert_false(good);
    assert_int_equal(told((struct shape){31, 31, 40, 256, 36, 0}, DIAG_PATCH_COLLISION, &good), 1);
    assert_false(good);
    assert_int_equal(told((struct shape){31, 3, 0, 0, 4000, 0}, DIAG_PATCH_COLLISION, &good), 1);
    assert_false(good);
}

static void what_is_not_solid_is_well(void **state)
{
    (void)state;
    struct shape shape = {31, 31, 40, 256, 36, 36};
    struct diag *diag = diag_new(NULL, NULL);
    struct draw_surface patch = patch_of(&shape);
    struct shader shader = q3_plain;
    shader.contents = 0;
    shader.surface_flags = Q3_SURFACE_NONSOLID;
    patch.shader = &shader;
    assert_true(patch_check_collision(&patch, diag));
    assert_int_equal(diag_entries(diag), 0);
    draw_surface_free(&patch);
    diag_free(diag);
}

SUITE(test_q3_patch_collide)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bent_pieces_are_halved),
        cmocka_unit_test(flat_patches_need_few_planes),
        cmocka_unit_test(columns_in_one_place_are_welded),
        cmocka_unit_test(facets_are_counted_exactly),
        cmocka_unit_test(what_the_engine_refuses_is_reported),
        cmocka_unit_test(what_is_not_solid_is_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
