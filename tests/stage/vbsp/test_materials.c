/* Materials of which nothing is known but their name: they are lit unless an option says otherwise,
 * and one message counts them when there is no content to find them in. */
#include "tests/support/suite.h"

#include <stdio.h>

#include "common/bsp/face_records.h"
#include "common/bsp/overlay_records.h"
#include "common/diag/codes/missing_materials.def"
#include "common/diag/codes/replacements.def"
#include "tests/support/vbsp/text_map.h"
#include "vbsp/csg/brush_options.h"

static void begin(struct text_map *map)
{
    text_map_start_room(map, vec3(256, 256, 128));
}

static void add_player(struct text_map *map)
{
    text_map_entity(map, "info_player_start", "origin \"20 20 32\"");
}

/* Without a game and a catalogue: the room's materials are missing too. */
static void compile_bare(struct text_map *map)
{
    add_player(map);
    bytes_append_text(&map->text, "}\n");
    text_map_run(map, &(struct assets_options){0}, vmf_parse, "maps/test.vmf", STATUS_OK);
    text_map_verify(map, map->bsp);
}

static void compile_with_catalogue(struct text_map *map)
{
    add_player(map);
    text_map_compile(map, STATUS_OK);
}

static const struct bsp_texinfo *floor_texinfo(const struct text_map *map, struct vec3 at)
{
    int face = text_map_face_at(map, at, vec3(0, 0, 1));
    assert_true(face >= 0);
    return &map->bsp->texinfo[map->bsp->faces[face].texinfo];
}

static bool is_lit(const struct text_map *map, struct vec3 at)
{
    return !(floor_texinfo(map, at)->flags & SURFACE_NOLIGHT);
}

static const struct diag_entry *only_report(const struct text_map *map, int code)
{
    assert_int_equal(diag_count_code(map->diag, code), 1);
    for (size_t i = 0; i < diag_entries(map->diag); i++)
        if (diag_entry(map->diag, i)->code == code)
            return diag_entry(map->diag, i);
    return NULL;
}

static void they_are_lit_but_for_the_option(void **state)
{
    (void)state;
    for (int lit = 0; lit < 2; lit++) {
        struct text_map map;
        begin(&map);
        struct brush_options brushes = *map.options.brushes;
        assert_true(brushes.light_if_missing);
        brushes.light_if_missing = lit;
        map.options.brushes = &brushes;
        compile_bare(&map);
        assert_int_equal(is_lit(&map, vec3(128, 128, 0)), lit);
        const struct bsp_texinfo *texinfo = floor_texinfo(&map, vec3(128, 128, 0));
        assert_int_equal(texinfo->flags, lit ? 0 : SURFACE_NOLIGHT);
        assert_int_equal(map.bsp->texdata[texinfo->texdata].width, 512);
        text_map_free(&map);
    }
}

/* A name that is known keeps its meaning, and others of tools/ are not lit. */
static void tools_are_not(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    text_map_box(&map, vec3(64, 64, 0), vec3(96, 96, 16), "TOOLS/toolsofanothergame");
    text_map_box(&map, vec3(128, 64, 0), vec3(160, 96, 16), "tools/toolsskybox");
    text_map_box(&map, vec3(192, 64, 0), vec3(224, 96, 16), "tools/toolsnodraw");
    text_map_box(&map, vec3(192, 192, 0), vec3(224, 224, 16), "tool/other");
    text_map_box(&map, vec3(64, 192, 0), vec3(96, 224, 16), "TOOLS/toolsblack_matte");
    compile_bare(&map);
    assert_int_equal(text_map_face_at(&map, vec3(80, 80, 16), vec3(0, 0, 1)), -1);
    assert_false(is_lit(&map, vec3(80, 208, 16)));
    assert_int_equal(floor_texinfo(&map, vec3(144, 80, 16))->flags & SURFACE_SKY, SURFACE_SKY);
    assert_int_equal(text_map_face_at(&map, vec3(208, 80, 16), vec3(0, 0, 1)), -1);
    assert_true(is_lit(&map, vec3(208, 208, 16)));
    assert_non_null(
        strstr(only_report(&map, DIAG_MATERIAL_MISSING)->message, "5 materials are unknown"));
    text_map_free(&map);
}

