/* Pictures of Quake 3 maps. */
#include "tests/support/suite.h"

#include "common/bsp/light_grid.h"
#include "common/core/memory.h"
#include "common/diag/codes/mesh_models.def"
#include "scene/light/fog.h"
#include "scene/materials/layers.h"
#include "tests/support/ibsp_room.h"
#include "tests/support/mesh_files.h"
#include "tests/support/near.h"
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

/* Fog of Quake 3, and shaders at a moment: closed forms of what ioquake3 shows. */

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

/* Items of players, drawn in maps of Quake 3. */

/* The ground of the room, the part of an item's box below its middle, and how high it floats. */
enum { RESTS_AT = -ROOM_HALF + 15 + 4 };

static void name_first_shader(struct bytes *model, const char *name)
{
    unsigned char *surface = model->data + load_u32(model->data + 100);
    snprintf((char *)surface + load_u32(surface + 92), 64, "%s", name);
}

static const struct mesh *drawn_with(struct shot *shot, const char *keys, double seconds)
{
    char text[512];
    *shot = shot_of(ibsp_room(1));
    struct quake3_game game = {.env = shot->env};
    snprintf(text, sizeof text, "{\n%s\n}\n", keys);
    arrsetlen(shot->bsp->entities, arrlenu(shot->bsp->entities) - 1); /* its end */
    for (size_t i = 0; i <= strlen(text); i++)
        arrput(shot->bsp->entities, text[i]);
    struct bytes model = md3_square(1);
    name_first_shader(&model, "Floor");
    assert_int_equal(shot->env.fs->ops->write(shot->env.fs,
                                              "q/baseq3/models/powerups/armor/armor_red.md3",
                                              model.data, model.size),
                     0);
    bytes_free(&model);
    quake3_add(&game, "q/baseq3/scripts/a.shader", "floor\n{\n{\nmap textures/d\n}\n}\n");
    quake3_add_tga(&game, "q/baseq3/textures/d.tga", 4, 4, orange);
    shot->options.scene.seconds = seconds;
    const struct assets_options look_up = {.game = "q"};
    assert_int_equal(assets_open(&shot->env, &look_up, &shot->assets), STATUS_OK);
    assert_int_equal(
        render_open(&shot->env, shot->assets, shot->bsp, &shot->options, &shot->render), STATUS_OK);
    return &shot->render->scene.mesh;
}

static size_t surfaces_of_entity(const struct mesh *mesh, int entity)
{
    size_t count = 0;
    for (size_t i = 0; i < arrlenu(mesh->surfaces); i++)
        count += mesh->surfaces[i].entity == entity && mesh->surfaces[i].face < 0;
    return count;
}

static struct bounds bounds_of_item(const struct mesh *mesh)
{
    struct bounds bounds = bounds_empty();
    size_t count;
    const float *positions = trace_positions(mesh->trace, TRACE_FACE, &count);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            if (mesh->surfaces[mesh->triangles[i].surface].face < 0)
                bounds_add_point(&bounds, vec3_from_floats(positions + 9 * i + 3 * (size_t)k));
    return bounds;
}

static void items_lie_on_the_ground(void **state)
{
    (void)state;
    struct shot shot;
    const struct mesh *mesh =
        drawn_with(&shot, "\"classname\" \"item_armor_body\"\n\"origin\" \"-64 10 -60\"", 0);
    assert_int_equal(surfaces_of_entity(mesh, 3), 2);
    struct bounds bounds = bounds_of_item(mesh);
    assert_near(bounds.mins.x, -64, 1e-3);
    assert_near(bounds.maxs.x, 0, 1e-3);
    assert_near(bounds.maxs.y, 74, 1e-3);
    assert_near(bounds.mins.z, RESTS_AT, 1.01);
    shot_free(&shot);
    mesh = drawn_with(&shot,
                      "\"classname\" \"item_armor_body\"\n\"origin\" \"-64 10 -60\"\n"
                      "\"spawnflags\" \"1\"",
                      0.512); /* a quarter of a turn */
    bounds = bounds_of_item(mesh);
    assert_near(bounds.mins.z, -60 + 4, 1e-3);
    assert_near(bounds.mins.x, -128, 1e-3);
    assert_near(bounds.maxs.y, 74, 1e-3);
    shot_free(&shot);
}

static void others_are_not_drawn(void **state)
{
    static const char *const keys[] = {
        "\"classname\" \"item_armor_combat\"", /* its model is missing */
        "\"classname\" \"item_armor_body\"\n\"gametype\" \"ctf, oneflag\"",
        "\"classname\" \"item_armor_body\"\n\"notfree\" \"1\"",
    };
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct shot shot;
        const struct mesh *mesh = drawn_with(&shot, keys[i], 0);
        assert_int_equal(surfaces_of_entity(mesh, 3), 0);
        assert_int_equal(diag_count_code(shot.diag, DIAG_MESH_MODEL_BROKEN), 0);
        shot_free(&shot);
    }
}

/* As bright as the grid where the item is, and brighter where it faces the light. */
static void the_grid_lights_them(void **state)
{
    (void)state;
    struct shot shot;
    const struct mesh *mesh =
        drawn_with(&shot, "\"classname\" \"item_armor_body\"\n\"origin\" \"-64 10 -60\"", 0);
    const struct light_grid grid = light_grid_of(shot.bsp, vec3(0, 0, 0));
    const struct grid_light light = light_grid_at(shot.bsp, &grid, vec3(-64, 10, RESTS_AT));
    size_t found = 0;
    for (size_t i = 0; i < arrlenu(mesh->triangles); i++) {
        const struct triangle *triangle = &mesh->triangles[i];
        if (mesh->surfaces[triangle->surface].face >= 0)
            continue;
        double green = (double)triangle->corners[0][1];
        assert_int_equal(mesh->surfaces[triangle->surface].lit_by, LIT_BY_VERTICES);
        assert_true(green >= 255 * pow(4 * floor(light.ambient[1]) / 255, 2.2) - 1e-3);
        assert_true(green <= 255 * pow(4 * (light.ambient[1] + light.directed[1]) / 255, 2.2));
        found++;
    }
    assert_int_equal(found, 3);
    shot_free(&shot);
}

/* A name without a path is that of a shader, not of one beside the model. */
static void shaders_have_the_names_of_the_model(void **state)
{
    (void)state;
    struct shot shot;
    const struct mesh *mesh =
        drawn_with(&shot, "\"classname\" \"item_armor_body\"\n\"origin\" \"-64 10 -60\"", 0);
    size_t found = 0;
    for (size_t i = 0; i < arrlenu(mesh->surfaces); i++)
        found += mesh->surfaces[i].face < 0 && mesh->surfaces[i].entity == 3 &&
                 mesh->materials[mesh->surfaces[i].material].base;
    assert_int_equal(found, 1);
    shot_free(&shot);
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
        cmocka_unit_test(fog_counts_from_its_top),
        cmocka_unit_test(fog_counts_from_an_eye_in_it),
        cmocka_unit_test(fog_hides_what_covers_and_fades_what_is_added),
        cmocka_unit_test(changes_follow_the_moment),
        cmocka_unit_test(shaders_move_vertices),
        cmocka_unit_test(items_lie_on_the_ground),
        cmocka_unit_test(others_are_not_drawn),
        cmocka_unit_test(the_grid_lights_them),
        cmocka_unit_test(shaders_have_the_names_of_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
