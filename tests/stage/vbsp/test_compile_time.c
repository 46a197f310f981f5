/* Entities for the compilers: what is done with them, and what is told. */
#include "tests/support/suite.h"

#include "common/diag/codes/level_changes.def"
#include "tests/support/vbsp/text_map.h"

static void begin(struct text_map *map)
{
    text_map_init(map);
    text_map_room(map, vec3(0, 0, 0), vec3(256, 256, 128));
    text_map_entity(map, "info_player_start", "origin \"20 20 64\"");
}

static bool is_written(const struct text_map *map, const char *text)
{
    struct arena arena = {0};
    const char *lump = arena_strndup(&arena, map->bsp->entities, arrlenu(map->bsp->entities));
    bool found = strstr(lump, text) != NULL;
    arena_free(&arena);
    return found;
}

static size_t told(const struct text_map *map, const char *beginning)
{
    size_t count = 0;
    for (size_t i = 0; i < diag_entries(map->diag); i++) {
        const struct diag_entry *entry = diag_entry(map->diag, i);
        count += entry->code == DIAG_COMPILE_TIME_CLASS && strstr(entry->message, beginning);
    }
    return count;
}

/* One note for each class, also for those in instances; the postcompiler finds its entities. */
static void classes_of_other_tools_are_told_once(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    text_map_entity(&map, "comp_kv_setter", "origin \"40 40 40\" target lamp");
    text_map_entity(&map, "Comp_KV_setter", "origin \"40 50 40\" target lamp");
    text_map_entity(&map, "comp_relay", "origin \"40 60 40\"");
    text_map_entity(&map, "func_instance", "file inst origin \"64 64 32\"");
    const char *inst = "world { id 1 classname worldspawn }\n"
                       "entity { id 2 classname comp_kv_setter origin \"0 0 0\" }\n"
                       "entity { id 3 classname comp_entity_finder origin \"8 0 0\" }\n";
    text_map_put(&map, "maps/inst.vmf", inst);
    text_map_compile(&map, STATUS_OK);
    assert_int_equal(diag_count_code(map.diag, DIAG_COMPILE_TIME_CLASS), 3);
    assert_int_equal(told(&map, "\"comp_kv_setter\", used by 3 entities: the postcompiler"), 1);
    assert_int_equal(told(&map, "\"comp_relay\", used by 1 entity: the postcompiler"), 1);
    assert_int_equal(told(&map, "\"comp_entity_finder\", used by 1 entity: the postcompiler"), 1);
    assert_true(is_written(&map, "\"comp_kv_setter\""));
    assert_true(is_written(&map, "\"comp_entity_finder\""));
    text_map_free(&map);
}

/* The compiler reads the first and writes none, as Valve's; the second is an entity of the game. */
static void places_of_light_are_not_for_the_game(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    text_map_entity(&map, "info_lighting", "targetname lamp origin \"40 40 40\"");
    text_map_entity(&map, "info_lighting_relative", "targetname other origin \"40 50 40\"");
    text_map_compile(&map, STATUS_OK);
    assert_false(is_written(&map, "\"info_lighting\""));
    assert_true(is_written(&map, "\"info_lighting_relative\""));
    text_map_free(&map);
}

static void of_equal_keys_the_last_value_counts(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    text_map_entity(&map, "logic_relay",
                    "hammerid 4711 origin \"9 9 9\" targetname r ORIGIN \"40 40 40\" "
                    "OnTrigger \"a,Kill,,0,-1\" OnTrigger \"b,Kill,,0,-1\"");
    text_map_compile(&map, STATUS_OK);
    assert_true(is_written(&map,
                           "{\n\"targetname\" \"r\"\n\"origin\" \"40 40 40\"\n"
                           "\"classname\" \"logic_relay\"\n\"hammerid\" \"4711\"\n"
                           "\"OnTrigger\" \"a,Kill,,0,-1\"\n\"OnTrigger\" \"b,Kill,,0,-1\"\n}"));
    text_map_free(&map);
}

/* Keys without the effect that their author may expect are told once. */
static void keys_without_their_effect_are_told(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    text_map_entity(&map, "logic_relay",
                    "OnTrigger \"a,RunScriptCode,f(1,2),0,-1\" origin \"40 40 40\"");
    text_map_entity(&map, "logic_relay",
                    "OnTrigger \"a,RunScriptCode,f(1,2,3),0,-1\" origin \"40 40 40\"");
    text_map_entity(&map, "logic_relay",
                    "OnTrigger \"a\x1bRunScriptCode\x1b"
                    "f(1,2,3)\x1b"
                    "0\x1b-1\" OnUser1 \"a,b,,0,-1\" "
                    "origin \"40 40 40\"");
    text_map_entity(&map, "func_detail", "disableshadows 1");
    text_map_entity(&map, "func_detail", "disableshadows 0");
    text_map_compile(&map, STATUS_OK);
    assert_int_equal(diag_count_code(map.diag, DIAG_OUTPUT_COMMAS), 1);
    assert_int_equal(diag_count_code(map.diag, DIAG_DETAIL_SHADOWS), 1);
    for (size_t i = 0; i < diag_entries(map.diag); i++)
        if (diag_entry(map.diag, i)->code == DIAG_OUTPUT_COMMAS)
            assert_non_null(
                strstr(diag_entry(map.diag, i)->message, "OnTrigger of logic_relay (2 outputs)"));
    text_map_free(&map);
}

