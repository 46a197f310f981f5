/* Debug pictures of a room, also of one without a tree, as levels of other games are. */
#include "tests/support/suite.h"

#include "render/debug/debug.h"
#include "tests/support/render/render_room.h"

static void draw_debug(struct shot *shot, enum debug_mode mode)
{
    const struct debug_source source = {.mode = mode, .place = {.e = {128, 128, 128}}};
    struct scene_view view;
    assert_true(scene_view_read("128 128 128 90 0", &view));
    memory_free(shot->pixels);
    shot->pixels = debug_draw(shot->render, &source, &view);
}

/* The floor is seen; the picture is too small for a legend. */
static void assert_middle(const struct shot *shot, int r, int g, int b)
{
    const int wanted[3] = {r, g, b};
    for (int k = 0; k < 3; k++)
        assert_near(pixel(shot, MIDDLE, MIDDLE)[k], wanted[k], 1);
}

static void surfaces_have_the_colour_of_their_mode(void **state)
{
    (void)state;
    struct shot shot = shot_of(plain_room(NULL));
    light_evenly(shot.bsp, 255);
    prepare(&shot);
    draw_debug(&shot, DEBUG_NORMALS);
    assert_middle(&shot, 127, 127, 255);
    draw_debug(&shot, DEBUG_OVERDRAW); /* one surface of eight that differ */
    assert_middle(&shot, 26, 89, 145);
    draw_debug(&shot, DEBUG_LIGHTS); /* the map has none */
    assert_middle(&shot, 22, 28, 90);
    draw_debug(&shot, DEBUG_SEAMS);
    assert_middle(&shot, 114, 114, 114); /* white light, dimmed */
    draw_debug(&shot, DEBUG_PVS);
    assert_middle(&shot, 255, 220, 90);
    shot_free(&shot);
}

static void a_map_without_a_tree_is_grey(void **state)
{
    (void)state;
    struct shot shot = shot_of(plain_room(NULL));
    light_evenly(shot.bsp, 255);
    arrsetlen(shot.bsp->leaves, 0);
    arrsetlen(shot.bsp->nodes, 0);
    prepare(&shot);
    draw_debug(&shot, DEBUG_CLUSTERS);
    assert_middle(&shot, 60, 60, 60);
    draw_debug(&shot, DEBUG_LEAVES);
    assert_middle(&shot, 60, 60, 60);
    draw_debug(&shot, DEBUG_OVERDRAW); /* all is visible */
    assert_middle(&shot, 26, 89, 145);
    draw_debug(&shot, DEBUG_PVS);
    assert_middle(&shot, 150, 205, 155);
    shot_free(&shot);
}

SUITE(test_render_debug)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_have_the_colour_of_their_mode),
        cmocka_unit_test(a_map_without_a_tree_is_grey),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
