/* Patches as surfaces: sizes, normals, groups, and the accuracy of triangles. */
#include "tests/support/suite.h"

#include <math.h>

#include "common/diag/codes/quake3_patches.def"
#include "common/geom/patch_grid.h"
#include "tests/support/near.h"
#include "tests/support/vbsp/q3_surfaces.h"
#include "vbsp/target/quake3/patches/patch.h"
#include "vbsp/target/quake3/patches/patch_collide.h"

static const struct diag_where nowhere;

/* A quarter of a pipe of radius 64 around z, `high` units high: its front is outside. */
static void quarter_pipe(struct map_patch_point points[9], struct vec3 at, double high)
{
    const double corners[3][2] = {{64, 0}, {64, 64}, {0, 64}};
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            points[row * 3 + column] = (struct map_patch_point){
                vec3_add(at, vec3(corners[column][0], corners[column][1], high * row / 2)),
                {column / 2.0, row / 2.0}};
}

static struct draw_surface make(struct map_patch_point *points, int columns, int rows,
                                struct diag *diag, bool *good)
{
    struct map_patch patch = {.columns = columns, .rows = rows, .points = points};
    struct draw_surface surface;
    *good = patch_surface(&patch, &q3_plain, vec3(0, 0, 0), &nowhere, diag, &surface);
    return surface;
}

static void sizes_and_lines_are_refused(void **state)
{
    (void)state;
    static struct map_patch_point points[33 * 3];
    struct diag *diag = diag_new(NULL, NULL);
    bool good;
    for (int i = 0; i < 33 * 3; i++)
        points[i].p = vec3(i, 0, 0);
    const int sizes[][2] = {{33, 3}, {3, 33}, {4, 3}, {3, 1}, {0, 3}, {-3, 3}};
    for (size_t i = 0; i < 6; i++) {
        make(points, sizes[i][0], sizes[i][1], diag, &good);
        assert_false(good);
        assert_int_equal(diag_count_code(diag, DIAG_PATCH_SIZE), i + 1);
    }
    make(points, 3, 3, diag, &good);
    assert_false(good);
    assert_int_equal(diag_count_code(diag, DIAG_PATCH_FLAT), 1);
    for (int i = 0; i < 9; i++)
        points[i].p = vec3(5, 6, 7);
    make(points, 3, 3, diag, &good);
    assert_false(good);
    assert_int_equal(diag_count_code(diag, DIAG_PATCH_FLAT), 2);
    for (int i = 0; i < 31 * 3; i++)
        points[i].p = vec3(i % 31, i / 31, 0);
    struct draw_surface max = make(points, 31, 3, diag, &good);
    assert_true(good);
    draw_surface_free(&max);
    diag_free(diag);
}

static void normals_of_a_pipe_point_outwards(void **state)
{
    (void)state;
    struct map_patch_point points[9];
    struct diag *diag = diag_new(NULL, NULL);
    bool good;
    quarter_pipe(points, vec3(0, 0, 0), 128);
    struct draw_surface pipe = make(points, 3, 3, diag, &good);
    assert_true(good);
    const double half = sqrt(0.5);
    const struct vec3 normals[3] = {vec3(1, 0, 0), vec3(half, half, 0), vec3(0, 1, 0)};
    for (int i = 0; i < 9; i++)
        assert_true(vec3_distance(pipe.vertices[i].normal, normals[i % 3]) < 1e-9);
    assert_true(pipe.lightmapped && pipe.type == SURFACE_PATCH && pipe.fog == -1);
    assert_true(vec3_distance(pipe.lod.maxs, vec3(64, 64, 128)) < 1e-9);
    draw_surface_free(&pipe);
    /* Its last row drawn together: a cone still has normals at its tip. */
    for (int i = 6; i < 9; i++)
        points[i].p = vec3(0, 0, 128);
    struct draw_surface cone = make(points, 3, 3, diag, &good);
    assert_true(good);
    for (int i = 0; i < 9; i++) {
        assert_near(vec3_length(cone.vertices[i].normal), 1, 1e-9);
        assert_true(cone.vertices[i].normal.x + cone.vertices[i].normal.y > 0.5);
    }
    draw_surface_free(&cone);
    diag_free(diag);
}

