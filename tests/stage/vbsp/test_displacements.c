/* Displacements: compiled in memory, the records read back. */
#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "common/diag/codes/displacements.def"
#include "common/diag/codes/replacements.def"
#include "tests/support/vbsp/text_map.h"

/* A displacement of a test: flat except for the heights of its vertices. */
struct shape {
    int power;
    double start[3];
    double (*height)(int row, int column, int last);
    const char *extra; /* more keys and blocks of the dispinfo */
};

static void append_row(struct bytes *text, const struct shape *shape, int row, bool normals)
{
    int last = 1 << shape->power;
    bytes_append_text(text, "row%d \"", row);
    for (int column = 0; column <= last; column++) {
        if (normals)
            bytes_append_text(text, "0 0 1 ");
        else
            bytes_append_text(text, "%g ", shape->height ? shape->height(row, column, last) : 0);
    }
    bytes_append_text(text, "\"\n");
}

/* Borrowed until the next call. */
static const char *dispinfo(const struct shape *shape, struct bytes *text)
{
    text->size = 0;
    bytes_append_text(text, "dispinfo { power %d startposition \"[%g %g %g]\" flags 2\n normals {",
                      shape->power, shape->start[0], shape->start[1], shape->start[2]);
    for (int row = 0; row <= 1 << shape->power; row++)
        append_row(text, shape, row, true);
    bytes_append_text(text, "}\n distances {\n");
    for (int row = 0; row <= 1 << shape->power; row++)
        append_row(text, shape, row, false);
    bytes_append_text(text, "}\n %s }\n", shape->extra ? shape->extra : "");
    bytes_u8(text, 0);
    return (const char *)text->data;
}

/* A block of the floor whose top carries `keys`. */
static void put_block(struct text_map *map, struct vec3 low, struct vec3 high, const char *keys)
{
    double a = low.x, b = low.y, c = low.z, d = high.x, e = high.y, f = high.z;
    const double sides[BOX_SIDES][9] = {
        {a, e, f, d, e, f, d, b, f}, {a, b, c, d, b, c, d, e, c}, {a, e, f, a, b, f, a, b, c},
        {d, e, c, d, b, c, d, b, f}, {d, e, f, a, e, f, a, e, c}, {d, b, c, a, b, c, a, b, f},
    };
    bytes_append_text(&map->text, "solid { id %d\n", ++map->ids);
    for (int i = 0; i < BOX_SIDES; i++) {
        map->extra = i == BOX_TOP ? keys : NULL;
        text_map_side(map, sides[i], "floor");
    }
    map->extra = NULL;
    bytes_append_text(&map->text, "}\n");
}

static void put_shape(struct text_map *map, struct vec3 low, struct vec3 high,
                      const struct shape *shape)
{
    struct bytes text = {0};
    put_block(map, low, high, dispinfo(shape, &text));
    bytes_free(&text);
}

static void begin(struct text_map *map)
{
    text_map_init(map);
    text_map_room(map, vec3(0, 0, 0), vec3(512, 512, 256));
}

static double hill(int row, int column, int last)
{
    bool rim = row == 0 || column == 0 || row == last || column == last;
    return rim ? 0 : 40;
}

