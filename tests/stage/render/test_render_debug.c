/* Debug pictures of a room, also of one without a tree, as levels of other games are. */
#include "tests/support/suite.h"

#include "common/core/portable_math.h"
#include "render/debug/debug.h"
#include "scene/light/gamma.h"
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

/* Bytes of light: a table gives those of the power, at every place where they change. */

static unsigned power(double light)
{
    return (unsigned)floor(
        255 * portable_pow(portable_fmin(portable_fmax(light, 0), 1), 1 / GAMMA) + 0.5);
}

/* A neighbour of a positive double, this many numbers away. */
static double beside(double value, int64_t steps)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits += steps;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

static void assert_same(const struct gamma_table *table, double light)
{
    assert_int_equal(gamma_table_byte(table, light), power(light));
    assert_int_equal(gamma_byte(light), power(light));
}

/* The power rounds: some bytes change a few numbers beside the threshold. */
static void bytes_change_where_those_of_the_power_do(void **state)
{
    (void)state;
    struct gamma_table table;
    gamma_table_fill(&table);
    for (int i = 1; i < 256; i++)
        for (int64_t step = -300; step <= 300; step++) {
            assert_same(&table, beside(table.thresholds[i], step));
            assert_same(&table, beside(table.thresholds[i], step * (1 << 20)));
        }
    for (int i = 0; i <= GAMMA_STEPS; i++)
        for (int64_t step = -3; step <= 3 && i > 0; step++)
            assert_same(&table, beside((double)i / (double)GAMMA_STEPS, step));
}

static void bytes_of_any_light_are_those_of_the_power(void **state)
{
    (void)state;
    static const double odd[] = {0, -0.0, -1, 1, 2, 1e-300, HUGE_VAL, -HUGE_VAL, (double)NAN};
    struct gamma_table table;
    gamma_table_fill(&table);
    for (int i = 0; i < 200000; i++)
        assert_same(&table, i / 199999.0);
    for (int i = 0; i < 65536; i++) /* light of luxels, bytes scaled */
        assert_same(&table, (double)((float)(i % 256) * (float)(i / 256)) / 255 / 255);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        assert_same(&table, odd[i]);
}

SUITE(test_render_debug)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_have_the_colour_of_their_mode),
        cmocka_unit_test(a_map_without_a_tree_is_grey),
        cmocka_unit_test(bytes_change_where_those_of_the_power_do),
        cmocka_unit_test(bytes_of_any_light_are_those_of_the_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
