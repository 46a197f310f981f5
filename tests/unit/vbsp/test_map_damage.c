/* Invalid .map texts: diagnostics with their numbers, and what is kept. */
#include "tests/support/suite.h"

#include <stdio.h>

#include "common/diag/codes/level_solids.def"
#include "common/diag/codes/map_files.def"
#include "common/diag/codes/map_patches.def"
#include "common/diag/codes/sides.def"
#include "common/diag/codes/vmf.def"
#include "tests/support/vbsp/map_text.h"

struct expected {
    int code;
    int line, entity, brush, side; /* -1: none is named */
};

static void tells(const struct map_text *t, size_t index, struct expected expected)
{
    assert_true(index < diag_entries(t->diag));
    const struct diag_entry *entry = diag_entry(t->diag, index);
    struct diag_id ids[3];
    int named[3] = {-1, -1, -1};
    size_t count = diag_where_ids(&entry->where, ids);
    for (size_t i = 0; i < count; i++)
        named[*ids[i].name == 'e' ? 0 : *ids[i].name == 'b' ? 1 : 2] = ids[i].id;
    assert_string_equal(diag_info(entry->code)->code, diag_info(expected.code)->code);
    assert_string_equal(entry->where.file, "test.map");
    assert_int_equal(entry->where.line, expected.line);
    assert_int_equal(named[0], expected.entity);
    assert_int_equal(named[1], expected.brush);
    assert_int_equal(named[2], expected.side);
}

/* One warning; the map is read, with `kept` brushes in the world. */
static struct map_text warns(const char *text, struct expected expected, int kept)
{
    struct map_text t = map_text(text);
    assert_int_equal(t.status, STATUS_OK);
    if (diag_entries(t.diag) != 1)
        for (size_t i = 0; i < diag_entries(t.diag); i++)
            print_message("%s\n", diag_entry(t.diag, i)->message);
    assert_int_equal(diag_entries(t.diag), 1);
    assert_int_equal(diag_entry(t.diag, 0)->severity, DIAG_WARNING);
    tells(&t, 0, expected);
    assert_int_equal(arrlen(t.map.entities[0].solids), kept);
    return t;
}

static void warns_and_keeps(const char *text, struct expected expected, int kept)
{
    struct map_text t = warns(text, expected, kept);
    map_text_free(&t);
}

/* The first error and how many there are; nothing is returned. */
static void fails(const char *text, struct expected expected, size_t count)
{
    struct map_text t = map_text(text);
    assert_int_equal(t.status, STATUS_FAILED);
    if (diag_entries(t.diag) != count)
        for (size_t i = 0; i < diag_entries(t.diag); i++)
            print_message("%s\n", diag_entry(t.diag, i)->message);
    assert_int_equal(diag_entries(t.diag), count);
    tells(&t, 0, expected);
    assert_null(t.map.entities);
    map_text_free(&t);
}

static void what_is_no_map_fails(void **state)
{
    (void)state;
    const struct expected not_a_map = {DIAG_MAP_NOT, 0, -1, -1, -1};
    fails("", not_a_map, 1);
    fails("world { id 1 }", not_a_map, 1);
    fails("IBSP", not_a_map, 1);
    fails("{", not_a_map, 1);
    fails("{ \"classname\" \"light\" }", (struct expected){DIAG_MAP_NO_WORLD, 0, -1, -1, -1}, 1);
}

static void one_world_is_kept(void **state)
{
    (void)state;
    warns_and_keeps(WORLD(BRUSH(CUBE)) WORLD(""),
                    (struct expected){DIAG_WORLD_TWICE, 12, 1, -1, -1}, 1);
    warns_and_keeps(WORLD(BRUSH(CUBE)) "{\n\"origin\" \"0 0 0\"\n}\n",
                    (struct expected){DIAG_ENTITY_CLASSNAME, 12, 1, -1, -1}, 1);
}