/* Classes that games know are not told, whatever its name is like; notes for people are not
 * written. */
static void classes_of_games_are_not_told(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    text_map_entity(&map, "info_lighting_relative", "origin \"40 40 40\" targetname lit");
    text_map_entity(&map, "complex_thing", "origin \"40 50 40\"");
    text_map_entity(&map, "hammer_notes", "origin \"40 60 40\" message \"todo: a door\"");
    text_map_compile(&map, STATUS_OK);
    assert_int_equal(diag_count_code(map.diag, DIAG_COMPILE_TIME_CLASS), 0);
    assert_true(is_written(&map, "\"info_lighting_relative\""));
    assert_true(is_written(&map, "\"complex_thing\""));
    assert_false(is_written(&map, "hammer_notes"));
    text_map_free(&map);
}

/* With _removeaftercompile an entity does what it does in the compile, and is not written: its
 * brushes still seal, its areaportal parts areas, its sides are without shadows. */
static void entities_for_the_compile_alone_are_not_written(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    text_map_entity(&map, "info_target", "targetname away _removeaftercompile 1 origin \"9 9 9\"");
    text_map_entity(&map, "info_target", "targetname zero _removeaftercompile 0 origin \"9 9 9\"");
    text_map_entity(&map, "info_target", "targetname word _removeaftercompile no origin \"9 9 9\"");
    text_map_entity(&map, "func_brush", "targetname block _RemoveAfterCompile 1");
    text_map_box(&map, vec3(64, 64, 0), vec3(96, 96, 32), "wall");
    text_map_entity(&map, "func_brush", "targetname stays");
    text_map_box(&map, vec3(128, 64, 0), vec3(160, 96, 32), "wall");
    text_map_entity(&map, "info_overlay",
                    "targetname spot _removeaftercompile 1 material wall sides 1 "
                    "BasisOrigin \"0 128 0\" BasisU \"1 0 0\" BasisV \"0 1 0\" "
                    "BasisNormal \"0 0 1\" uv0 \"-8 -8 0\" uv1 \"-8 8 0\" uv2 \"8 8 0\" "
                    "uv3 \"8 -8 0\" StartU 0 EndU 1 StartV 0 EndV 1");
    text_map_compile(&map, STATUS_OK);
    assert_false(is_written(&map, "\"away\""));
    assert_true(is_written(&map, "\"zero\""));
    assert_true(is_written(&map, "\"word\""));
    assert_false(is_written(&map, "\"block\""));
    assert_int_equal(arrlen(map.bsp->models), 3);
    assert_true(is_written(&map, "\"model\" \"*2\""));
    assert_int_equal(arrlen(map.bsp->overlays), 1);
    assert_false(is_written(&map, "info_overlay_accessor"));
    assert_int_equal(diag_count_code(map.diag, DIAG_COMPILE_TIME_LIGHT), 0);
    text_map_free(&map);
}

/* The world itself cannot be removed. */
static void the_world_stays(void **state)
{
    (void)state;
    struct text_map map;
    text_map_start(&map, "world { id 1 classname worldspawn _removeaftercompile 1\n");
    text_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    text_map_entity(&map, "info_player_start", "origin \"20 20 64\"");
    text_map_compile(&map, STATUS_OK);
    assert_true(is_written(&map, "\"worldspawn\""));
    text_map_free(&map);
}

/* An instance gives its entities the key by a variable. */
static void variables_of_instances_remove(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    text_map_entity(&map, "func_instance",
                    "file inst targetname a origin \"64 64 32\" replace01 \"$strip 1\"");
    text_map_entity(&map, "func_instance",
                    "file inst targetname b origin \"96 64 32\" replace01 \"$strip 0\"");
    const char *inst = "world { id 1 classname worldspawn }\nentity { id 2 classname info_target "
                       "targetname mark origin \"0 0 0\" _removeaftercompile $strip }\n";
    text_map_put(&map, "maps/inst.vmf", inst);
    text_map_compile(&map, STATUS_OK);
    assert_false(is_written(&map, "\"a-mark\""));
    assert_true(is_written(&map, "\"b-mark\""));
    text_map_free(&map);
}

