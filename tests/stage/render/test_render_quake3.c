/* Pictures of Quake 3 maps. */
#include "tests/support/suite.h"

#include "tests/support/ibsp_room.h"
#include "tests/support/quake3_game.h"
#include "tests/support/render/render_shot.h"

/* Lightmaps hold a quarter of white, which is full brightness; other surfaces have vertex light. */
static void quake3_has_lightmaps(void **state)
{
    (void)state;
    struct shot shot = shot_of(ibsp_room(1));
    struct scene_view view;
    prepare(&shot);
    draw(&shot, "-64 0 -60 0 180");
    assert_pixel(&shot, MIDDLE, MIDDLE, 0.5, 0.5, 0.5);
    draw(&shot, "-30 0 60 90 0"); /* the door, lit by its vertices */
    assert_pixel(&shot, MIDDLE, MIDDLE, 0.5 * pow(200 / 255.0, 2.2), 0.5 * pow(180 / 255.0, 2.2),
                 0.5 * pow(160 / 255.0, 2.2));
    assert_true(scene_start_view(&shot.render->scene, &view));
    assert_near(view.eye.x, -64, 0);
    shot_free(&shot);
}

/* The image of a stage is drawn, not the editor image, with the lightmap. */
static void textures_of_a_game_are_drawn(void **state)
{
    (void)state;
    static const uint8_t drawn[4] = {200, 100, 50, 255}, shown_in_editor[4] = {0, 0, 255, 255};
    struct shot shot = shot_of(ibsp_room(1));
    struct quake3_game game = {.env = shot.env};
    char script[512];
    snprintf(script, sizeof script,
             "%s\n{\nqer_editorimage textures/e.tga\n{\nmap $lightmap\n}\n"
             "{\nmap textures/d\nblendfunc filter\n}\n}\n",
             shot.bsp->shaders[0].name);
    quake3_add(&game, "q/baseq3/scripts/a.shader", script);
    quake3_add_tga(&game, "q/baseq3/textures/d.tga", 4, 4, drawn);
    quake3_add_tga(&game, "q/baseq3/textures/e.tga", 4, 4, shown_in_editor);
    const struct assets_options look_up = {.game = "q"};
    assert_int_equal(assets_open(&shot.env, &look_up, &shot.assets), STATUS_OK);
    assert_int_equal(render_open(&shot.env, shot.assets, shot.bsp, &shot.options, &shot.render),
                     STATUS_OK);
    draw(&shot, "-64 0 -60 0 180");
    assert_pixel(&shot, MIDDLE, MIDDLE, pow(200 / 255.0, 2.2), pow(100 / 255.0, 2.2),
                 pow(50 / 255.0, 2.2));
    shot_free(&shot);
}

SUITE(test_render_quake3)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quake3_has_lightmaps),
        cmocka_unit_test(textures_of_a_game_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