/* The first brush is cut from a face on; the second stays. */
static void a_brush_that_does_not_parse_drops_only_itself(void **state)
{
    (void)state;
    static const char *const faces[] = {
        "( 0 0 ) ( 0 64 64 ) ( 64 64 64 ) a/b 0 0 0 1 1",
        "( 0 0 0 ) ( 0 64 64 ) a/b 0 0 0 1 1",
        "( 0 x 0 ) ( 0 64 64 ) ( 64 64 64 ) a/b 0 0 0 1 1",
        "( 0 0x4 0 ) ( 0 64 64 ) ( 64 64 64 ) a/b 0 0 0 1 1",
        "( 0 infinity+ 0 ( 0 64 64 ) ( 64 64 64 ) a/b 0 0 0 1 1",
        UP "a/b 0 0 0 1",
        UP "a/b 0 0 none 1 1",
        UP "a/b [ 1 0 0 ] [ 0 1 0 0 ] 0 1 1",
        UP "a/b [ 1 0 0 0 ] ( 0 1 0 0 ) 0 1 1",
        UP "a/b [ 1 0 0 0 ] [ 0 1 0 0 ] 0 1",
        UP "( ( 1 0 0 ) ) a/b",
        UP "( ( 1 0 ) ( 0 1 0 ) ) a/b",
        UP "( 1 0 0 ) ( 0 1 0 ) a/b",
        "\"a\" \"b\"",
        "words",
    };
    for (size_t i = 0; i < sizeof faces / sizeof *faces; i++) {
        char text[2048];
        snprintf(text, sizeof text, WORLD("{\n" DOWN PLAIN "%s\n" REST "}\n" BRUSH(CUBE)),
                 faces[i]);
        struct map_text t = map_text(text);
        assert_int_equal(t.status, STATUS_OK);
        assert_int_equal(diag_entries(t.diag), 1);
        const struct diag_entry *entry = diag_entry(t.diag, 0);
        assert_int_equal(entry->code, DIAG_MAP_BRUSH);
        assert_int_equal(entry->where.entity_id, 0);
        assert_int_equal(arrlen(t.map.entities[0].solids), 1);
        assert_true(entry->where.line == 5 || entry->where.line == 6);
        assert_int_equal(entry->where.solid_id, 0);
        assert_int_equal(entry->where.side_id, 1);
        map_text_free(&t);
    }
}

static void points_are_finite_and_not_too_far(void **state)
{
    (void)state;
    static const char *const points[] = {"( 0 3e8 64 )", "( -1e30 0 64 )",     "( 1e999 0 64 )",
                                         "( nan 0 64 )", "( -1.#IND00 0 64 )", "( 0 -inf 64 )"};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 WORLD("{\n%s ( 0 64 64 ) ( 64 64 64 ) a/b 0 0 0 1 1\n" REST "}\n"), points[i]);
        warns_and_keeps(text, (struct expected){DIAG_MAP_POINT, 4, 0, 0, 0}, 0);
    }
    struct map_text t =
        map_text(WORLD("{\n( 0 65536 64 ) ( 0 0 64 ) ( -65536 0 64 ) a/b 0 0 0 1 1\n" REST "}\n"));
    assert_int_equal(diag_entries(t.diag), 0);
    map_text_free(&t);
}

static void a_face_on_a_line_is_left_out(void **state)
{
    (void)state;
    struct map_text t =
        warns(WORLD("{\n" UP PLAIN "( 0 0 0 ) ( 0.1 0.1 0.1 ) ( 0.3 0.3 0.3 ) " PLAIN REST "}\n"),
              (struct expected){DIAG_MAP_FLAT_FACE, 5, 0, 0, 1}, 1);
    const struct map_side *sides = t.map.entities[0].solids[0].sides;
    assert_int_equal(arrlen(sides), 6);
    assert_int_equal(sides[1].id, 2); /* the number in the editor */
    map_text_free(&t);
    warns_and_keeps(WORLD("{\n( 1 1 1 ) ( 1 1 1 ) ( 2 2 2 ) " PLAIN CUBE "}\n"),
                    (struct expected){DIAG_MAP_FLAT_FACE, 4, 0, 0, 0}, 1);
    warns_and_keeps(WORLD("{\n" UP PLAIN DOWN PLAIN WEST PLAIN "}\n"),
                    (struct expected){DIAG_SOLID_SIDES, 3, 0, 0, -1}, 0);
}

static void mappings_without_sense_become_plain(void **state)
{
    (void)state;
    static const char *const mappings[] = {
        "a/b 1e10 0 0 1 1",
        "a/b 0 0 0 1e-20 1",
        "a/b 0 0 1e300 1 1",
        "a/b [ 1e300 0 0 0 ] [ 0 1 0 0 ] 0 1 1",
        "( ( 1e999 0 0 ) ( 0 1 0 ) ) a/b 0 0 0",
        "( ( 1 0 0 ) ( 0 -nan 0 ) ) a/b 0 0 0",
        "a/b 0 0 0 1.#INF00 1",
        "a/b 0 -1.#IND 0 1 1",
        "a/b [ 1 0 0 0 ] [ 0 1 0 0 ] 0 1 nan",
    };
    for (size_t i = 0; i < sizeof mappings / sizeof *mappings; i++) {
        char text[1024];
        snprintf(text, sizeof text, WORLD("{\n" UP "%s\n" REST "}\n"), mappings[i]);
        struct map_text t = warns(text, (struct expected){DIAG_SIDE_AXES, 4, 0, 0, 0}, 1);
        const struct map_side *side = &t.map.entities[0].solids[0].sides[0];
        assert_false(side->mapped_in_images);
        assert_float_equal(map_coordinate(&side->u, vec3(8, 4, 0)), 16, 0);
        assert_float_equal(map_coordinate(&side->v, vec3(8, 4, 0)), -8, 0);
        map_text_free(&t);
    }
}

