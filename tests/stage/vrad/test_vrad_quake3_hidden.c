/* Hidden luxels of Quake 3 surfaces take the light of visible ones, so that filtering does not
 * darken edges. */
#include "tests/support/suite.h"

#include "common/geom/vec.h"
#include "tests/support/vbsp/q3_map.h"
#include "tests/support/vrad/quake3_room.h"
#include "vrad/vrad.h"

static const char light_entity[] = "{\n\"classname\" \"light\"\n\"origin\" \"-40 0 40\"\n"
                                   "\"light\" \"100\"\n}\n";

/* A floor that extends for four luxels under the wall at +x, as convex hulls of visible parts
 * do. */
static void test_under_wall(void **state)
{
    (void)state;
    struct quake3_room room = open_room("", light_entity);
    struct bsp *bsp = room.bsp;
    for (int i = 0; i < 4; i++) {
        float *p = bsp->draw_vertices[bsp->surfaces[FLOOR].first_vertex + i].p;
        if (p[0] > 0)
            p[0] = 192;
    }
    light_room(&room);
    for (int t = 1; t < 16; t++) {
        int last = floor_luxel(bsp, 15, t);
        assert_true(last > 5);
        for (int s = 16; s <= 20; s++) {
            assert_in_range(floor_luxel(bsp, s, t), last * 3 / 4, last * 5 / 4);
        }
    }
    close_room(&room);
}

/* A concave curve from the floor's middle, which it touches along a line, up the wall at +x. */
static struct quake3_room hollow(bool upwards)
{
    struct quake3_room room = open_room("", light_entity);
    struct bsp *bsp = room.bsp;
    const struct bsp_surface *patch = &bsp->surfaces[PATCH];
    static const float across[3][2] = {{0, -128}, {128, -128}, {128, 0}};
    for (int i = 0; i < 9; i++) {
        struct bsp_draw_vertex *vertex = &bsp->draw_vertices[patch->first_vertex + i];
        float side = upwards ? 1.0f : -1.0f;
        static const float normals[3][2] = {{0, 1}, {-0.7071f, 0.7071f}, {-1, 0}};
        vertex->p[0] = across[i % 3][0];
        vertex->p[1] = 128 * (float)(i / 3 - 1);
        vertex->p[2] = across[i % 3][1];
        vertex->normal[0] = side * normals[i % 3][0];
        vertex->normal[1] = 0;
        vertex->normal[2] = side * normals[i % 3][1];
    }
    bsp->surfaces[PATCH].shader = 0;
    return room;
}

static void test_behind_curve(void **state)
{
    (void)state;
    struct quake3_room room = hollow(true), again = hollow(true);
    const struct bsp *bsp = room.bsp, *other = again.bsp;
    again.env.threads = 3;
    light_room(&room);
    light_room(&again);
    for (int t = 2; t < 15; t++) {
        int last = floor_luxel(bsp, 7, t);
        assert_true(last > 10);
        for (int s = 8; s < 17; s++)
            assert_in_range(floor_luxel(bsp, s, t), last * 3 / 4, last * 5 / 4);
    }
    assert_int_equal(bsp->ldr.lighting.size, other->ldr.lighting.size);
    assert_memory_equal(bsp->ldr.lighting.data, other->ldr.lighting.data, bsp->ldr.lighting.size);
    close_room(&room);
    close_room(&again);
}

/* Flipped, the same curve is a vault seen from inside: the floor below is visible and dark. */
static void test_below_vault(void **state)
{
    (void)state;
    struct quake3_room room = hollow(false);
    room.options.quake3.patch_shadows = true;
    light_room(&room);
    for (int t = 2; t < 15; t++)
        for (int s = 11; s < 16; s++)
            assert_int_equal(floor_luxel(room.bsp, s, t), 0);
    close_room(&room);
}

/* Light and undrawn brushes: structural caulk stops it, detail caulk lets it pass. */

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

SUITE(test_vrad_quake3_hidden)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_under_wall),
        cmocka_unit_test(test_behind_curve),
        cmocka_unit_test(test_below_vault),
        cmocka_unit_test(structural_caulk_stops_light),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