static void test_one_hill(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    struct shape shape = {.power = 2, .start = {64, 64, 16}, .height = hill};
    put_shape(&map, vec3(64, 64, 0), vec3(192, 256, 16), &shape);
    text_map_finish(&map, "400 400 128");
    const struct bsp *bsp = map.bsp;
    assert_int_equal(diag_count(map.diag, DIAG_WARNING), 0);
    assert_int_equal(arrlen(bsp->displacements), 1);
    const struct bsp_displacement *info = &bsp->displacements[0];
    assert_int_equal(info->power, 2);
    assert_int_equal(info->min_tesselation, 0x80000002u);
    assert_int_equal(info->contents, CONTENTS_SOLID);
    assert_true(info->start[0] == 64.0f && info->start[1] == 64.0f && info->start[2] == 16.0f);
    assert_int_equal(arrlen(bsp->disp_vertices), 25);
    assert_true(bsp->disp_vertices[12].distance == 40.0f && bsp->disp_vertices[12].vector[2] == 1);
    assert_true(bsp->disp_vertices[0].distance == 0.0f);
    for (int i = 0; i < DISP_ALLOWED_WORDS; i++)
        assert_int_equal(info->allowed[i], UINT32_MAX);
    for (int i = 0; i < DISP_EDGES; i++)
        assert_int_equal(info->edges[i][0].displacement, 65535);
    const struct bsp_face *face = &bsp->faces[info->face];
    assert_int_equal(info->face, bsp->models[0].face_count - 1);
    assert_int_equal(face->dispinfo, 0);
    /* Rows go along y: width counts luxels along x, one more than the flat face would have. */
    assert_int_equal(face->lightmap_size[0], 128 / 16 + 1);
    assert_int_equal(face->lightmap_size[1], 192 / 16 + 1);
    assert_int_equal(bsp->disp_lightmap_samples.size, 4 * 10 * 14);
    for (size_t i = 0; i < arrlenu(bsp->leaf_faces); i++)
        assert_int_not_equal(bsp->leaf_faces[i], info->face);
    /* The corners of the block and of the hill's top: 8 corners, 12 triangles and 18 edges. */
    assert_int_equal(bsp->displacement_physics.size, 4 + 93);
    assert_memory_equal(bsp->displacement_physics.data, "\1\0\135\0\1\0\0\0\14\14\22", 11);
    /* The other five sides are gone, and the block is no brush. */
    assert_int_equal(text_map_faces(&map, 0, "floor", NULL), 2);
    assert_int_equal(
        bsp_brush_contents_at(bsp, bsp_leaf_at(bsp, 0, vec3(100, 100, 8)), vec3(100, 100, 8)), 0);
    text_map_free(&map);
}

/* Steps of 32 units have normals with z of 1, 1 and 0.4. */
static double steps(int row, int column, int last)
{
    (void)column;
    (void)last;
    return row < 3 ? 0 : row == 3 ? 20 : 200;
}

static void test_tags_by_steepness(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    struct shape shape = {.power = 2, .start = {64, 64, 16}, .height = steps};
    put_shape(&map, vec3(64, 64, 0), vec3(192, 192, 16), &shape);
    text_map_finish(&map, "400 400 128");
    const int32_t *tags = map.bsp->disp_triangles;
    assert_int_equal(arrlen(tags), 32);
    for (int i = 0; i < 32; i++)
        assert_int_equal(tags[i], i < 24 ? 6 : 0);
    text_map_free(&map);
}

static void test_tags_of_the_map(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    struct shape shape = {.power = 2,
                          .start = {64, 64, 16},
                          .height = steps,
                          .extra = "triangle_tags { row0 \"0 1 8 9 2 6 16 48\" row1 \"7 3 0 0 0 0 "
                                   "0 0\" row2 \"0 0 0 0 0 0 0 0\" row3 \"9 9 9 9 9 9 9 9\" }"};
    put_shape(&map, vec3(64, 64, 0), vec3(192, 192, 16), &shape);
    text_map_finish(&map, "400 400 128");
    static const int expected[10] = {0, 2, 4, 6, 0, 2, 0, 4, 2, 0};
    for (int i = 0; i < 32; i++)
        assert_int_equal(map.bsp->disp_triangles[i], i < 10 ? expected[i] : i < 24 ? 0 : 6);
    text_map_free(&map);
}

static bool is_allowed(const struct bsp_displacement *info, int vertex)
{
    return info->allowed[vertex >> 5] >> (vertex & 31) & 1;
}

static double ridge(int row, int column, int last)
{
    (void)last;
    return 3 * row * (column % 2);
}

