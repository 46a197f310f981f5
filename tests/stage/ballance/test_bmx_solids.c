/* Closed meshes of BM files -> brushes: the same volume, planes and textures. */
#include "tests/support/suite.h"

#include "common/core/random.h"
#include "common/diag/codes/ballance_to_map.def"
#include "common/geom/plane.h"
#include "tests/support/vbsp/bmx_made.h"

/* The entity of the object, which has all brushes. */
static const struct map_entity *brushes_of(const struct made *made)
{
    assert_int_equal(arrlen(made->level.entities), 2);
    return &made->level.entities[1];
}

static struct plane plane_of(const struct map_side *side)
{
    struct plane plane;
    assert_true(plane_from_points(side->points[0], side->points[1], side->points[2], &plane));
    return plane;
}

static bool solid_contains(const struct map_solid *solid, struct vec3 p)
{
    for (size_t i = 0; i < arrlenu(solid->sides); i++) {
        struct plane plane = plane_of(&solid->sides[i]);
        if (plane_distance(&plane, p) > 0)
            return false;
    }
    return true;
}

static int count_around(const struct map_entity *entity, struct vec3 p)
{
    int count = 0;
    for (size_t i = 0; i < arrlenu(entity->solids); i++)
        count += solid_contains(&entity->solids[i], p);
    return count;
}

static bool is_caulk(const struct map_side *side)
{
    return strcmp(side->material, "textures/common/caulk") == 0;
}

/* Each side with a texture has it as the mesh does, less whole images. */
static void check_textures(const struct map_entity *entity)
{
    for (size_t i = 0; i < arrlenu(entity->solids); i++)
        for (size_t k = 0; k < arrlenu(entity->solids[i].sides); k++) {
            const struct map_side *side = &entity->solids[i].sides[k];
            if (is_caulk(side))
                continue;
            assert_string_equal(side->material, "textures/bmx/level/stone");
            assert_true(side->mapped_in_images);
            for (int c = 0; c < 3; c++) {
                struct vec3 p = side->points[c];
                double uv[2];
                cell_uv(p, uv);
                double u = vec3_dot(p, side->u.axis) / side->u.scale + side->u.shift - uv[0];
                double v = vec3_dot(p, side->v.axis) / side->v.scale + side->v.shift - uv[1];
                assert_true(fabs(u - rint(u)) < 1e-4 && fabs(v - rint(v)) < 1e-4);
            }
        }
}

/* All planes of textured sides are those of cubes, exactly. */
static void check_planes(const struct map_entity *entity)
{
    for (size_t i = 0; i < arrlenu(entity->solids); i++)
        for (size_t k = 0; k < arrlenu(entity->solids[i].sides); k++) {
            struct plane plane = plane_of(&entity->solids[i].sides[k]);
            double cells = plane.dist / CELL_SIZE;
            assert_true(fabs(cells - rint(cells)) < 1e-12);
        }
}

static void check_cells(const struct made *made, const struct cell_grid *grid)
{
    const struct map_entity *entity = brushes_of(made);
    struct vec3 at;
    for (int x = -1; x <= CELLS; x++)
        for (int y = -1; y <= CELLS; y++)
            for (int z = -1; z <= CELLS; z++)
                for (uint64_t i = 0; i < 4; i++) {
                    int cell = (x * 8 + y) * 8 + z;
                    uint64_t item = (uint64_t)cell;
                    at = vec3(x + random_unit(item, 3 * i), y + random_unit(item, 3 * i + 1),
                              z + random_unit(item, 3 * i + 2));
                    assert_int_equal(count_around(entity, vec3_scale(at, CELL_SIZE)),
                                     is_filled(grid, x, y, z));
                }
    check_planes(entity);
    check_textures(entity);
}

/* --- */

static void a_box_is_one_brush(void **state)
{
    (void)state;
    struct made made;
    struct cell_grid grid = {0};
    fill_cells(&grid, (const int[]){0, 1, 2}, (const int[]){3, 3, 3}, true);
    make_of_cells(&made, &grid);
    assert_int_equal(arrlen(brushes_of(&made)->solids), 1);
    assert_int_equal(arrlen(brushes_of(&made)->solids[0].sides), 6);
    check_cells(&made, &grid);
    assert_string_equal(entity_value(&brushes_of(&made)->keys, "classname"), "phys_floor");
    assert_string_equal(entity_value(&brushes_of(&made)->keys, "targetname"), "A_Floor_01");
    made_free(&made);
}