static void a_face_without_material_is_not_drawn(void **state)
{
    (void)state;
    struct map_text t = warns(WORLD("{\n" UP "\"\" 0 0 0 1 1\n" REST "}\n"),
                              (struct expected){DIAG_SIDE_MATERIAL, 4, 0, 0, 0}, 1);
    assert_string_equal(t.map.entities[0].solids[0].sides[0].material, "textures/common/nodraw");
    map_text_free(&t);
}

static void a_pair_is_a_key_and_a_value_in_one_line(void **state)
{
    (void)state;
    const struct expected pair = {DIAG_MAP_PAIR, 3, 0, -1, -1};
    struct map_text t = warns(WORLD("\"alone\"\n\"light\" \"3\"\n" BRUSH(CUBE)), pair, 1);
    assert_string_equal(entity_value(&t.map.entities[0].keys, "light"), "3");
    assert_false(entity_has(&t.map.entities[0].keys, "alone"));
    map_text_free(&t);
    warns_and_keeps(WORLD("\"last\"\n"), pair, 0);
    warns_and_keeps(WORLD("( 0 0 0 ) stray numbers\n" BRUSH(CUBE)), pair, 1);
}

static void a_quote_ends_with_its_line(void **state)
{
    (void)state;
    struct map_text t = warns(WORLD("\"message\" \"not closed\r\n\"light\" \"3\"\n" BRUSH(CUBE)),
                              (struct expected){DIAG_MAP_QUOTE, 3, 0, -1, -1}, 1);
    assert_string_equal(entity_value(&t.map.entities[0].keys, "message"), "not closed");
    assert_string_equal(entity_value(&t.map.entities[0].keys, "light"), "3");
    map_text_free(&t);
    warns_and_keeps(WORLD("\"message not closed\n\"light\" \"3\"\n"),
                    (struct expected){DIAG_MAP_QUOTE, 3, 0, -1, -1}, 0);
}

static void an_open_brace_is_reported_where_it_was_opened(void **state)
{
    (void)state;
    fails(WORLD("{\n" CUBE BRUSH(CUBE)), (struct expected){DIAG_MAP_UNCLOSED, 3, 0, 0, -1}, 1);
    fails("{\n\"classname\" \"worldspawn\"\n{\n" UP PLAIN,
          (struct expected){DIAG_MAP_UNCLOSED, 3, 0, 0, -1}, 2);
    fails("{\n\"classname\" \"worldspawn\"\n" BRUSH(CUBE),
          (struct expected){DIAG_MAP_UNCLOSED, 1, 0, -1, -1}, 1);
    fails("{\n\"classname\" \"worldspawn\"\n" BRUSH(CUBE) "{\n\"classname\" \"light\"\n}\n",
          (struct expected){DIAG_MAP_UNCLOSED, 1, 0, -1, -1}, 1);
    fails(WORLD("{\nbrushDef\n{\n" CUBE "}\n" BRUSH(CUBE)),
          (struct expected){DIAG_MAP_UNCLOSED, 3, 0, 0, -1}, 1);
    fails(WORLD("{\nbrushDef\n{\n" CUBE), (struct expected){DIAG_MAP_UNCLOSED, 3, 0, 0, -1}, 2);
    fails("{\n\"classname\" \"worldspawn\"\n{\npatchDef2\n{\na/b\n( 3 3 0 0 0 )\n",
          (struct expected){DIAG_MAP_UNCLOSED, 3, 0, 0, -1}, 2);
}

static void an_entity_closed_too_early_is_reported_once(void **state)
{
    (void)state;
    fails(WORLD("}\n" BRUSH(CUBE) BRUSH(CUBE)) "{\n\"classname\" \"light\"\n}\n",
          (struct expected){DIAG_MAP_STRAY, 4, -1, -1, -1}, 1);
    fails(WORLD("") "words\n", (struct expected){DIAG_MAP_STRAY, 4, -1, -1, -1}, 1);
}

#define ROW(x) "( ( " x " 0 0 0 0 ) ( " x " 1 0 0 0 ) ( " x " 2 0 0 0 ) )\n"
#define PATCH(kind, size, columns)                                                                 \
    WORLD(BRUSH(CUBE) "{\n" kind "\n{\na/b\n( " size " 0 0 0 )\n(\n" columns                       \
                      ")\n}\n}\n" BRUSH(CUBE))