/* vrad lights the map from what the BSP holds. */
static void what_vrad_needs_stays_and_is_told(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    text_map_entity(&map, "light",
                    "_removeaftercompile 1 targetname lamp origin \"128 128 100\" "
                    "_light \"255 255 255 200\"");
    text_map_entity(&map, "light_spot", "origin \"128 128 100\" target mark");
    text_map_entity(&map, "info_target",
                    "_removeaftercompile 1 targetname mark origin \"128 128 8\"");
    text_map_entity(&map, "func_brush", "_removeaftercompile 1 vrad_brush_cast_shadows 1");
    text_map_box(&map, vec3(64, 64, 32), vec3(96, 96, 64), "wall");
    text_map_compile(&map, STATUS_OK);
    assert_true(is_written(&map, "\"lamp\""));
    assert_true(is_written(&map, "\"targetname\" \"mark\""));
    assert_true(is_written(&map, "\"func_brush\""));
    assert_int_equal(diag_count_code(map.diag, DIAG_COMPILE_TIME_LIGHT), 1);
    text_map_free(&map);
}

/* -onlyents on a map with an occluder and an areaportal that are only for the compile. */
static void updates_remove_too(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    text_map_entity(&map, "func_occluder", "_removeaftercompile 1 StartActive 1");
    text_map_box(&map, vec3(64, 64, 32), vec3(96, 96, 64), "tools/toolsoccluder");
    text_map_entity(&map, "info_target", "targetname away _removeaftercompile 1 origin \"9 9 9\"");
    text_map_compile(&map, STATUS_OK);
    assert_int_equal(arrlen(map.bsp->occluders), 1);
    assert_int_equal(vbsp_update_entities(&map.env, &map.options, map.assets, &map.level, map.bsp),
                     STATUS_OK);
    assert_false(is_written(&map, "\"away\""));
    assert_false(is_written(&map, "func_occluder"));
    text_map_free(&map);
}

/* Brush entities whose class determines the contents of their brushes. */

/* A room with one entity of one box in it. */
static void compile_room(struct text_map *map, const char *classname, const char *material)
{
    text_map_init(map);
    text_map_room(map, vec3(0, 0, 0), vec3(256, 256, 128));
    text_map_entity(map, classname, "");
    text_map_box(map, vec3(64, 64, 0), vec3(192, 192, 48), material);
    text_map_entity(map, "info_player_start", "origin \"20 20 64\"");
    text_map_compile(map, STATUS_OK);
}

static int contents_of(const struct text_map *map, int model, struct vec3 point)
{
    int node = map->bsp->models[model].head_node;
    while (node >= 0) {
        const struct bsp_node *record = &map->bsp->nodes[node];
        const struct bsp_plane *plane = &map->bsp->planes[record->plane];
        double distance = -(double)plane->dist;
        for (int i = 0; i < 3; i++)
            distance += (double)plane->normal[i] * point.e[i];
        node = record->children[distance < 0];
    }
    return bsp_brush_contents_at(map->bsp, -1 - node, point);
}

static void test_func_water_is_a_model_of_water(void **state)
{
    (void)state;
    struct text_map map;
    compile_room(&map, "func_water", "water");
    assert_int_equal(arrlen(map.bsp->models), 2);
    assert_int_equal(contents_of(&map, 1, vec3(100, 100, 20)),
                     CONTENTS_WATER | CONTENTS_TRANSLUCENT);
    assert_int_equal(contents_of(&map, 0, vec3(100, 100, 20)), 0);
    assert_true(text_map_faces(&map, 1, "water", NULL) > 0);
    assert_true(text_map_faces(&map, 1, "under", NULL) > 0);
    text_map_free(&map);
}

static void test_func_water_of_another_material(void **state)
{
    (void)state;
    struct text_map map;
    compile_room(&map, "func_water", "wall");
    assert_int_equal(contents_of(&map, 1, vec3(100, 100, 20)),
                     CONTENTS_WATER | CONTENTS_TRANSLUCENT);
    text_map_free(&map);
}

/* Only the world has detail. */
static void test_no_model_is_detail(void **state)
{
    (void)state;
    struct text_map map;
    compile_room(&map, "func_brush", "tools/toolsblock_los");
    assert_int_equal(contents_of(&map, 1, vec3(100, 100, 20)), CONTENTS_BLOCKLOS);
    text_map_free(&map);
    compile_room(&map, "func_detail", "tools/toolsblock_los");
    assert_int_equal(contents_of(&map, 0, vec3(100, 100, 20)), CONTENTS_BLOCKLOS | CONTENTS_DETAIL);
    text_map_free(&map);
}

SUITE(test_compile_time)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_of_other_tools_are_told_once),
        cmocka_unit_test(places_of_light_are_not_for_the_game),
        cmocka_unit_test(of_equal_keys_the_last_value_counts),
        cmocka_unit_test(keys_without_their_effect_are_told),
        cmocka_unit_test(classes_of_games_are_not_told),
        cmocka_unit_test(entities_for_the_compile_alone_are_not_written),
        cmocka_unit_test(the_world_stays),
        cmocka_unit_test(variables_of_instances_remove),
        cmocka_unit_test(what_vrad_needs_stays_and_is_told),
        cmocka_unit_test(updates_remove_too),
        cmocka_unit_test(test_func_water_is_a_model_of_water),
        cmocka_unit_test(test_func_water_of_another_material),
        cmocka_unit_test(test_no_model_is_detail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