static void a_wedge_is_one_brush(void **state)
{
    (void)state;
    static const struct vec3 p[6] = {{{{0, 0, 0}}},   {{{96, 0, 0}}}, {{{0, 40, 0}}},
                                     {{{96, 40, 0}}}, {{{0, 0, 48}}}, {{{0, 40, 48}}}};
    static const int faces[5][4] = {
        {0, 1, 3, 2}, {0, 2, 5, 4}, {1, 4, 5, 3}, {0, 4, 1, -1}, {2, 3, 5, -1}};
    struct bmx_mesh mesh = {0};
    struct made made;
    for (int i = 0; i < 5; i++) {
        struct vec3 points[4];
        int count = faces[i][3] < 0 ? 3 : 4;
        for (int k = 0; k < count; k++)
            points[k] = p[faces[i][k]];
        put_polygon(&mesh, points, count);
    }
    make_of_mesh(&made, &mesh);
    const struct map_entity *entity = brushes_of(&made);
    assert_int_equal(arrlen(entity->solids), 1);
    assert_int_equal(arrlen(entity->solids[0].sides), 5);
    for (uint64_t i = 0; i < 1000; i++) {
        struct vec3 at = vec3(120 * random_unit(i, 0) - 10, 60 * random_unit(i, 1) - 10,
                              60 * random_unit(i, 2) - 5);
        bool inside = at.x > 0 && at.y > 0 && at.y < 40 && at.z > 0 && at.x / 96 + at.z / 48 < 1;
        assert_int_equal(count_around(entity, at), inside);
    }
    check_textures(entity);
    made_free(&made);
}

/* A box whose upper edge is cut off, by `depth` below the top and `width` beside it, where the
 * texture is another. */
static void put_cut_box(struct bmx_mesh *mesh, double depth, double width, double length)
{
    const struct vec3 outline[5] = {{{{0, 0, 0}}},
                                    {{{0, 0, 80}}},
                                    {{{240 - width, 0, 80}}},
                                    {{{240, 0, 80 - depth}}},
                                    {{{240, 0, 0}}}};
    struct vec3 near_side[5], far_side[5];
    for (int i = 0; i < 5; i++) {
        near_side[i] = outline[i];
        far_side[4 - i] = vec3_add(outline[i], vec3(0, length, 0));
    }
    put_polygon(mesh, near_side, 5);
    put_polygon(mesh, far_side, 5);
    for (int i = 0; i < 5; i++) {
        size_t first = arrlenu(mesh->uvs);
        struct vec3 a = outline[i], b = outline[(i + 1) % 5];
        const struct vec3 points[4] = {b, a, vec3_add(a, vec3(0, length, 0)),
                                       vec3_add(b, vec3(0, length, 0))};
        put_polygon(mesh, points, 4);
        for (size_t k = first; k < arrlenu(mesh->uvs) && i == 2; k++)
            mesh->uvs[k].uv[0] += k >= first + 2 ? 0.5f : 0;
    }
}

/* The texture of what is narrower than brushes are exact to is lost, not the brush. */
static void a_sliver_does_not_cut(void **state)
{
    (void)state;
    struct made made;
    struct bmx_mesh mesh = {0};
    put_cut_box(&mesh, 0.008, 0.008, 160.25);
    make_of_mesh(&made, &mesh);
    assert_int_equal(arrlen(brushes_of(&made)->solids), 1);
    assert_int_equal(diag_count_code(made.diag, DIAG_BMX_TO_PIECES), 0);
    assert_int_equal(diag_count_code(made.diag, DIAG_BMX_TO_MAPPING), 0);
    assert_int_equal(diag_count_code(made.diag, DIAG_BMX_TO_FACES), 1);
    made_free(&made);
}

/* Nor does it where it is gone, since all is set to whole numbers: the texture moves less than the
 * vertices did. */
static void whole_numbers_do_not_cut(void **state)
{
    (void)state;
    struct made made;
    struct bmx_mesh mesh = {0};
    put_cut_box(&mesh, 0.008, 0.008, 160);
    make_of_mesh(&made, &mesh);
    assert_int_equal(arrlen(brushes_of(&made)->solids), 1);
    assert_int_equal(arrlen(brushes_of(&made)->solids[0].sides), 6);
    made_free(&made);
}

