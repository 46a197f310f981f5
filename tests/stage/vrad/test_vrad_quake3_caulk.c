/* Light and undrawn brushes: structural caulk stops it, detail caulk lets it pass. */
#include "tests/support/suite.h"

#include "tests/support/vbsp/q3_map.h"
#include "vrad/vrad.h"

/* Number of lit cells of the light grid in a room with a lamp on one side of a wall of caulk. */
static int lit_cells(bool detail, bool wall)
{
    struct text_map map;
    int lit = 0;
    q3_map_init(&map);
    bytes_append_text(&map.text, "\"gridsize\" \"32 32 32\"\n");
    q3_map_room(&map, vec3(0, 0, 0), vec3(512, 256, 128));
    if (wall && detail)
        q3_map_detail_box(&map, vec3(248, 0, 0), vec3(264, 256, 128), "common/caulk");
    else if (wall)
        q3_map_box(&map, vec3(248, 0, 0), vec3(264, 256, 128), "common/caulk");
    q3_map_entity(&map, "light", "\"origin\" \"224 128 64\"\n\"light\" \"500\"");
    q3_map_player(&map, "64 128 32");
    q3_map_entity(&map, "info_player_deathmatch", "\"origin\" \"448 128 32\"");
    q3_map_run(&map, STATUS_OK);
    struct vrad_options options = vrad_defaults;
    options.bounce = 0;
    options.quake3.notes = &map.out.notes;
    assert_int_equal(vrad_run(&map.env, &options, NULL, map.assets, map.bsp), STATUS_OK);
    for (ptrdiff_t i = 0; i < arrlen(map.bsp->light_grid); i++)
        lit += map.bsp->light_grid[i].directed[0] > 0;
    text_map_free(&map);
    return lit;
}

static void structural_caulk_stops_light(void **state)
{
    (void)state;
    int open = lit_cells(false, false);
    assert_in_range(lit_cells(true, true), open * 9 / 10, open);
    assert_in_range(lit_cells(false, true), open * 2 / 5, open * 3 / 5);
}

SUITE(test_vrad_quake3_caulk)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structural_caulk_stops_light),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
