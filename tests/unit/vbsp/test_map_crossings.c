/* Levels of one engine family compiled for the other: conversion of tools, lights and player
 * starts. */
#include "tests/support/suite.h"

#include "common/core/array.h"
#include "common/core/strings.h"
#include "tests/support/near.h"
#include "tests/support/quake3_game.h"
#include "vbsp/level/adapt/adapt.h"

/* ---- shaders for tools of Source ---- */

static void test_tools_are_shaders(void **state)
{
    static const struct {
        const char *tool, *shader;
        int flags, contents;
    } cases[] = {
        {"textures/tools/toolsclip", "textures/common/clip", 0, Q3_CONTENTS_PLAYERCLIP},
        {"textures/TOOLS/TOOLSCLIP_WOOD", "textures/common/clip", 0, Q3_CONTENTS_PLAYERCLIP},
        {"textures/tools/toolsinvisible", "textures/common/weapclip", Q3_SURFACE_NODRAW,
         Q3_CONTENTS_SOLID},
        {"textures/tools/toolsblockbullets", "textures/common/weapclip", Q3_SURFACE_NODRAW,
         Q3_CONTENTS_SOLID},
        {"textures/tools/toolsblack", "textures/common/caulk", Q3_SURFACE_NODRAW,
         Q3_CONTENTS_SOLID},
        {"textures/tools/toolsskybox", "textures/tools/toolsskybox", Q3_SURFACE_SKY,
         Q3_CONTENTS_SOLID},
        {"textures/tools/toolsskybox2d", "textures/tools/toolsskybox", Q3_SURFACE_SKY,
         Q3_CONTENTS_SOLID},
        {"textures/tools/toolsinvisibleladder", "textures/tools/toolsinvisibleladder",
         Q3_SURFACE_LADDER, Q3_CONTENTS_PLAYERCLIP},
        {"textures/tools/toolshint", "textures/common/hint", Q3_SURFACE_HINT, 0},
    };
    struct quake3_game *game = *state;
    quake3_add(game, "q/baseq3/scripts/a.shader",
               "textures/tools/toolsskip\n{\nsurfaceparm water\n}\n");
    quake3_open(game, "q");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct shader *shader = assets_shader(game->assets, cases[i].tool);
        assert_string_equal(shader->name, cases[i].shader);
        assert_int_equal(shader->surface_flags & cases[i].flags, cases[i].flags);
        assert_int_equal(shader->contents & cases[i].contents, cases[i].contents);
        assert_false(shader->missing);
    }
    /* Values that the game sets itself are kept. */
    const struct shader *own = assets_shader(game->assets, "textures/tools/toolsskip");
    assert_string_equal(own->name, "textures/tools/toolsskip");
    assert_int_equal(own->contents & Q3_CONTENTS_WATER, Q3_CONTENTS_WATER);
    assert_true(assets_shader(game->assets, "textures/tools/toolsunknown")->missing);
}

/* ---- VMF for Quake 3 ---- */

static const char vmf[] =
    "world\n{\n\"id\" \"1\"\n\"classname\" \"worldspawn\"\n}\n"
    "entity\n{\n\"id\" \"2\"\n\"classname\" \"light\"\n\"origin\" \"1 2 3\"\n"
    "\"_light\" \"255 128 0 300\"\n}\n"
    "entity\n{\n\"id\" \"3\"\n\"classname\" \"light_spot\"\n\"origin\" \"0 0 100\"\n"
    "\"_light\" \"255 255 255 150\"\n\"angles\" \"0 90 0\"\n\"pitch\" \"-90\"\n\"_cone\" "
    "\"45\"\n}\n"
    "entity\n{\n\"id\" \"4\"\n\"classname\" \"light_environment\"\n\"origin\" \"0 0 50\"\n"
    "\"_light\" \"255 255 255 200\"\n\"pitch\" \"-45\"\n\"angles\" \"0 180 0\"\n}\n"
    "entity\n{\n\"id\" \"5\"\n\"classname\" \"info_player_terrorist\"\n\"origin\" \"9 9 9\"\n}\n"
    "entity\n{\n\"id\" \"6\"\n\"classname\" \"light_spot\"\n\"origin\" \"0 0 0\"\n"
    "\"_light\" \"255 255 255 150\"\n\"target\" \"there\"\n\"_cone\" \"45\"\n}\n"
    "entity\n{\n\"id\" \"7\"\n\"classname\" \"info_target\"\n\"targetname\" \"there\"\n"
    "\"origin\" \"0 30 40\"\n}\n"
    "entity\n{\n\"id\" \"8\"\n\"classname\" \"light\"\n\"_light\" \"odd\"\n}\n";

static const struct entity *target_of(const struct level *map, const struct entity *keys)
{
    for (size_t i = 0; i < arrlenu(map->entities); i++)
        if (str_equal_nocase(entity_value(&map->entities[i].keys, "targetname"),
                             entity_value(keys, "target")))
            return &map->entities[i].keys;
    return NULL;
}