/* A bend within the tolerance of planes, at which the texture changes, is an edge of one brush. */
static void a_slight_bend_is_an_edge(void **state)
{
    (void)state;
    struct made made;
    struct bmx_mesh mesh = {0};
    put_cut_box(&mesh, 0.008, 20.5, 160.25);
    make_of_mesh(&made, &mesh);
    assert_int_equal(arrlen(brushes_of(&made)->solids), 1);
    assert_int_equal(arrlen(brushes_of(&made)->solids[0].sides), 7);
    assert_int_equal(diag_count_code(made.diag, DIAG_BMX_TO_FACES), 0);
    made_free(&made);
}

static void an_l_is_two_brushes(void **state)
{
    (void)state;
    struct made made;
    struct cell_grid grid = {0};
    fill_cells(&grid, (const int[]){0, 0, 0}, (const int[]){4, 2, 1}, true);
    fill_cells(&grid, (const int[]){0, 2, 0}, (const int[]){1, 4, 1}, true);
    make_of_cells(&made, &grid);
    assert_int_equal(arrlen(brushes_of(&made)->solids), 2);
    assert_int_equal(diag_count_code(made.diag, DIAG_BMX_TO_PIECES), 1);
    check_cells(&made, &grid);
    made_free(&made);
}

/* The edge is met by four triangles: the boxes are solids of their own. */
static void boxes_that_share_an_edge_are_two_brushes(void **state)
{
    (void)state;
    struct made made;
    struct cell_grid grid = {0};
    fill_cells(&grid, (const int[]){0, 0, 0}, (const int[]){2, 2, 2}, true);
    fill_cells(&grid, (const int[]){2, 2, 0}, (const int[]){4, 4, 2}, true);
    make_of_cells(&made, &grid);
    assert_int_equal(arrlen(brushes_of(&made)->solids), 2);
    assert_int_equal(diag_count_code(made.diag, DIAG_BMX_TO_PIECES), 0);
    check_cells(&made, &grid);
    made_free(&made);
}

static void a_box_with_a_hole_is_cut(void **state)
{
    (void)state;
    struct made made;
    struct cell_grid grid = {0};
    fill_cells(&grid, (const int[]){0, 0, 0}, (const int[]){4, 4, 3}, true);
    fill_cells(&grid, (const int[]){1, 1, 0}, (const int[]){3, 2, 3}, false);
    make_of_cells(&made, &grid);
    assert_int_equal(arrlen(brushes_of(&made)->solids), 4);
    check_cells(&made, &grid);
    made_free(&made);
}

static void a_cavity_stays_empty(void **state)
{
    (void)state;
    struct made made;
    struct cell_grid grid = {0};
    fill_cells(&grid, (const int[]){0, 0, 0}, (const int[]){4, 4, 4}, true);
    fill_cells(&grid, (const int[]){1, 1, 1}, (const int[]){2, 3, 2}, false);
    make_of_cells(&made, &grid);
    assert_int_equal(arrlen(brushes_of(&made)->solids), 6);
    check_cells(&made, &grid);
    made_free(&made);
}

static void random_cells_keep_their_contents(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct made made;
        struct cell_grid grid = {0};
        for (int x = 0; x < CELLS; x++)
            for (int y = 0; y < CELLS; y++)
                for (int z = 0; z < CELLS; z++) {
                    int cell = (x * CELLS + y) * CELLS + z;
                    grid.filled[x][y][z] =
                        random_unit(seed, (uint64_t)cell) < 0.1 + 0.8 * random_unit(seed, 1000);
                }
        grid.filled[0][0][0] = true;
        make_of_cells(&made, &grid);
        assert_int_equal(diag_count_code(made.diag, DIAG_BMX_TO_OPEN), 0);
        check_cells(&made, &grid);
        made_free(&made);
    }
}

SUITE(test_bmx_solids)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_is_one_brush),
        cmocka_unit_test(a_wedge_is_one_brush),
        cmocka_unit_test(a_sliver_does_not_cut),
        cmocka_unit_test(whole_numbers_do_not_cut),
        cmocka_unit_test(a_slight_bend_is_an_edge),
        cmocka_unit_test(an_l_is_two_brushes),
        cmocka_unit_test(boxes_that_share_an_edge_are_two_brushes),
        cmocka_unit_test(a_box_with_a_hole_is_cut),
        cmocka_unit_test(a_cavity_stays_empty),
        cmocka_unit_test(random_cells_keep_their_contents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