/* A fine one west of a coarse one; the rows of both go north. */
static void test_neighbours_of_other_power(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    struct shape fine = {.power = 3, .start = {64, 64, 16}, .height = ridge};
    struct shape coarse = {.power = 2, .start = {192, 64, 16}, .height = hill};
    struct shape third = {.power = 2, .start = {192, 192, 16}, .height = hill};
    put_shape(&map, vec3(64, 64, 0), vec3(192, 192, 16), &fine);
    put_shape(&map, vec3(192, 64, 0), vec3(320, 192, 16), &coarse);
    put_shape(&map, vec3(192, 192, 0), vec3(320, 320, 16), &third);
    text_map_finish(&map, "400 400 128");
    const struct bsp_displacement *info = map.bsp->displacements;
    assert_int_equal(info[0].edges[2][0].displacement, 1);
    assert_int_equal(info[0].edges[2][0].orientation, 0);
    assert_int_equal(info[1].edges[0][0].displacement, 0);
    assert_int_equal(info[1].edges[1][0].displacement, 2);
    assert_int_equal(info[0].corners[2].count, 1);
    assert_int_equal(info[0].corners[2].displacements[0], 2);
    assert_int_equal(info[2].corners[0].displacements[0], 0);
    for (int i = 0; i < 81; i++)
        assert_int_equal(is_allowed(&info[0], i), i % 9 != 8 || i / 9 % 2 == 0);
    for (int i = 0; i < 25; i++)
        assert_true(is_allowed(&info[1], i));
    text_map_free(&map);
}

/* Neighbours are mutual, at the edge and the span that they name. */
static void check_links(const struct bsp *bsp)
{
    for (int i = 0; i < (int)arrlen(bsp->displacements); i++) {
        for (int edge = 0; edge < DISP_EDGES; edge++) {
            for (int slot = 0; slot < 2; slot++) {
                const struct bsp_disp_neighbour *link = &bsp->displacements[i].edges[edge][slot];
                if (link->displacement == 65535)
                    continue;
                const struct bsp_disp_neighbour *back =
                    &bsp->displacements[link->displacement]
                         .edges[(edge + 2 + link->orientation) & 3][link->neighbour_span == 2];
                assert_int_equal(back->displacement, i);
                assert_int_equal(back->orientation, (4 - link->orientation) & 3);
                assert_int_equal(back->span, link->neighbour_span);
                assert_int_equal(back->neighbour_span, link->span);
            }
        }
    }
}

/* Two of 64 units beside one of 128: each lies on half of its edge. The rim of the large one, which
 * has one step a half where they have eight, decides. */
static void test_halves(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    struct shape large = {.power = 2, .start = {64, 64, 16}};
    struct shape first = {.power = 4, .start = {192, 64, 16}, .height = ridge};
    struct shape second = {.power = 2, .start = {192, 128, 16}};
    put_shape(&map, vec3(64, 64, 0), vec3(192, 192, 16), &large);
    put_shape(&map, vec3(192, 64, 0), vec3(256, 128, 16), &first);
    put_shape(&map, vec3(192, 128, 0), vec3(256, 192, 16), &second);
    text_map_finish(&map, "400 400 128");
    check_links(map.bsp);
    const struct bsp_displacement *info = map.bsp->displacements;
    const struct bsp_disp_neighbour *edge = info[0].edges[2];
    assert_int_equal(edge[0].displacement, 1);
    assert_int_equal(edge[0].span, 1);
    assert_int_equal(edge[0].neighbour_span, 0);
    assert_int_equal(edge[1].displacement, 2);
    assert_int_equal(edge[1].span, 2);
    assert_int_equal(info[1].edges[0][0].displacement, 0);
    assert_int_equal(info[1].edges[0][0].neighbour_span, 1);
    assert_int_equal(info[2].edges[0][0].neighbour_span, 2);
    for (int row = 0; row <= 16; row++) {
        assert_int_equal(is_allowed(&info[1], row * 17), row % 8 == 0);
        assert_int_equal(is_allowed(&info[1], row * 17 + 16), row != 15);
    }
    /* Squares beside a missing vertex are not drawn, and their vertices lie on those that are. */
    assert_false(is_allowed(&info[1], 2 * 17 + 2));
    assert_true(is_allowed(&info[1], 4 * 17 + 8));
    const struct bsp_disp_vertex *vertices = map.bsp->disp_vertices + info[1].first_vertex;
    assert_float_equal((double)vertices[4 * 17 + 1].distance, 0, 1e-4);
    assert_float_equal((double)vertices[3 * 17 + 9].distance, 9, 1e-4);
    text_map_free(&map);
}

/* Numbers of triangles and weights as compiled maps have them: measured on 2 x 2 cells' eight
 * triangles, the corner of row 0, column 0 in the third of them. */
