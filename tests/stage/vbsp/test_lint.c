/* Problems of a map that do not prevent compiling: each is reported once, with its solid or entity
 * and position, and nothing else is. */
#include "tests/support/suite.h"

#include <stdio.h>

#include "common/diag/codes/lint_solids.def"
#include "common/diag/codes/missing_materials.def"
#include "tests/support/vbsp/text_map.h"

static void begin(struct text_map *map)
{
    text_map_init(map);
    map->options.lint = true;
    text_map_room(map, vec3(0, 0, 0), vec3(512, 512, 128));
}

/* A box of the world or of the entity before; its id. */
static int put_box(struct text_map *map, struct vec3 low, struct vec3 high, const char *material)
{
    text_map_box(map, low, high, material);
    return map->ids - BOX_SIDES;
}

static void compile(struct text_map *map)
{
    text_map_entity(map, "info_player_start", "origin \"64 64 16\"");
    text_map_compile(map, STATUS_OK);
}

static const struct diag_entry *only_report(const struct text_map *map, int code)
{
    assert_int_equal(diag_count_code(map->diag, code), 1);
    for (size_t i = 0; i < diag_entries(map->diag); i++)
        if (diag_entry(map->diag, i)->code == code)
            return diag_entry(map->diag, i);
    return NULL;
}

static void assert_near(const struct diag_where *where, struct vec3 point)
{
    assert_true(where->has_point);
    struct vec3 found = vec3(where->point[0], where->point[1], where->point[2]);
    assert_true(vec3_distance(found, point) < 0.01);
}

static void assert_mentions(const struct diag_entry *entry, const char *text, int id)
{
    char expected[128];
    snprintf(expected, sizeof expected, "%s %d", text, id);
    assert_non_null(strstr(entry->message, expected));
}

static void a_duplicate_solid_is_reported(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    int first = put_box(&map, vec3(200, 200, 0), vec3(232, 264, 64), "wall");
    (void)put_box(&map, vec3(200, 200, 0), vec3(232, 264, 65), "wall");
    int second = put_box(&map, vec3(200, 200, 0), vec3(232, 264, 64), "floor");
    compile(&map);
    const struct diag_entry *entry = only_report(&map, DIAG_BRUSH_TWICE);
    assert_int_equal(entry->where.solid_id, second);
    assert_mentions(entry, "as solid", first);
    assert_near(&entry->where, vec3(216, 232, 32));
    text_map_free(&map);
}

/* Triggers of two entities may share their space, as may a clip and what it covers. */
static void solids_of_two_purposes_may_share_space(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    (void)put_box(&map, vec3(200, 200, 0), vec3(232, 264, 64), "wall");
    (void)put_box(&map, vec3(200, 200, 0), vec3(232, 264, 64), "tools/toolsplayerclip");
    for (int i = 0; i < 2; i++) {
        text_map_entity(&map, "trigger_once", "");
        (void)put_box(&map, vec3(300, 200, 0), vec3(332, 264, 64), "tools/toolstrigger");
    }
    compile(&map);
    assert_int_equal(diag_count_code(map.diag, DIAG_BRUSH_TWICE), 0);
    assert_int_equal(diag_count_code(map.diag, DIAG_FACES_OVERLAP), 0);
    text_map_free(&map);
}

static void a_model_with_a_solid_twice_is_reported(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    text_map_entity(&map, "func_door", "origin \"300 300 32\"");
    (void)put_box(&map, vec3(300, 300, 0), vec3(332, 364, 64), "wall");
    int second = put_box(&map, vec3(300, 300, 0), vec3(332, 364, 64), "wall");
    compile(&map);
    const struct diag_entry *entry = only_report(&map, DIAG_BRUSH_TWICE);
    assert_int_equal(entry->where.solid_id, second);
    assert_true(entry->where.entity_id > 0);
    assert_near(&entry->where, vec3(316, 332, 32));
    text_map_free(&map);
}

