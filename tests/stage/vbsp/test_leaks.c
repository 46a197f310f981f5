/* Leaks: the shortest path out, the gap with its size and the solids beside it, and the entity. */
#include "tests/support/suite.h"

#include <stdio.h>

#include "common/diag/codes/areas.def"
#include "common/diag/codes/leaks.def"
#include "common/diag/diag_property.h"
#include "common/diag/properties/hole.def"
#include "common/diag/properties/members.def"
#include "tests/support/vbsp/compiled_map.h"
#include "tests/support/vbsp/text_map.h"

static const struct diag_entry *only_report(struct diag *diag, int code)
{
    assert_int_equal(diag_count_code(diag, code), 1);
    for (size_t i = 0; i < diag_entries(diag); i++)
        if (diag_entry(diag, i)->code == code)
            return diag_entry(diag, i);
    return NULL;
}

static const struct diag_entry *compile_map(struct compiled *map, const char *name,
                                            enum status expected, int code)
{
    compiled_open(map, name, NULL);
    assert_int_equal(map->status, expected);
    return only_report(map->diag, code);
}

/* No step of the path leads through a solid. */
static void assert_path_is_open(const struct bsp *bsp, const struct vec3 *path)
{
    assert_true(arrlen(path) >= 2);
    for (size_t i = 1; i < arrlenu(path); i++)
        for (int k = 1; k < 64; k++) {
            struct vec3 at = vec3_lerp(path[i - 1], path[i], k / 64.0);
            assert_false(bsp->leaves[bsp_leaf_at(bsp, 0, at)].contents & CONTENTS_SOLID);
        }
}

static double path_length(const struct vec3 *path)
{
    double sum = 0;
    for (size_t i = 1; i < arrlenu(path); i++)
        sum += vec3_distance(path[i - 1], path[i]);
    return sum;
}

static void assert_says(const struct diag_entry *entry, const char *text)
{
    if (!strstr(entry->message, text))
        fail_msg("\"%s\" is not in \"%s\"", text, entry->message);
}

static void a_slit_is_reported_whole(void **state)
{
    (void)state;
    struct compiled map;
    const struct diag_entry *entry = compile_map(&map, "leak_slit.vmf", STATUS_LEAK, DIAG_LEAK);
    assert_says(entry,
                "128 x 1 units (128 square units) at 272 128.5 64, next to solids 2, 9, 37 and 44");
    const double *hole = diag_numbers(&entry->where, DIAG_OF_HOLE);
    assert_true(hole && fabs(hole[1] - 128.5) < 0.01);
    assert_path_is_open(map.out.bsp, map.out.leak);
    compiled_free(&map);
}

static void the_shortest_of_several_ways_is_reported(void **state)
{
    (void)state;
    struct compiled map;
    const struct diag_entry *entry = compile_map(&map, "leak_holes.vmf", STATUS_LEAK, DIAG_LEAK);
    assert_says(entry, "entity info_player_start at 112 64 8 can reach the outside");
    assert_says(entry, "16 x 16 units (256 square units)");
    assert_says(
        entry,
        "next to solids 79, 86, 93 and 100; solid 109 fills it, but a func_detail does not seal");
    assert_path_is_open(map.out.bsp, map.out.leak);
    compiled_free(&map);
}

/* One of the few misplaced entities: most are sealed in. */
static void an_origin_outside_is_reported(void **state)
{
    (void)state;
    struct compiled map;
    const struct diag_entry *entry = compile_map(&map, "leak_origin.vmf", STATUS_LEAK, DIAG_LEAK);
    assert_says(entry, "func_door \"gate\" at 128 400 48");
    assert_says(entry, "1 of 3 entities can reach the outside, the others are sealed in");
    assert_int_equal(entry->where.entity_id, 53);
    assert_true(arrlast(map.out.leak).y > 399);
    compiled_free(&map);
}

static void the_gap_of_an_areaportal_is_measured(void **state)
{
    (void)state;
    struct compiled map;
    const struct diag_entry *entry =
        compile_map(&map, "areaportal_gap.vmf", STATUS_OK, DIAG_AREAPORTAL_LEAK);
    assert_says(
        entry, "64 x 16 units (1024 square units) at 260 128 88, next to solids 44, 51, 58 and 66");
    assert_int_equal(entry->where.solid_id, 66);
    const struct vec3 *path = map.out.area_leak;
    assert_int_equal(arrlen(path), 4);
    assert_true(path_length(path) < 120);
    compiled_free(&map);
}