static void test_places_of_luxels(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    map.luxel = 128;
    struct shape shape = {.power = 2, .start = {64, 64, 16}};
    put_shape(&map, vec3(64, 64, 0), vec3(192, 192, 16), &shape);
    text_map_finish(&map, "400 400 128");
    /* 128 units are 1 luxel, so the grid is 2 wide and 3 x 3 luxels lie on corners and middles. */
    const struct bytes *samples = &map.bsp->disp_lightmap_samples;
    assert_int_equal(samples->size, 4 * 9);
    static const unsigned char corner[4] = {17, 0, 255, 0}, middle[4] = {1, 0, 255, 0};
    assert_memory_equal(samples->data, corner, 4);
    assert_memory_equal(samples->data + (size_t)4 * 4, middle, 4);
    text_map_free(&map);
}

static void test_three_on_one_edge(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    struct shape first = {.power = 2, .start = {64, 64, 16}};
    struct shape second = {.power = 3, .start = {192, 192, 16}};
    struct shape third = {.power = 2, .start = {128, 128, 16}};
    put_shape(&map, vec3(64, 64, 0), vec3(128, 128, 16), &first);
    put_shape(&map, vec3(128, 64, 0), vec3(192, 192, 16), &second);
    put_shape(&map, vec3(128, 64, 0), vec3(192, 128, 16), &third);
    put_shape(&map, vec3(64, 128, 0), vec3(128, 192, 16), &first);
    text_map_finish(&map, "400 400 128");
    const struct bsp_displacement *info = map.bsp->displacements;
    assert_int_equal(arrlen(info), 4);
    check_links(map.bsp);
    assert_int_equal(info[0].edges[2][0].displacement, 1);
    assert_int_equal(info[1].edges[2][1].displacement, 0); /* its rows go south */
    assert_int_equal(info[1].edges[2][0].displacement, 3);
    text_map_free(&map);
}

static double tower(int row, int column, int last)
{
    (void)row;
    (void)column;
    (void)last;
    return 400;
}

static void test_the_world_is_as_high_as_its_meshes(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    struct shape shape = {.power = 2, .start = {64, 64, 16}, .height = tower};
    put_shape(&map, vec3(64, 64, 0), vec3(192, 256, 16), &shape);
    text_map_finish(&map, "400 400 128");
    arrput(map.bsp->entities, 0);
    assert_non_null(strstr(map.bsp->entities, "\"world_maxs\" \"512 512 416\""));
    text_map_free(&map);
}

static void test_unsound_ones_stay_flat(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    put_block(&map, vec3(64, 64, 0), vec3(128, 128, 16),
              "dispinfo { power 5 startposition \"[64 64 16]\" }");
    put_block(&map, vec3(192, 64, 0), vec3(256, 128, 16), "dispinfo { power 3 }");
    put_block(&map, vec3(64, 192, 0), vec3(128, 256, 16),
              "dispinfo { power 2 startposition \"[64 192 16]\" normals { row0 \"0 0 1\" } "
              "distances { row0 \"9e8\" } }");
    text_map_finish(&map, "400 400 128");
    assert_int_equal(diag_count_code(map.diag, DIAG_DISPLACEMENT_DAMAGED), 3);
    assert_int_equal(arrlen(map.bsp->displacements), 0);
    int leaf = bsp_leaf_at(map.bsp, 0, vec3(96, 96, 8));
    assert_int_equal(map.bsp->leaves[leaf].contents, CONTENTS_SOLID);
    text_map_free(&map);
}

static void test_a_triangle_carries_none(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    bytes_append_text(&map.text, "solid { id %d\n", ++map.ids);
    map.extra = "dispinfo { power 2 startposition \"[64 64 16]\" }";
    text_map_side(&map, (const double[9]){64, 128, 16, 128, 128, 16, 128, 64, 16}, "floor");
    map.extra = NULL;
    text_map_side(&map, (const double[9]){64, 64, 0, 128, 64, 0, 128, 128, 0}, "floor");
    text_map_side(&map, (const double[9]){64, 128, 16, 64, 64, 16, 64, 64, 0}, "floor");
    text_map_side(&map, (const double[9]){128, 64, 0, 64, 64, 0, 64, 64, 16}, "floor");
    text_map_side(&map, (const double[9]){128, 64, 16, 64, 128, 16, 64, 128, 0}, "floor");
    bytes_append_text(&map.text, "}\n");
    text_map_finish(&map, "400 400 128");
    assert_int_equal(diag_count_code(map.diag, DIAG_DISPLACEMENT_CORNERS), 1);
    assert_int_equal(arrlen(map.bsp->displacements), 0);
    int leaf = bsp_leaf_at(map.bsp, 0, vec3(70, 70, 8));
    assert_int_equal(map.bsp->leaves[leaf].contents, CONTENTS_SOLID);
    text_map_free(&map);
}

