/* -replacematerials: materials of sides and overlays. */
#include "tests/support/suite.h"

#include "common/bsp/overlay_records.h"
#include "common/diag/codes/missing_materials.def"
#include "common/diag/codes/replacements.def"
#include "tests/support/vbsp/text_map.h"

/* Compiles the map with `list` in the game's folder, or without one if NULL. */
static void compile_with_list(struct text_map *map, const char *list)
{
    text_map_entity(map, "info_player_start", "origin \"20 20 64\"");
    if (list)
        assert_int_equal(
            fs_store(map->fs, map->diag, "mod/maps/materialsub.txt", list, strlen(list)),
            STATUS_OK);
    text_map_compile_game(map, STATUS_OK, "mod");
}

/* A room (floor and wall) with a block of glass. */
static void compile_room(struct text_map *map, const char *list)
{
    text_map_init(map);
    map->options.replace_materials = true;
    text_map_room(map, vec3(0, 0, 0), vec3(256, 256, 128));
    text_map_box(map, vec3(64, 64, 0), vec3(96, 96, 32), "Glass");
    compile_with_list(map, list);
}

static const char *note(const struct text_map *map)
{
    for (size_t i = 0; i < diag_entries(map->diag); i++)
        if (diag_entry(map->diag, i)->code == DIAG_SUBSTITUTES_USED)
            return diag_entry(map->diag, i)->message;
    return "";
}

static void test_pairs_of_a_block(void **state)
{
    (void)state;
    struct text_map map;
    compile_room(&map, "\"MaterialSubstitutes\"\n{\n\"FLOOR\" \"wall\"\n\"Wall\" \"sky\"\n}\n");
    assert_int_equal(text_map_faces(&map, 0, "floor", NULL), 0);
    /* The former floor stays wall: replacements are not replaced in turn. */
    double area;
    (void)text_map_faces(&map, 0, "wall", &area);
    assert_float_equal(area, 256.0 * 256, 1);
    (void)text_map_faces(&map, 0, "sky", &area);
    assert_float_equal(area, 256.0 * 256 + 4 * 256 * 128, 1);
    text_map_free(&map);
}

static void test_this_map_comes_first(void **state)
{
    (void)state;
    struct text_map map;
    compile_room(&map, "x { floor sky OTHER { floor water } Test { Floor tools/toolsblack } "
                       "AllMaps { Glass wall } }");
    assert_true(text_map_faces(&map, 0, "tools/toolsblack", NULL) > 0);
    assert_int_equal(text_map_faces(&map, 0, "floor", NULL), 0);
    assert_int_equal(text_map_faces(&map, 0, "sky", NULL), 0);
    /* Spelled as the replacement, and now solid. */
    int block = text_map_face_at(&map, vec3(80, 80, 32), vec3(0, 0, 1));
    assert_true(block >= 0);
    assert_string_equal(bsp_texinfo_name(map.bsp, map.bsp->faces[block].texinfo), "wall");
    assert_int_equal(
        bsp_brush_contents_at(map.bsp, bsp_leaf_at(map.bsp, 0, vec3(80, 80, 16)), vec3(80, 80, 16)),
        CONTENTS_SOLID);
    assert_string_equal(
        note(&map),
        "12 sides and overlays, which use 2 of the 2 materials that maps/materialsub.txt lists");
    text_map_free(&map);
}

static void test_a_missing_substitute_is_reported(void **state)
{
    (void)state;
    struct text_map map;
    compile_room(&map, "x {\n floor nowhere/at_all\n glass ../../out }");
    assert_true(text_map_faces(&map, 0, "floor", NULL) > 0);
    assert_true(text_map_faces(&map, 0, "Glass", NULL) > 0);
    assert_int_equal(diag_count_code(map.diag, DIAG_SUBSTITUTE_MISSING), 2);
    assert_int_equal(diag_count_code(map.diag, DIAG_MATERIAL_MISSING), 0);
    text_map_free(&map);
}

static void test_a_missing_list_is_reported(void **state)
{
    (void)state;
    struct text_map map;
    compile_room(&map, NULL);
    assert_true(text_map_faces(&map, 0, "floor", NULL) > 0);
    assert_int_equal(diag_count_code(map.diag, DIAG_SUBSTITUTES_FILE), 1);
    text_map_free(&map);
}

static void test_nothing_happens_without_the_option(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    text_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    compile_with_list(&map, "x { floor wall }");
    assert_true(text_map_faces(&map, 0, "floor", NULL) > 0);
    assert_int_equal(diag_count_code(map.diag, DIAG_SUBSTITUTES_USED), 0);
    text_map_free(&map);
}

static void test_overlays_too(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    map.options.replace_materials = true;
    text_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    int floor = map.ids + 2;
    text_map_box(&map, vec3(64, 64, 0), vec3(96, 96, 32), "floor");
    char keys[512];
    snprintf(keys, sizeof keys,
             "origin \"80 80 32\" material Stain sides \"%d\" BasisOrigin \"80 80 32\" "
             "BasisNormal \"0 0 1\" BasisU \"1 0 0\" BasisV \"0 1 0\" StartU 0 EndU 1 StartV 0 "
             "EndV 1 uv0 \"-8 -8 0\" uv1 \"-8 8 0\" uv2 \"8 8 0\" uv3 \"8 -8 0\"",
             floor);
    text_map_entity(&map, "info_overlay", keys);
    compile_with_list(&map, "x { stain mirror }");
    assert_int_equal(arrlen(map.bsp->overlays), 1);
    assert_string_equal(bsp_texinfo_name(map.bsp, map.bsp->overlays[0].texinfo), "mirror");
    text_map_free(&map);
}

SUITE(test_material_replacements)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_of_a_block),
        cmocka_unit_test(test_this_map_comes_first),
        cmocka_unit_test(test_a_missing_substitute_is_reported),
        cmocka_unit_test(test_a_missing_list_is_reported),
        cmocka_unit_test(test_nothing_happens_without_the_option),
        cmocka_unit_test(test_overlays_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
