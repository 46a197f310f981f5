/* Pictures of Quake 3 maps. */
#include "tests/support/suite.h"

#include "tests/support/ibsp_room.h"
#include "tests/support/quake3_game.h"
#include "tests/support/render/render_shot.h"

/* Lightmaps hold a quarter of white, which is full brightness; other surfaces have vertex light, of
 * which the same holds: what is brighter keeps its hue. */
static void quake3_has_lightmaps(void **state)
{
    (void)state;
    struct shot shot = shot_of(ibsp_room(1));
    struct scene_view view;
    prepare(&shot);
    draw(&shot, "-64 0 -60 0 180");
    assert_pixel(&shot, MIDDLE, MIDDLE, 0.5, 0.5, 0.5);
    draw(&shot, "-30 0 60 90 0"); /* the door, lit by its vertices */
    assert_pixel(&shot, MIDDLE, MIDDLE, 0.5, 0.5 * pow(180 / 200.0, 2.2),
                 0.5 * pow(160 / 200.0, 2.2));
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

/* A solid image for each letter of `script`'s textures. */
static void draw_shader(const char *script, const uint8_t first[4], const uint8_t second[4],
                        struct shot *shot)
{
    *shot = shot_of(ibsp_room(1));
    struct quake3_game game = {.env = shot->env};
    char text[512];
    snprintf(text, sizeof text, "%s\n{\n%s\n}\n", shot->bsp->shaders[0].name, script);
    quake3_add(&game, "q/baseq3/scripts/a.shader", text);
    quake3_add_tga(&game, "q/baseq3/textures/d.tga", 4, 4, first);
    quake3_add_tga(&game, "q/baseq3/textures/e.tga", 4, 4, second);
    const struct assets_options look_up = {.game = "q"};
    assert_int_equal(assets_open(&shot->env, &look_up, &shot->assets), STATUS_OK);
    assert_int_equal(
        render_open(&shot->env, shot->assets, shot->bsp, &shot->options, &shot->render), STATUS_OK);
    draw(shot, "-64 0 -60 0 180");
}

/* The share of a byte on the screen: the room's lightmap is white. */
static double screen(double byte)
{
    return pow(byte / 255, 2.2);
}

static const uint8_t orange[4] = {200, 100, 50, 255}, dim[4] = {100, 150, 80, 255};

/* Both parts of such a blending are the product: a detail image of half of white changes nothing.
 */
static void details_are_multiplied_twice(void **state)
{
    (void)state;
    struct shot shot;
    draw_shader("{\nmap textures/d\n}\n{\nmap textures/e\nblendfunc gl_dst_color gl_src_color\n}\n"
                "{\nmap $lightmap\nblendfunc filter\n}",
                orange, dim, &shot);
    assert_pixel(&shot, MIDDLE, MIDDLE, screen(2 * 200 * 100 / 255.0),
                 screen(2 * 100 * 150 / 255.0), screen(2 * 50 * 80 / 255.0));
    shot_free(&shot);
}

/* On the lightmap as on an image: light of half of white shows the image as it is. */
static void light_is_doubled_where_the_shader_says(void **state)
{
    (void)state;
    struct shot shot;
    draw_shader("{\nmap $lightmap\n}\n{\nmap textures/e\nblendfunc gl_dst_color gl_src_color\n}",
                orange, dim, &shot);
    assert_pixel(&shot, MIDDLE, MIDDLE, screen(200), screen(255), screen(160));
    shot_free(&shot);
}

static void images_are_added(void **state)
{
    (void)state;
    struct shot shot;
    draw_shader("{\nmap textures/d\n}\n{\nmap $lightmap\nblendfunc filter\n}\n"
                "{\nmap textures/e\nblendfunc add\n}",
                orange, dim, &shot);
    assert_pixel(&shot, MIDDLE, MIDDLE, 1, screen(250), screen(130));
    shot_free(&shot);
}

/* Behind black that is added, the sky outside of the room is seen. */
static void black_that_is_added_is_not_seen(void **state)
{
    (void)state;
    static const uint8_t black[4] = {0, 0, 0, 255};
    struct shot solid, added;
    draw_shader("{\nmap textures/d\n}", black, dim, &solid);
    draw_shader("{\nmap textures/d\nblendfunc add\n}", black, dim, &added);
    assert_pixel(&solid, MIDDLE, MIDDLE, 0, 0, 0);
    const unsigned char *behind = pixel(&added, MIDDLE, MIDDLE);
    assert_true(behind[0] > 60 && behind[2] > 60);
    shot_free(&solid);
    shot_free(&added);
}

static void constant_colours_and_coordinates_count(void **state)
{
    (void)state;
    struct shot shot;
    draw_shader("{\nmap textures/d\nrgbgen const ( 0.5 1 0 )\ntcmod scale 2 2\n}", orange, dim,
                &shot);
    assert_pixel(&shot, MIDDLE, MIDDLE, screen(100), screen(100), 0);
    shot_free(&shot);
}

/* A first stage that is not drawn, such as one with the light of other places, of which metal takes
 * a little, still hides what is behind the surface. */
static void surfaces_are_covered_by_their_first_stage(void **state)
{
    (void)state;
    static const char *const covers[] = {
        "{\nmap $lightmap\ntcgen environment\nrgbgen const ( 0.1 0.1 0.1 )\n}\n",
        "{\nmap $whiteimage\nrgbgen const ( 0 0 0 )\n}\n"};
    for (size_t i = 0; i < sizeof covers / sizeof *covers; i++) {
        struct shot shot;
        char script[512];
        snprintf(script, sizeof script,
                 "%s{\nmap textures/d\nblendfunc gl_one gl_src_alpha\n}\n"
                 "{\nmap $lightmap\nblendfunc filter\n}",
                 covers[i]);
        draw_shader(script, orange, dim, &shot);
        assert_pixel(&shot, MIDDLE, MIDDLE, screen(200), screen(100), screen(50));
        shot_free(&shot);
    }
}

SUITE(test_render_quake3)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quake3_has_lightmaps),
        cmocka_unit_test(textures_of_a_game_are_drawn),
        cmocka_unit_test(details_are_multiplied_twice),
        cmocka_unit_test(light_is_doubled_where_the_shader_says),
        cmocka_unit_test(images_are_added),
        cmocka_unit_test(black_that_is_added_is_not_seen),
        cmocka_unit_test(constant_colours_and_coordinates_count),
        cmocka_unit_test(surfaces_are_covered_by_their_first_stage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
