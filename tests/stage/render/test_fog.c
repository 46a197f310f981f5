/* Fog of Quake 3, and shaders at a moment: closed forms of what ioquake3 shows. */
#include "tests/support/suite.h"

#include "common/core/memory.h"
#include "scene/light/fog.h"
#include "scene/materials/layers.h"
#include "tests/support/near.h"

/* A pool of fog below z = 0 that hides all at 100 units. */
static const struct fog_volume pool = {
    .present = true, .distance = 100, .has_top = true, .top = {.e = {0, 0, 1}}};

static double hidden(struct vec3 eye, struct vec3 point)
{
    double depth = vec3_length(vec3_sub(point, eye));
    return (double)fog_share(&pool, depth, fog_part(&pool, eye, point));
}

static void fog_counts_from_its_top(void **state)
{
    (void)state;
    /* The square root of the way in the fog. */
    assert_near(hidden(vec3(0, 0, 30), vec3(0, 0, -25)), 0.5, 1e-6);
    assert_near(hidden(vec3(0, 0, 30), vec3(0, 0, -64)), 0.8, 1e-6);
    assert_near(hidden(vec3(0, 0, 30), vec3(0, 0, -200)), 1, 1e-6);
    assert_near(hidden(vec3(0, 0, 30), vec3(50, 0, 10)), 0, 1e-6);
}

static void fog_counts_from_an_eye_in_it(void **state)
{
    (void)state;
    assert_near(hidden(vec3(0, 0, -10), vec3(36, 0, -10)), 0.6, 1e-6);
    assert_near(hidden(vec3(0, 0, -10), vec3(0, 0, 40)), 0, 1e-6);
}

static struct blended drawn(const struct layer_list *list, double share)
{
    struct layer_point point = {
        .light = {1, 1, 1}, .opacity = 1, .fog = {.colour = {0, 0, 1}, .share = (float)share}};
    struct blended blended = blended_none;
    layers_over(list, &point, &blended);
    return blended;
}

static void fog_hides_what_covers_and_fades_what_is_added(void **state)
{
    (void)state;
    struct vtf_image image = {1, 1, memory_alloc(4)}; /* the texture takes its pixels */
    memset(image.rgba, 255, 4);
    struct texture *texture = texture_new(&image);
    struct screen screen;
    screen_fill(&screen);
    const struct shader_stage covers = {.image_count = 1},
                              added = {.has_blend = true, .blend = {BLEND_ONE, BLEND_ONE}},
                              brightens = {.has_blend = true,
                                           .blend = {BLEND_DST_COLOR, BLEND_ONE}};
    struct layer_list list = {.screen = &screen, .count = 1};
    list.layers[0] = layer_of(&covers, texture, 0);
    struct blended seen = drawn(&list, 0.75);
    assert_near((double)seen.added[0], 0.25, 1e-3);
    assert_near((double)seen.added[2], 1, 1e-3);
    list.layers[0] = layer_of(&added, texture, 0);
    seen = drawn(&list, 0.75);
    assert_near((double)seen.added[2], 0.25, 1e-3);
    assert_near((double)seen.kept[0], 1, 1e-3);
    list.layers[0] = layer_of(&brightens, texture, 0);
    seen = drawn(&list, 0);
    assert_near((double)seen.kept[0], 2, 1e-3);
    texture_free(texture);
}

static void changes_follow_the_moment(void **state)
{
    (void)state;
    struct shader_stage stage = {.change_count = 2,
                                 .changes = {{"scroll", {0.25, -0.5}}, {"rotate", {90}}},
                                 .brightness = {"square", {0.5, 0.25, 0, 1}},
                                 .images = {"a", "b", "c"},
                                 .image_count = 3,
                                 .frequency = 2};
    struct layer still = layer_of(&stage, NULL, 0), later = layer_of(&stage, NULL, 1);
    assert_near((double)still.change[0][2], 0, 1e-6);
    assert_near((double)still.colour[0], 0.75, 1e-6);
    /* A quarter of a turn: u is what v was, and v the rest of u. */
    assert_near((double)later.change[0][1], 1, 1e-6);
    assert_near((double)later.change[1][0], -1, 1e-6);
    assert_near((double)later.change[0][2], 0.5, 1e-6);
    assert_near((double)later.change[1][2], 0.75, 1e-6);
    assert_near((double)layer_of(&stage, NULL, 0.75).colour[0], 0.25, 1e-6);
    assert_string_equal(stage_image_at(&stage, 0), "a");
    assert_string_equal(stage_image_at(&stage, 1.2), "c");
    assert_string_equal(stage_image_at(&stage, 1.7), "a");
}

static void shaders_move_vertices(void **state)
{
    (void)state;
    const struct layer_list list = {
        .deform_count = 2,
        .deforms = {{.way = {0, 0, 10}, .wave = {"sin", {1, 2, 0, 0.25}}},
                    {.spread = 1 / 100.0, .wave = {"sawtooth", {0, 8, 0.25, 0}}}}};
    /* One moves by 1 + 2 ten units up, the other by its place along the normal. */
    struct vec3 moved = layers_move(&list, 1, vec3(20, 10, -5), vec3(1, 0, 0));
    assert_near(moved.z, -5 + 30, 1e-6);
    assert_near(moved.x, 20 + 8 * (0.25 + 0.25), 1e-6);
    assert_near(moved.y, 10, 1e-6);
}

SUITE(test_fog)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fog_counts_from_its_top),
        cmocka_unit_test(fog_counts_from_an_eye_in_it),
        cmocka_unit_test(fog_hides_what_covers_and_fades_what_is_added),
        cmocka_unit_test(changes_follow_the_moment),
        cmocka_unit_test(shaders_move_vertices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