static void sides_almost_on_the_grid_are_reported(void **state)
{
    (void)state;
    for (int lint = 0; lint < 2; lint++) {
        struct text_map map;
        begin(&map);
        map.options.lint = lint;
        int off = put_box(&map, vec3(200, 200, 0), vec3(232.03, 264, 64), "wall");
        (void)put_box(&map, vec3(30, 200, 0), vec3(32.0625, 264.5, 64.25), "wall");
        compile(&map);
        if (lint) {
            const struct diag_entry *entry = only_report(&map, DIAG_BRUSH_OFF_GRID);
            assert_int_equal(entry->where.solid_id, off);
            assert_true(entry->where.side_id == off + 1 + BOX_EAST);
            assert_near(&entry->where, vec3(232.03, 232, 32));
            assert_string_equal(entry->message, "1 side off by up to 0.03 units");
        }
        assert_int_equal(diag_count_code(map.diag, DIAG_BRUSH_OFF_GRID), lint);
        text_map_free(&map);
    }
}

/* A wedge: its slope is not an axial side, wherever it lies. */
static void slopes_are_meant(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    const double sides[5][9] = {
        {200, 264, 0, 232, 264, 31.37, 232, 200, 31.37},
        {200, 200, 0, 232, 200, 0, 232, 264, 0},
        {232, 264, 0, 232, 200, 0, 232, 200, 31.37},
        {232, 264, 31.37, 200, 264, 0, 232, 264, 0},
        {232, 200, 0, 200, 200, 0, 232, 200, 31.37},
    };
    bytes_append_text(&map.text, "solid { id %d\n", ++map.ids);
    for (int i = 0; i < 5; i++)
        text_map_side(&map, sides[i], "wall");
    bytes_append_text(&map.text, "}\n");
    compile(&map);
    assert_int_equal(diag_count(map.diag, DIAG_WARNING), 0);
    text_map_free(&map);
}

/* A block of detail in the western wall, of which 16 x 32 units lie flush with its face; and one
 * that stands before it. */
static void put_flush(struct text_map *map, const char *material, int *id)
{
    text_map_entity(map, "func_detail", "");
    *id = put_box(map, vec3(-8, 100, 40), vec3(0, 116, 72), material);
    (void)put_box(map, vec3(0, 200, 40), vec3(8, 216, 72), material);
}

static void flush_faces_are_reported(void **state)
{
    (void)state;
    struct text_map map;
    int id;
    begin(&map);
    put_flush(&map, "glass", &id);
    compile(&map);
    const struct diag_entry *entry = only_report(&map, DIAG_FACES_OVERLAP);
    assert_int_equal(entry->where.solid_id, id);
    assert_int_equal(entry->where.side_id, id + 1 + BOX_EAST);
    assert_near(&entry->where, vec3(0, 108, 56));
    assert_true(strncmp(entry->message, "512 square units", 16) == 0);
    text_map_free(&map);
}

static void faces_that_are_not_drawn_do_not_flicker(void **state)
{
    (void)state;
    struct text_map map;
    int id;
    begin(&map);
    put_flush(&map, "tools/toolsnodraw", &id);
    text_map_entity(&map, "func_brush", "rendermode 10");
    (void)put_box(&map, vec3(-8, 300, 40), vec3(0, 316, 72), "wall");
    compile(&map);
    assert_int_equal(diag_count_code(map.diag, DIAG_FACES_OVERLAP), 0);
    text_map_free(&map);
}

/* Its faces are compared at the origin of the entity. */
static void a_door_is_compared_where_it_stands(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    text_map_entity(&map, "func_door", "origin \"-4 308 56\"");
    int id = put_box(&map, vec3(-8, 300, 40), vec3(0, 316, 72), "wall");
    text_map_entity(&map, "func_door", "origin \"300 308 56\"");
    (void)put_box(&map, vec3(300, 300, 40), vec3(308, 316, 72), "wall");
    compile(&map);
    const struct diag_entry *entry = only_report(&map, DIAG_FACES_OVERLAP);
    assert_int_equal(entry->where.solid_id, id);
    assert_near(&entry->where, vec3(0, 308, 56));
    text_map_free(&map);
}