/* A room with a gap in its west and one in its east wall, of `west` and `east` units squared. */
static void put_holes(struct text_map *map, double west, double east)
{
    const double size[2] = {west, east}, low[2] = {-16, 1024};
    text_map_init(map);
    text_map_box(map, vec3(-16, -16, -16), vec3(1040, 272, 0), "wall");
    text_map_box(map, vec3(-16, -16, 128), vec3(1040, 272, 144), "wall");
    text_map_box(map, vec3(0, -16, 0), vec3(1024, 0, 128), "wall");
    text_map_box(map, vec3(0, 256, 0), vec3(1024, 272, 128), "wall");
    for (int i = 0; i < 2; i++) {
        double a = low[i], b = a + 16, half = size[i] / 2;
        text_map_box(map, vec3(a, -16, 0), vec3(b, 128 - half, 128), "wall");
        text_map_box(map, vec3(a, 128 + half, 0), vec3(b, 272, 128), "wall");
        text_map_box(map, vec3(a, 128 - half, 0), vec3(b, 128 + half, 64 - half), "wall");
        text_map_box(map, vec3(a, 128 - half, 64 + half), vec3(b, 128 + half, 128), "wall");
    }
}

/* The distance decides, regardless of the sizes and numbers of leaves; of several entities the
 * nearest is named. */
static void length_decides(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++)
        for (int wide = 0; wide < 2; wide++) {
            struct text_map map;
            char keys[2][64];
            put_holes(&map, wide ? 64 : 8, wide ? 8 : 64);
            for (int i = 0; i < 40; i++) /* leaves on the way to the nearer one */
                text_map_box(&map, vec3(side ? 560 + 10 * i : 64 + 10 * i, 4 * (i % 7), 0),
                             vec3(side ? 565 + 10 * i : 69 + 10 * i, 4 * (i % 7) + 16, 40),
                             "floor");
            snprintf(keys[0], sizeof keys[0], "origin \"%d 128 64\"", side ? 540 : 484);
            snprintf(keys[1], sizeof keys[1], "origin \"%d 128 64\"", side ? 640 : 384);
            text_map_entity(&map, "info_player_start", keys[0]);
            text_map_entity(&map, "light", keys[1]);
            text_map_compile(&map, STATUS_LEAK);
            const struct diag_entry *entry = only_report(map.diag, DIAG_LEAK);
            assert_says(entry, "entity light at ");
            assert_true(entry->where.has_point);
            assert_true(fabs(entry->where.point[0] - (side ? 640 : 384)) < 0.01);
            const double *hole = diag_numbers(&entry->where, DIAG_OF_HOLE);
            assert_true(side ? hole[0] >= 1024 : hole[0] <= 0);
            assert_true(path_length(map.out.leak) < 384 + 16 + 200);
            assert_path_is_open(map.bsp, map.out.leak);
            text_map_free(&map);
        }
}

/* Two walls that meet the corners of the world askew, 32 units apart: the gap is 32 wide though
 * nothing of it lies along an axis. */
static void put_prism(struct text_map *map, const double base[4][2], double low, double high)
{
    bytes_append_text(&map->text, "solid { id %d\n", ++map->ids);
    for (int i = 0; i < 4; i++) {
        const double *a = base[i], *b = base[(i + 1) % 4];
        text_map_side(map, (const double[9]){a[0], a[1], low, b[0], b[1], low, b[0], b[1], high},
                      "wall");
    }
    text_map_side(map,
                  (const double[9]){base[1][0], base[1][1], high, base[2][0], base[2][1], high,
                                    base[3][0], base[3][1], high},
                  "wall");
    text_map_side(map,
                  (const double[9]){base[3][0], base[3][1], low, base[2][0], base[2][1], low,
                                    base[1][0], base[1][1], low},
                  "wall");
    bytes_append_text(&map->text, "}\n");
}

static void a_slanted_hole_is_measured_on_its_plane(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    /* A room between x = 0, y = 0 and x + y = 400; the slanted wall is open from x - y = -20 to 20.
     */
    text_map_box(&map, vec3(-16, -16, -16), vec3(440, 440, 0), "wall");
    text_map_box(&map, vec3(-16, -16, 64), vec3(440, 440, 80), "wall");
    text_map_box(&map, vec3(-16, -16, 0), vec3(0, 440, 64), "wall");
    text_map_box(&map, vec3(0, -16, 0), vec3(440, 0, 64), "wall");
    put_prism(&map, (const double[4][2]){{0, 400}, {0, 420}, {200, 220}, {190, 210}}, 0, 64);
    put_prism(&map, (const double[4][2]){{210, 190}, {220, 200}, {420, 0}, {400, 0}}, 0, 64);
    text_map_entity(&map, "info_player_start", "origin \"64 64 16\"");
    text_map_compile(&map, STATUS_LEAK);
    const struct diag_entry *entry = only_report(map.diag, DIAG_LEAK);
    assert_says(entry, "64 x 28.2843 units (1810.19 square units) at 2");
    assert_path_is_open(map.bsp, map.out.leak);
    text_map_free(&map);
}

