/* Items of players, drawn in maps of Quake 3. */
#include "tests/support/suite.h"

#include "common/bsp/light_grid.h"
#include "common/diag/codes/mesh_models.def"
#include "tests/support/ibsp_room.h"
#include "tests/support/mesh_files.h"
#include "tests/support/quake3_game.h"
#include "tests/support/render/render_shot.h"

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
    static const uint8_t orange[4] = {200, 100, 50, 255};
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

SUITE(test_render_items)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_lie_on_the_ground),
        cmocka_unit_test(others_are_not_drawn),
        cmocka_unit_test(the_grid_lights_them),
        cmocka_unit_test(shaders_have_the_names_of_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