/* The patch is brush 1, in lines 11 and after. */
static void patch_is_dropped(const char *text, int code, int line)
{
    struct map_text t = warns(text, (struct expected){code, line, 0, 1, -1}, 2);
    assert_int_equal(arrlen(t.map.entities[0].patches), 0);
    assert_int_equal(t.map.entities[0].solids[1].id, 2);
    map_text_free(&t);
}

static void patches_of_wrong_sizes_are_dropped(void **state)
{
    (void)state;
    patch_is_dropped(PATCH("patchDef2", "3 1", ROW("0")), DIAG_PATCH_SMALL, 11);
    patch_is_dropped(PATCH("patchDef2", "0 3", ""), DIAG_PATCH_SMALL, 11);
    patch_is_dropped(PATCH("patchDef2", "4 3", ROW("0") ROW("1") ROW("2") ROW("3")),
                     DIAG_PATCH_EVEN, 11);
    patch_is_dropped(PATCH("patchDef2", "3 32", ROW("0")), DIAG_PATCH_EVEN, 11);
    patch_is_dropped(PATCH("patchDef2", "33 3", ROW("0")), DIAG_PATCH_LONG, 11);
    patch_is_dropped(PATCH("patchDef2", "33 33", ROW("0")), DIAG_PATCH_POINTS, 11);
    patch_is_dropped(PATCH("patchDef2", "2147483647 2147483647", ROW("0")), DIAG_PATCH_POINTS, 11);
}

static void patches_that_do_not_parse_are_dropped(void **state)
{
    (void)state;
    const int syntax = DIAG_PATCH_SYNTAX;
    patch_is_dropped(PATCH("patchDef2", "3", ROW("0")), syntax, 15);
    patch_is_dropped(PATCH("patchDef2", "3.5 3", ROW("0")), syntax, 15);
    patch_is_dropped(PATCH("patchDef2", "-3 3", ROW("0")), syntax, 15);
    patch_is_dropped(PATCH("patchDef3", "3 3", ROW("0")), syntax, 15);
    patch_is_dropped(PATCH("patchDef2", "3 3", ROW("0") ROW("1")), syntax, 19);
    patch_is_dropped(PATCH("patchDef2", "3 3", ROW("0") ROW("1") ROW("2") ROW("3")), syntax, 20);
    patch_is_dropped(PATCH("patchDef2", "3 5", ROW("0") ROW("1") ROW("2")), syntax, 17);
    patch_is_dropped(PATCH("patchDef2", "3 3", ROW("0") ROW("x") ROW("2")), syntax, 18);
    patch_is_dropped(PATCH("patchDef2", "3 3", ROW("0") ROW("0") "( ( 1 2 3 4 ) )\n"), syntax, 19);
    patch_is_dropped(PATCH("patchDef2", "3 3", ROW("0") ROW("1") ROW("-65537")), DIAG_MAP_POINT,
                     19);
    patch_is_dropped(PATCH("patchDef2", "3 3", ROW("0") ROW("1") ROW("1e999")), DIAG_MAP_POINT, 19);
    patch_is_dropped(PATCH("patchDef2", "3 3", ROW("0") ROW("1") ROW("nan")), DIAG_MAP_POINT, 19);
    patch_is_dropped(PATCH("patchDef2", "nan 3", ROW("0") ROW("1") ROW("2")), syntax, 15);
    patch_is_dropped(PATCH("patchDefWS", "3 3", ROW("0") ROW("1") ROW("2")), DIAG_MAP_KIND, 12);
    patch_is_dropped(PATCH("brushDef3", "3 3", ROW("0") ROW("1") ROW("2")), DIAG_MAP_KIND, 12);
}

SUITE(test_map_damage)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_map_fails),
        cmocka_unit_test(one_world_is_kept),
        cmocka_unit_test(a_brush_that_does_not_parse_drops_only_itself),
        cmocka_unit_test(points_are_finite_and_not_too_far),
        cmocka_unit_test(a_face_on_a_line_is_left_out),
        cmocka_unit_test(mappings_without_sense_become_plain),
        cmocka_unit_test(a_face_without_material_is_not_drawn),
        cmocka_unit_test(a_pair_is_a_key_and_a_value_in_one_line),
        cmocka_unit_test(a_quote_ends_with_its_line),
        cmocka_unit_test(an_open_brace_is_reported_where_it_was_opened),
        cmocka_unit_test(an_entity_closed_too_early_is_reported_once),
        cmocka_unit_test(patches_of_wrong_sizes_are_dropped),
        cmocka_unit_test(patches_that_do_not_parse_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