static void test_lights_of_source(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct level map;
    struct vec3 v;
    assert_int_equal(vmf_parse(vmf, sizeof vmf - 1, "m.vmf", diag, &map), STATUS_OK);
    adapt_to_quake3(&map, diag);
    const struct map_entity *e = map.entities;
    /* 300 at 100 units are 400 of 7500 over the square. */
    assert_near(entity_number(&e[1].keys, "light", 0), 400, 1e-3);
    assert_true(entity_vector(&e[1].keys, "_color", &v));
    assert_near(v.x, 1, 1e-6);
    assert_near(v.y, pow(128 / 255.0, 2.2), 1e-5);
    assert_near(v.z, 0, 1e-6);
    assert_false(entity_has(&e[1].keys, "_light"));
    /* Downwards, as wide as far. */
    assert_string_equal(entity_value(&e[2].keys, "classname"), "light");
    const struct entity *target = target_of(&map, &e[2].keys);
    assert_non_null(target);
    assert_true(entity_vector(target, "origin", &v));
    assert_near(v.z, 0, 1e-6);
    assert_near(entity_number(&e[2].keys, "radius", 0), 100, 1e-6);
    /* The sun shines towards its target. */
    assert_near(entity_number(&e[3].keys, "_sun", 0), 1, 0);
    assert_near(entity_number(&e[3].keys, "light", 0), 200, 1e-6);
    target = target_of(&map, &e[3].keys);
    assert_non_null(target);
    assert_true(entity_vector(target, "origin", &v));
    assert_near(v.x, -100 * sqrt(0.5), 1e-4);
    assert_near(v.z, 50 - 100 * sqrt(0.5), 1e-4);
    assert_string_equal(entity_value(&e[4].keys, "classname"), "info_player_deathmatch");
    /* One that aims keeps its target. */
    assert_string_equal(entity_value(&e[5].keys, "target"), "there");
    assert_near(entity_number(&e[5].keys, "radius", 0), 50, 1e-6);
    assert_string_equal(entity_value(&e[7].keys, "_light"), "odd");
    level_free(&map);
    diag_free(diag);
}

/* ---- MAP for Source ---- */

#define BOX(shader, side)                                                                          \
    "{\n( 0 0 0 ) ( 0 1 0 ) ( 0 0 1 ) " side " 0 0 0 1 1 0 0 0\n"                                  \
    "( 64 0 0 ) ( 64 0 1 ) ( 64 1 0 ) " shader " 0 0 0 1 1 0 0 0\n"                                \
    "( 0 0 0 ) ( 0 0 1 ) ( 1 0 0 ) " shader " 0 0 0 1 1 0 0 0\n"                                   \
    "( 0 64 0 ) ( 1 64 0 ) ( 0 64 1 ) " shader " 0 0 0 1 1 0 0 0\n"                                \
    "( 0 0 0 ) ( 1 0 0 ) ( 0 1 0 ) " shader " 0 0 0 1 1 0 0 0\n"                                   \
    "( 0 0 64 ) ( 0 1 64 ) ( 1 0 64 ) " shader " 0 0 0 1 1 0 0 0\n}\n"

static const char map_text[] = "{\n\"classname\" \"worldspawn\"\n" BOX("base/wall", "base/wall")
    BOX("common/lightgrid", "common/lightgrid") BOX("common/clusterportal", "common/nodrop")
        BOX("common/caulk", "common/areaportal") BOX("common/Full_Clip", "common/full_clip")
            BOX("common/donotenter", "base/wall") "}\n";

static void test_tools_of_quake(void **state)
{
    (void)state;
    struct diag *diag = diag_new(NULL, NULL);
    struct level map;
    assert_int_equal(map_parse(map_text, sizeof map_text - 1, "m.map", diag, &map), STATUS_OK);
    assert_int_equal(arrlen(map.entities[0].solids), 6);
    adapt_to_source(&map, diag);
    /* Hints for bots and the light grid are no brushes of Source. */
    const struct map_solid *solids = map.entities[0].solids;
    assert_int_equal(arrlen(solids), 3);
    assert_string_equal(solids[0].sides[0].material, "base/wall");
    assert_string_equal(solids[1].sides[0].material, "tools/toolsclip");
    assert_string_equal(solids[2].sides[1].material, "tools/toolsskip");
    /* A portal of the world is an entity of its own there. */
    assert_int_equal(arrlen(map.entities), 2);
    assert_string_equal(entity_value(&map.entities[1].keys, "classname"), "func_areaportal");
    assert_int_equal(arrlen(map.entities[1].solids), 1);
    for (int i = 0; i < 6; i++)
        assert_string_equal(map.entities[1].solids[0].sides[i].material, "tools/toolsareaportal");
    level_free(&map);
    diag_free(diag);
}

SUITE(test_map_crossings)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_tools_are_shaders, quake3_game_new, quake3_game_free),
        cmocka_unit_test(test_lights_of_source),
        cmocka_unit_test(test_tools_of_quake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