/* A key or a brush: both are where the entity stands. */
static void an_origin_brush_outside_is_reported(void **state)
{
    (void)state;
    for (int brush = 0; brush < 2; brush++) {
        struct text_map map;
        text_map_init(&map);
        text_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
        text_map_entity(&map, "info_player_start", "origin \"64 64 16\"");
        text_map_entity(&map, "light", "origin \"64 64 100\"");
        text_map_entity(&map, "func_rotating", brush ? "" : "origin \"128 300 64\"");
        int id = map.ids;
        text_map_box(&map, vec3(120, 120, 0), vec3(136, 136, 32), "wall");
        if (brush)
            text_map_box(&map, vec3(120, 292, 56), vec3(136, 308, 72), "tools/toolsorigin");
        text_map_compile(&map, STATUS_LEAK);
        const struct diag_entry *entry = only_report(map.diag, DIAG_LEAK);
        assert_int_equal(entry->where.entity_id, id);
        assert_says(entry, "func_rotating at 128 300 64");
        assert_says(entry, "1 of 3 entities can reach the outside");
        assert_true(vec3_distance(arrlast(map.out.leak), vec3(128, 300, 64)) < 0.01);
        text_map_free(&map);
    }
}

/* Two rooms with a door of 16 x 96 units between them; the eastern one has a gap of 32 x 32,
 * outside of which stands a block that leaves 8 units. The gap is reported, not the door or the
 * narrower space. */
static void the_hole_is_reported_rather_than_a_door(void **state)
{
    (void)state;
    for (int outside = 0; outside < 2; outside++) {
        struct text_map map;
        text_map_init(&map);
        text_map_box(&map, vec3(-16, -16, -16), vec3(528, 272, 0), "wall");
        text_map_box(&map, vec3(-16, -16, 128), vec3(528, 272, 144), "wall");
        text_map_box(&map, vec3(-16, -16, 0), vec3(0, 272, 128), "wall");
        text_map_box(&map, vec3(0, -16, 0), vec3(512, 0, 128), "wall");
        text_map_box(&map, vec3(0, 256, 0), vec3(512, 272, 128), "wall");
        text_map_box(&map, vec3(256, 0, 0), vec3(272, 120, 128), "wall");
        text_map_box(&map, vec3(256, 136, 0), vec3(272, 256, 128), "wall");
        text_map_box(&map, vec3(256, 120, 96), vec3(272, 136, 128), "wall");
        text_map_box(&map, vec3(512, -16, 0), vec3(528, 112, 128), "wall");
        text_map_box(&map, vec3(512, 144, 0), vec3(528, 272, 128), "wall");
        text_map_box(&map, vec3(512, 112, 0), vec3(528, 144, 48), "wall");
        text_map_box(&map, vec3(512, 112, 80), vec3(528, 144, 128), "wall");
        text_map_box(&map, vec3(536, 0, 0), vec3(600, 256, 128), "wall");
        text_map_entity(&map, "info_player_start", "origin \"64 128 64\"");
        if (outside)
            text_map_entity(&map, "light", "origin \"700 128 -60\"");
        text_map_compile(&map, STATUS_LEAK);
        const struct diag_entry *entry = only_report(map.diag, DIAG_LEAK);
        assert_says(entry, "info_player_start at 64 128 64 can reach the outside; the hole is 32 x "
                           "32 units (1024 square units) at 528 128 64");
        assert_path_is_open(map.bsp, map.out.leak);
        text_map_free(&map);
    }
}

static void what_stands_outside_has_no_hole(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    text_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    text_map_entity(&map, "info_player_start", "origin \"1000 64 16\"");
    text_map_compile(&map, STATUS_LEAK);
    assert_says(only_report(map.diag, DIAG_LEAK), "nothing is between them");
    text_map_free(&map);
}

static void assert_reached(const struct diag_entry *entry, size_t at, const char *classname, int id,
                           double x)
{
    const struct diag_where *reached = &diag_property(&entry->where, DIAG_OF_REACHED)->places[at];
    assert_string_equal(diag_property(reached, DIAG_OF_CLASS)->text, classname);
    assert_int_equal(reached->entity_id, id);
    assert_string_equal(reached->file, entry->where.file);
    assert_true(reached->has_point && fabs(reached->point[0] - x) < 0.01);
}

