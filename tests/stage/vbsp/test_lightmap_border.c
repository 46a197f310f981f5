/* Lightmaps with a border (--lightmap-border): their extents, their limit, and how readers tell
 * them. */
#include "tests/support/suite.h"

#include "common/bsp/face_records.h"
#include "common/bsp/lightmap_extent.h"
#include "tests/support/near.h"
#include "tests/support/vbsp/compiled_map.h"
#include "tests/support/vbsp/text_map.h"

enum { LARGEST = 33 }; /* of a face without a border */

static void compile_room(struct text_map *map, bool border, struct vec3 low, struct vec3 high)
{
    char player[64];
    text_map_init(map);
    map->options.lightmap_border = border;
    text_map_room(map, low, high);
    snprintf(player, sizeof player, "origin \"%g %g %g\"", low.x + 60, low.y + 60, low.z + 60);
    text_map_entity(map, "info_player_start", player);
    text_map_compile(map, STATUS_OK);
}

static void lightmaps_have_a_luxel_more_on_each_side(void **state)
{
    (void)state;
    struct text_map map;
    compile_room(&map, true, vec3(16, 32, 48), vec3(272, 160, 112));
    int floor = text_map_face_at(&map, vec3(100, 100, 48), vec3(0, 0, 1));
    const struct bsp_face *face = &map.bsp->faces[floor];
    assert_int_equal(face->lightmap_mins[0], 0);
    assert_int_equal(face->lightmap_size[0], 18);
    assert_int_equal(face->lightmap_mins[1], -11);
    assert_int_equal(face->lightmap_size[1], 10);
    struct lightmap_extent extent = lightmap_extent_of(map.bsp, face);
    assert_int_equal(extent.border, 1);
    assert_int_equal(extent.mins[0], 1);
    assert_int_equal(extent.size[0], 16);
    assert_int_equal(extent.mins[1], -10);
    assert_int_equal(extent.size[1], 8);
    text_map_free(&map);
}

/* Compiles a room, and returns the number of floors; none is larger than without a border. */
static int count_floors(bool border, double low, double width, double depth)
{
    struct text_map map;
    double area;
    compile_room(&map, border, vec3(low, low, 0), vec3(low + width, low + depth, 128));
    int count = text_map_faces(&map, 0, "floor", &area);
    assert_near(area, width * depth, 1);
    for (size_t i = 0; i < arrlenu(map.bsp->faces); i++) {
        const struct bsp_face *face = &map.bsp->faces[i];
        assert_int_equal(lightmap_extent_of(map.bsp, face).border, border);
        assert_true(face->lightmap_size[0] <= LARGEST && face->lightmap_size[1] <= LARGEST);
    }
    text_map_free(&map);
    return count;
}

static void faces_are_cut_smaller_for_the_limit(void **state)
{
    (void)state;
    assert_int_equal(count_floors(false, 16, 16 * 32, 256), 1);
    assert_int_equal(count_floors(true, 16, 16 * 32, 256), 2);
    assert_int_equal(count_floors(true, 16, 16 * 31, 256), 1); /* all of the luxels there are */
    assert_int_equal(count_floors(true, 16, 16 * 62, 16 * 31), 2);
    assert_int_equal(count_floors(true, 24, 16 * 31, 256), 2); /* off the grid of luxels */
    assert_int_equal(count_floors(true, 20, 16 * 60, 16 * 60), 4);
}

/* Cuts lie between luxels, wherever the face begins. */
static void cuts_keep_luxels_whole(void **state)
{
    (void)state;
    struct text_map map;
    compile_room(&map, true, vec3(20, 0, 0), vec3(20 + 16 * 70, 256, 128));
    for (size_t i = 0; i < arrlenu(map.bsp->faces); i++) {
        const struct bsp_face *face = &map.bsp->faces[i];
        if (map.bsp->planes[face->plane].normal[2] < 0.5f)
            continue;
        for (int k = 0; k < face->edge_count; k++) {
            double x = bsp_vertex_at(map.bsp, bsp_face_vertex(map.bsp, face, k)).x;
            if (fabs(x - 20) > 0.1 && fabs(x - 20 - 16 * 70) > 0.1)
                assert_near(remainder(x, 16), 0, 1e-3);
        }
    }
    text_map_free(&map);
}

/* Maps of other compilers: only extents that are too large on all sides, by one, are a border. */
static void only_a_whole_border_is_one(void **state)
{
    (void)state;
    static const struct {
        int mins[2], size[2], border;
    } rows[] = {
        {{0, 0}, {0, 0}, 0},   {{-1, -1}, {2, 2}, 1}, {{-1, -1}, {1, 1}, 0},
        {{0, 0}, {1, 1}, 0},   {{-1, 0}, {2, 0}, 0},  {{0, -1}, {0, 2}, 0},
        {{-2, -2}, {4, 4}, 0}, {{-1, -1}, {2, 3}, 0}, {{-1, -2}, {2, 3}, 0},
    };
    struct text_map map;
    compile_room(&map, false, vec3(20, 36, 52), vec3(276, 164, 116));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bsp_face face = map.bsp->faces[0];
        for (int k = 0; k < 2; k++) {
            face.lightmap_mins[k] += rows[i].mins[k];
            face.lightmap_size[k] += rows[i].size[k];
        }
        assert_int_equal(lightmap_extent_of(map.bsp, &face).border, rows[i].border);
    }
    text_map_free(&map);
}

/* Their luxels are spread over all of the surface: one more would only be a finer grid. */
static void displacements_have_none(void **state)
{
    (void)state;
    struct compiled maps[2];
    struct vbsp_options options = vbsp_defaults;
    int found = 0;
    for (int border = 0; border < 2; border++) {
        options.lightmap_border = border;
        compiled_open(&maps[border], "displacements.vmf", &options);
        assert_int_equal(maps[border].status, STATUS_OK);
    }
    const struct bsp *plain = maps[0].out.bsp, *bordered = maps[1].out.bsp;
    assert_int_equal(arrlen(plain->displacements), arrlen(bordered->displacements));
    for (ptrdiff_t i = 0; i < arrlen(plain->displacements); i++, found++) {
        const struct bsp_face *a = &plain->faces[plain->displacements[i].face];
        const struct bsp_face *b = &bordered->faces[bordered->displacements[i].face];
        assert_memory_equal(a->lightmap_size, b->lightmap_size, sizeof a->lightmap_size);
        assert_int_equal(lightmap_extent_of(bordered, b).border, 0);
    }
    assert_true(found > 0);
    for (int border = 0; border < 2; border++)
        compiled_free(&maps[border]);
}

SUITE(test_lightmap_border)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lightmaps_have_a_luxel_more_on_each_side),
        cmocka_unit_test(faces_are_cut_smaller_for_the_limit),
        cmocka_unit_test(cuts_keep_luxels_whole),
        cmocka_unit_test(only_a_whole_border_is_one),
        cmocka_unit_test(displacements_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
