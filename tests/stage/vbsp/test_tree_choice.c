/* The choice of a splitter does not depend on rounding errors. */
#include "tests/support/suite.h"

#include "tests/support/vbsp/text_map.h"

/* A wall from x = 0 to 224 or along y, whose ends are cut at 45 degrees as a picture's frame is. */
static void put_mitred(struct text_map *map, bool along_y)
{
    static const double along_x[BOX_SIDES][9] = {
        {0, 32, 64, 224, 32, 64, 224, 0, 64}, {0, 0, 0, 224, 0, 0, 224, 32, 0},
        {224, 0, 0, 0, 0, 0, 0, 0, 64},       {192, 32, 64, 32, 32, 64, 32, 32, 0},
        {0, 0, 0, 32, 32, 0, 32, 32, 64},     {192, 32, 0, 224, 0, 0, 224, 0, 64},
    };
    bytes_append_text(&map->text, "solid { id %d\n", ++map->ids);
    for (int i = 0; i < BOX_SIDES; i++) {
        double side[9];
        for (int j = 0; j < 9; j++) {
            int point = along_y ? 2 - j / 3 : j / 3, axis = j % 3;
            int from = along_y && axis < 2 ? 1 - axis : axis;
            side[j] = along_x[i][3 * point + from] + (axis < 2 ? 256 : 0);
        }
        text_map_side(map, side, "wall");
    }
    bytes_append_text(&map->text, "}\n");
}

static ptrdiff_t nodes_of_frame_at(double shift)
{
    const struct text_move move = {{0, 1, 2}, {1, 1, 1}, {shift, shift, 0}};
    struct text_map map;
    text_map_init(&map);
    map.move = &move;
    text_map_room(&map, vec3(32, 32, 0), vec3(640, 640, 256));
    put_mitred(&map, false);
    put_mitred(&map, true);
    text_map_entity(&map, "info_player_start", "origin \"128 128 128\"");
    text_map_compile(&map, STATUS_OK);
    ptrdiff_t count = arrlen(map.bsp->nodes);
    text_map_free(&map);
    return count;
}

static void a_frame_has_as_many_nodes_wherever_it_stands(void **state)
{
    (void)state;
    ptrdiff_t count = nodes_of_frame_at(0);
    for (int i = 1; i < 40; i++) {
        ptrdiff_t moved = nodes_of_frame_at(i * 0.32);
        if (moved != count)
            print_message("%d: %td nodes in place of %td\n", i, moved, count);
        assert_int_equal(moved, count);
    }
}

SUITE(test_tree_choice)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_has_as_many_nodes_wherever_it_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