/* The corner that is left beside an arc: all controls but two stand in the corner. */
static void normals_of_a_cap_are_its_own(void **state)
{
    (void)state;
    struct map_patch_point points[9] = {{{{{0, 0, 0}}}, {0, 0}}};
    struct diag *diag = diag_new(NULL, NULL);
    bool good;
    for (int way = -1; way <= 1; way += 2) {
        points[0].p = vec3(64, 0, 0);
        points[6].p = vec3(0, 64 * way, 0);
        struct draw_surface cap = make(points, 3, 3, diag, &good), mesh;
        assert_true(good);
        patch_to_mesh(&cap, 2, &mesh);
        for (int i = 0; i < 9; i++)
            assert_near(cap.vertices[i].normal.z, -way, 1e-9);
        for (size_t i = 0; i < arrlenu(mesh.indices); i += 3)
            assert_true(q3_front(&mesh, i).z * way < 0);
        draw_surface_free(&mesh);
        draw_surface_free(&cap);
    }
    diag_free(diag);
}

/* p(t) of a quarter: 64 (1 - t^2, 2t - t^2). Its implicit form: with u = 1 - x / 64 and
 * v = 1 - y / 64, u = t^2 and v = (1 - t)^2, so sqrt(u) + sqrt(v) = 1. */
static double off_the_arc(struct vec3 p)
{
    return fabs(sqrt(fmax(0, 1 - p.x / 64)) + sqrt(fmax(0, 1 - p.y / 64)) - 1);
}