/* A material that is see-through by its name hides nothing behind it, and seals no map. */
static void names_tell_what_is_see_through(void **state)
{
    static const struct {
        const char *material;
        int contents;
    } rows[] = {{"GLASS/window_of_ours", CONTENTS_WINDOW},  {"metal/metalGrate999", CONTENTS_GRATE},
                {"metal\\metalfence999", CONTENTS_GRATE},   {"ours/chainlink_tall", CONTENTS_GRATE},
                {"nature/water_of_ours", CONTENTS_WATER},   {"nature/toxicslime9", CONTENTS_SLIME},
                {"glass/reflectiveglass9", CONTENTS_SOLID}, {"wood/fence9", CONTENTS_SOLID},
                {"concrete/wall_waterline", CONTENTS_SOLID}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text_map map;
        begin(&map);
        text_map_box(&map, vec3(64, 64, 0), vec3(192, 192, 64), rows[i].material);
        compile_bare(&map);
        int node = bsp_leaf_at(map.bsp, 0, vec3(128, 128, 32));
        int contents = bsp_brush_contents_at(map.bsp, node, vec3(128, 128, 32));
        assert_int_equal(contents & ~CONTENTS_TRANSLUCENT, rows[i].contents);
        bool open = rows[i].contents != CONTENTS_SOLID;
        int below = text_map_face_at(&map, vec3(128, 128, 0), vec3(0, 0, 1));
        assert_int_equal(below >= 0, open);
        if (open)
            assert_true(is_lit(&map, vec3(128, 128, 0)));
        text_map_free(&map);
    }
}

static void put_pillars(struct text_map *map, int count)
{
    for (int i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "no/such%d", i);
        text_map_box(map, vec3(16 + 24 * i, 64, 0), vec3(24 + 24 * i, 72, 64), name);
    }
}

/* Six walls, one of them the floor; then pillars, of which one is there twice. */
static void one_message_counts_them_without_content(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    put_pillars(&map, 3);
    text_map_box(&map, vec3(16, 128, 0), vec3(24, 136, 64), "NO/such2");
    text_map_box(&map, vec3(64, 128, 0), vec3(72, 136, 64), "tools/toolsclip");
    compile_bare(&map);
    const struct diag_entry *entry = only_report(&map, DIAG_MATERIAL_MISSING);
    assert_string_equal(entry->message,
                        "5 materials are unknown, on 60 of 66 sides: \"wall\" (30), "
                        "\"no/such2\" (12), \"floor\" (6), \"no/such0\" (6), 1 more");
    assert_int_equal(entry->where.solid_id, 1);
    assert_in_range(entry->where.side_id, 2, 1 + BOX_SIDES);
    assert_true(entry->where.line > 0);
    text_map_free(&map);
}

static void each_has_its_place_with_content(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    put_pillars(&map, 9);
    compile_with_catalogue(&map);
    assert_int_equal(diag_count_code(map.diag, DIAG_MATERIAL_MISSING), 9);
    for (size_t i = 0; i < diag_entries(map.diag); i++) {
        const struct diag_entry *entry = diag_entry(map.diag, i);
        if (entry->code == DIAG_MATERIAL_MISSING)
            assert_non_null(strstr(entry->message, "\", used by 6 sides"));
    }
    assert_true(is_lit(&map, vec3(20, 68, 64)));
    text_map_free(&map);
}

/* -replacematerials: materials of sides and overlays. */

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

SUITE(test_materials)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_lit_but_for_the_option),
        cmocka_unit_test(tools_are_not),
        cmocka_unit_test(names_tell_what_is_see_through),
        cmocka_unit_test(one_message_counts_them_without_content),
        cmocka_unit_test(each_has_its_place_with_content),
        cmocka_unit_test(test_pairs_of_a_block),
        cmocka_unit_test(test_this_map_comes_first),
        cmocka_unit_test(test_a_missing_substitute_is_reported),
        cmocka_unit_test(test_a_missing_list_is_reported),
        cmocka_unit_test(test_nothing_happens_without_the_option),
        cmocka_unit_test(test_overlays_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