static void a_missing_material_has_a_place_and_a_number(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    int first = put_box(&map, vec3(200, 200, 0), vec3(232, 264, 64), "no/Such");
    (void)put_box(&map, vec3(300, 200, 0), vec3(332, 264, 64), "NO/such");
    text_map_entity(&map, "infodecal", "texture x");
    compile(&map);
    const struct diag_entry *entry = only_report(&map, DIAG_MATERIAL_MISSING);
    assert_int_equal(entry->where.solid_id, first);
    assert_in_range(entry->where.side_id, first + 1, first + BOX_SIDES);
    assert_true(entry->where.line > 0);
    assert_string_equal(entry->message, "\"no/Such\", used by 12 sides");
    text_map_free(&map);
}

static void a_missing_material_of_an_overlay_names_it(void **state)
{
    (void)state;
    struct text_map map;
    begin(&map);
    char keys[512];
    snprintf(keys, sizeof keys,
             "material no/mark sides \"%d\" origin \"64 64 0\" BasisOrigin \"64 64 0\" "
             "BasisU \"1 0 0\" BasisV \"0 1 0\" BasisNormal \"0 0 1\" StartU 0 EndU 1 StartV 0 "
             "EndV 1 uv0 \"-8 -8 0\" uv1 \"-8 8 0\" uv2 \"8 8 0\" uv3 \"8 -8 0\"",
             map.ids);
    text_map_entity(&map, "info_overlay", keys);
    int id = map.ids;
    compile(&map);
    const struct diag_entry *entry = only_report(&map, DIAG_MATERIAL_MISSING);
    assert_int_equal(entry->where.entity_id, id);
    assert_near(&entry->where, vec3(64, 64, 0));
    text_map_free(&map);
}

static void a_missing_model_names_its_entity(void **state)
{
    (void)state;
    for (int with_game = 0; with_game < 2; with_game++) {
        struct text_map map;
        begin(&map);
        assert_int_equal(map.fs->ops->write(map.fs, "game/models/here.mdl", "x", 1), 0);
        text_map_entity(&map, "prop_dynamic", "model models/here.mdl origin \"64 64 8\"");
        text_map_entity(&map, "prop_dynamic", "model models/gone.mdl origin \"64 96 8\"");
        int id = map.ids;
        text_map_entity(&map, "npc_x", "model models/gone.mdl origin \"64 128 8\"");
        text_map_entity(&map, "env_sprite", "model sprites/glow.vmt origin \"64 128 8\"");
        text_map_entity(&map, "info_player_start", "origin \"64 64 16\"");
        text_map_compile_game(&map, STATUS_OK, with_game ? "game" : NULL);
        if (with_game) {
            const struct diag_entry *entry = only_report(&map, DIAG_MODEL_MISSING);
            assert_int_equal(entry->where.entity_id, id);
            assert_near(&entry->where, vec3(64, 96, 8));
        }
        assert_int_equal(diag_count_code(map.diag, DIAG_MODEL_MISSING), with_game);
        text_map_free(&map);
    }
}

SUITE(test_lint)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_duplicate_solid_is_reported),
        cmocka_unit_test(solids_of_two_purposes_may_share_space),
        cmocka_unit_test(a_model_with_a_solid_twice_is_reported),
        cmocka_unit_test(sides_almost_on_the_grid_are_reported),
        cmocka_unit_test(slopes_are_meant),
        cmocka_unit_test(flush_faces_are_reported),
        cmocka_unit_test(faces_that_are_not_drawn_do_not_flicker),
        cmocka_unit_test(a_door_is_compared_where_it_stands),
        cmocka_unit_test(a_missing_material_has_a_place_and_a_number),
        cmocka_unit_test(a_missing_material_of_an_overlay_names_it),
        cmocka_unit_test(a_missing_model_names_its_entity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