static void meshes_lie_on_the_arc(void **state)
{
    (void)state;
    struct map_patch_point points[9];
    struct diag *diag = diag_new(NULL, NULL);
    bool good;
    quarter_pipe(points, vec3(0, 0, 0), 128);
    struct draw_surface pipe = make(points, 3, 3, diag, &good), mesh;
    /* The bow is |(64,0) - 2 (64,64) + (0,64)| / 4 = 22.63 units; n steps leave that over n^2. */
    const struct {
        double within;
        size_t steps;
    } cases[] = {{30, 1}, {22.7, 1}, {22.6, 2}, {8, 2}, {5.7, 2}, {5.6, 3}, {1, 5}, {0.1, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        patch_to_mesh(&pipe, cases[i].within, &mesh);
        assert_int_equal(mesh.type, SURFACE_MESH);
        assert_int_equal(arrlenu(mesh.vertices), 2 * (cases[i].steps + 1));
        assert_int_equal(arrlenu(mesh.indices), 6 * cases[i].steps);
        for (size_t k = 0; k < arrlenu(mesh.vertices); k++)
            assert_true(off_the_arc(mesh.vertices[k].p) < 1e-7);
        for (size_t k = 0; k < arrlenu(mesh.indices); k += 3)
            assert_true(vec3_dot(q3_front(&mesh, k), vec3(1, 1, 0)) > 0);
        draw_surface_free(&mesh);
    }
    patch_to_mesh(&pipe, 0, &mesh); /* PATCH_SUBDIVISIONS */
    assert_int_equal(arrlenu(mesh.indices), 12);
    draw_surface_free(&mesh);
    draw_surface_free(&pipe);
    diag_free(diag);
}

static void flat_patches_become_two_triangles(void **state)
{
    (void)state;
    static struct map_patch_point points[9 * 7];
    struct diag *diag = diag_new(NULL, NULL);
    bool good;
    for (int i = 0; i < 9 * 7; i++)
        points[i] =
            (struct map_patch_point){vec3(i % 9 * 32, i / 9 * 16, 5), {i % 9 * 0.5, i / 9 * 0.25}};
    struct draw_surface flat = make(points, 9, 7, diag, &good), mesh;
    patch_to_mesh(&flat, 4, &mesh);
    assert_int_equal(arrlenu(mesh.vertices), 4);
    assert_int_equal(arrlenu(mesh.indices), 6);
    assert_near(draw_surface_area(&mesh), 256 * 96, 1e-9);
    assert_near(mesh.vertices[3].texture[0], 4, 1e-12);
    draw_surface_free(&mesh);
    /* Where the texture is pulled aside, the column stays. */
    flat.vertices[4].texture[0] += 0.3;
    flat.vertices[4 + 9].texture[0] += 0.3;
    patch_to_mesh(&flat, 4, &mesh);
    assert_true(arrlenu(mesh.vertices) > 4);
    draw_surface_free(&mesh);
    draw_surface_free(&flat);
    diag_free(diag);
}

/* A twisted piece with straight edges: z = x y / 64 over 64 x 64. */
static void twisted_patches_are_cut(void **state)
{
    (void)state;
    struct map_patch_point points[9] = {{{{{0, 0, 0}}}, {0, 0}}};
    struct diag *diag = diag_new(NULL, NULL);
    bool good;
    for (int i = 0; i < 9; i++) {
        double x = i % 3 * 32, y = i / 3 * 32;
        points[i].p = vec3(x, y, x * y / 64);
    }
    struct draw_surface twisted = make(points, 3, 3, diag, &good), mesh;
    patch_to_mesh(&twisted, 1, &mesh);
    assert_true(arrlenu(mesh.indices) > 6);
    for (size_t i = 0; i < arrlenu(mesh.indices); i += 3) {
        struct vec3 sum = vec3(0, 0, 0);
        for (size_t k = 0; k < 3; k++)
            sum = vec3_add(sum, mesh.vertices[mesh.indices[i + k]].p);
        sum = vec3_scale(sum, 1.0 / 3);
        assert_true(fabs(sum.z - sum.x * sum.y / 64) <= 1);
    }
    draw_surface_free(&mesh);
    draw_surface_free(&twisted);
    diag_free(diag);
}

static void touching_patches_share_their_detail(void **state)
{
    (void)state;
    struct map_patch_point points[9];
    struct diag *diag = diag_new(NULL, NULL);
    struct draw_surface surfaces[4];
    const struct vec3 places[4] = {vec3(500, 0, 0), vec3(0, 0, 0), vec3(0, 0, 255.5),
                                   vec3(0, 0, 128)};
    for (int i = 0; i < 4; i++) {
        bool good;
        quarter_pipe(points, places[i], 127);
        surfaces[i] = make(points, 3, 3, diag, &good);
        assert_true(good);
    }
    patch_group_lod(surfaces, 4);
    for (int i = 1; i < 4; i++) {
        assert_near(surfaces[i].lod.mins.z, 0, 1e-9);
        assert_near(surfaces[i].lod.maxs.z, 382.5, 1e-9);
    }
    assert_near(surfaces[0].lod.maxs.z, 127, 1e-9);
    for (int i = 0; i < 4; i++)
        draw_surface_free(&surfaces[i]);
    diag_free(diag);
}

/* Boxes that overlap do not make a group: points must meet. */
static void overlapping_patches_are_apart(void **state)
{
    (void)state;
    struct map_patch_point points[9];
    struct diag *diag = diag_new(NULL, NULL);
    struct draw_surface surfaces[2];
    bool good;
    quarter_pipe(points, vec3(0, 0, 0), 128);
    surfaces[0] = make(points, 3, 3, diag, &good);
    quarter_pipe(points, vec3(10, 10, 10), 90);
    surfaces[1] = make(points, 3, 3, diag, &good);
    patch_group_lod(surfaces, 2);
    assert_near(surfaces[0].lod.maxs.z, 128, 1e-9);
    assert_near(surfaces[1].lod.maxs.z, 100, 1e-9);
    for (int i = 0; i < 2; i++)
        draw_surface_free(&surfaces[i]);
    diag_free(diag);
}

/* Collision of patches in the engine: closed forms, and patches that were tested in it. */

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

SUITE(test_q3_patch)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_and_lines_are_refused),
        cmocka_unit_test(normals_of_a_pipe_point_outwards),
        cmocka_unit_test(normals_of_a_cap_are_its_own),
        cmocka_unit_test(meshes_lie_on_the_arc),
        cmocka_unit_test(flat_patches_become_two_triangles),
        cmocka_unit_test(twisted_patches_are_cut),
        cmocka_unit_test(touching_patches_share_their_detail),
        cmocka_unit_test(overlapping_patches_are_apart),
        cmocka_unit_test(bent_pieces_are_halved),
        cmocka_unit_test(flat_patches_need_few_planes),
        cmocka_unit_test(columns_in_one_place_are_welded),
        cmocka_unit_test(facets_are_counted_exactly),
        cmocka_unit_test(what_the_engine_refuses_is_reported),
        cmocka_unit_test(what_is_not_solid_is_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