/* All vertices moved onto the line x = 64. */
static void test_no_hull_on_a_line(void **state)
{
    (void)state;
    for (int soup = 0; soup < 2; soup++) {
        struct text_map map;
        struct bytes keys = {0};
        begin(&map);
        map.options.no_virtual_mesh = soup == 1;
        bytes_append_text(&keys, "dispinfo { power 2 startposition \"[64 64 16]\" normals {");
        for (int row = 0; row < 5; row++)
            bytes_append_text(&keys, "row%d \"-1 0 0 -1 0 0 -1 0 0 -1 0 0 -1 0 0\" ", row);
        bytes_append_text(&keys, "} distances {");
        for (int row = 0; row < 5; row++)
            bytes_append_text(&keys, "row%d \"0 32 64 96 128\" ", row);
        bytes_append_text(&keys, "} }");
        bytes_u8(&keys, 0);
        put_block(&map, vec3(64, 64, 0), vec3(192, 192, 16), (const char *)keys.data);
        text_map_finish(&map, "400 400 128");
        assert_int_equal(diag_count_code(map.diag, DIAG_DISPLACEMENT_HULL), 1);
        assert_int_equal(map.bsp->displacement_physics.size, soup ? 0 : 4);
        if (!soup)
            assert_memory_equal(map.bsp->displacement_physics.data, "\1\0\xff\xff", 4);
        bytes_free(&keys);
        text_map_free(&map);
    }
}

/* A side that is too dense along both axes is told once. */
static void dense_sides_are_told_once(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    map.luxel = 1;
    put_block(&map, vec3(64, 64, 0), vec3(256, 320, 16),
              "dispinfo { power 2 startposition \"[64 64 16]\" }");
    map.luxel = 16;
    text_map_finish(&map, "400 400 128");
    assert_int_equal(diag_count_code(map.diag, DIAG_DISPLACEMENT_LUXELS), 1);
    const int32_t *luxels = map.bsp->faces[map.bsp->displacements[0].face].lightmap_size;
    assert_int_equal(luxels[0], 125);
    assert_int_equal(luxels[1], 125);
    text_map_free(&map);
}

static void test_short_rows_and_dense_luxels(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    map.luxel = 1;
    put_block(&map, vec3(64, 64, 0), vec3(192, 128, 16),
              "dispinfo { power 2 startposition \"[64 64 16]\" alphas { row0 \"1 2 300\" } }");
    map.luxel = 16;
    text_map_finish(&map, "400 400 128");
    assert_int_equal(diag_count_code(map.diag, DIAG_DISPLACEMENT_ROWS), 1);
    assert_int_equal(diag_count_code(map.diag, DIAG_DISPLACEMENT_LUXELS), 1);
    assert_int_equal(arrlen(map.bsp->displacements), 1);
    assert_int_equal(map.bsp->faces[map.bsp->displacements[0].face].lightmap_size[0], 125);
    assert_true(map.bsp->disp_vertices[2].alpha == 300.0f);
    assert_true(map.bsp->disp_vertices[3].alpha == 0.0f);
    text_map_free(&map);
}

SUITE(test_displacements)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_hill),
        cmocka_unit_test(test_tags_by_steepness),
        cmocka_unit_test(test_tags_of_the_map),
        cmocka_unit_test(test_neighbours_of_other_power),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_places_of_luxels),
        cmocka_unit_test(test_three_on_one_edge),
        cmocka_unit_test(test_the_world_is_as_high_as_its_meshes),
        cmocka_unit_test(test_unsound_ones_stay_flat),
        cmocka_unit_test(test_a_triangle_carries_none),
        cmocka_unit_test(test_no_hull_on_a_line),
        cmocka_unit_test(dense_sides_are_told_once),
        cmocka_unit_test(test_short_rows_and_dense_luxels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