/* Those near the hole first; one that stands outside is not there through the hole. */
static void all_entities_reached_are_listed(void **state)
{
    (void)state;
    struct text_map map;
    put_holes(&map, 32, 32);
    text_map_box(&map, vec3(-16, 112, 48), vec3(0, 144, 80), "wall");
    text_map_room(&map, vec3(0, 1000, 0), vec3(256, 1256, 128));
    text_map_entity(&map, "light", "origin \"100 128 64\"");
    int id = map.ids;
    text_map_entity(&map, "light_spot", "origin \"2000 128 -60\"");
    text_map_entity(&map, "info_player_start", "origin \"900 128 64\"");
    text_map_entity(&map, "info_target", "origin \"64 1100 64\"");
    text_map_compile(&map, STATUS_LEAK);
    const struct diag_entry *entry = only_report(map.diag, DIAG_LEAK);
    const struct diag_property *list = diag_property(&entry->where, DIAG_OF_REACHED);
    const struct diag_where *reached = list->places;
    assert_says(entry,
                "info_player_start at 900 128 64 can reach the outside; the hole is 32 x 32");
    assert_int_equal(list->count, 3);
    assert_reached(entry, 0, "info_player_start", id + 2, 900);
    assert_reached(entry, 1, "light", id, 100);
    assert_reached(entry, 2, "light_spot", id + 1, 2000);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(diag_property(&reached[i], DIAG_OF_THROUGH_HOLE)->is_true, i < 2);
        assert_int_equal(diag_is_true(&reached[i], DIAG_OF_IS_NAMED), i == 0);
        assert_true(reached[i].line > 0 && reached[i].line != reached[(i + 1) % 3].line);
    }
    text_map_free(&map);
}

/* Both holes lead to the light: closing one seals nothing in. */
static void of_several_holes_none_is_named(void **state)
{
    (void)state;
    struct text_map map;
    put_holes(&map, 32, 32);
    text_map_entity(&map, "light", "origin \"100 128 64\"");
    text_map_compile(&map, STATUS_LEAK);
    const struct diag_entry *entry = only_report(map.diag, DIAG_LEAK);
    const struct diag_property *list = diag_property(&entry->where, DIAG_OF_REACHED);
    assert_int_equal(list->count, 1);
    assert_null(diag_property(&list->places[0], DIAG_OF_THROUGH_HOLE));
    text_map_free(&map);
}

/* Entities that are consumed while loading stand anywhere; their origins are no part of the map. */
static void consumed_entities_do_not_leak(void **state)
{
    (void)state;
    static const char *const classes[] = {"func_instance", "func_instance_parms", "env_cubemap",
                                          "info_overlay", "info_no_dynamic_shadow"};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        struct text_map map;
        text_map_init(&map);
        text_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
        text_map_entity(&map, "info_player_start", "origin \"64 64 16\"");
        text_map_entity(&map, classes[i], "file empty origin \"500 64 16\"");
        text_map_put(&map, "maps/empty.vmf", "world { id 1 classname worldspawn }\n");
        text_map_compile(&map, STATUS_OK);
        text_map_free(&map);
    }
}

/* A wall whose points are on one line is no wall. */
static void a_solid_that_was_dropped_is_named(void **state)
{
    (void)state;
    struct text_map map;
    text_map_init(&map);
    text_map_room(&map, vec3(0, 0, 0), vec3(256, 256, 128));
    char *first = strstr((char *)map.text.data, "plane");
    assert_non_null(first);
    char *open = strchr(first, '('), *close = strchr(first, '\n');
    assert_true(open && close && close - open > 30);
    memset(open, ' ', (size_t)(close - open));
    memcpy(open, "(0 0 0) (1 0 0) (2 0 0)\"", 24);
    text_map_entity(&map, "info_player_start", "origin \"64 64 16\"");
    text_map_compile(&map, STATUS_LEAK);
    assert_says(only_report(map.diag, DIAG_LEAK), "; solid ");
    assert_says(only_report(map.diag, DIAG_LEAK), ", may have closed it");
    text_map_free(&map);
}

SUITE(test_leaks)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slit_is_reported_whole),
        cmocka_unit_test(the_shortest_of_several_ways_is_reported),
        cmocka_unit_test(an_origin_outside_is_reported),
        cmocka_unit_test(the_gap_of_an_areaportal_is_measured),
        cmocka_unit_test(length_decides),
        cmocka_unit_test(a_slanted_hole_is_measured_on_its_plane),
        cmocka_unit_test(an_origin_brush_outside_is_reported),
        cmocka_unit_test(the_hole_is_reported_rather_than_a_door),
        cmocka_unit_test(what_stands_outside_has_no_hole),
        cmocka_unit_test(all_entities_reached_are_listed),
        cmocka_unit_test(of_several_holes_none_is_named),
        cmocka_unit_test(consumed_entities_do_not_leak),
        cmocka_unit_test(a_solid_that_was_dropped_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
