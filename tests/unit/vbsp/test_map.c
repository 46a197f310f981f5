/* .map texts: what faces, brushes, entities and patches say, in each form. */
#include "tests/support/suite.h"

#include <stdio.h>

#include "tests/support/vbsp/map_text.h"

#define DETAIL 0x8000000

static struct map_text sound(const char *text)
{
    struct map_text out = map_text(text);
    for (size_t i = 0; i < diag_entries(out.diag); i++)
        print_message("%s\n", diag_entry(out.diag, i)->message);
    assert_int_equal(out.status, STATUS_OK);
    assert_int_equal(diag_entries(out.diag), 0);
    return out;
}

static void is_axis(const struct map_texture_axis *axis, double x, double y, double z, double shift,
                    double scale)
{
    assert_float_equal(axis->axis.x, x, 1e-12);
    assert_float_equal(axis->axis.y, y, 1e-12);
    assert_float_equal(axis->axis.z, z, 1e-12);
    assert_float_equal(axis->shift, shift, 0);
    assert_float_equal(axis->scale, scale, 0);
}

static void a_classic_face_looks_along_an_axis_of_the_world(void **state)
{
    (void)state;
    struct map_text t = sound(WORLD(
        BRUSH(UP "a/b 3 -4.5 0 0.5 -2 0 0 0\n" DOWN "a/b 1 2 90 1 1\n" WEST "a/b 0 0 180 1 1\n" EAST
                 "a/b 0 0 -90 1 1\n" SOUTH "a/b 0 0 0 0 0\n" NORTH "a/b 0 0 450 1 1\n")));
    const struct map_side *sides = t.map.entities[0].solids[0].sides;
    assert_int_equal(arrlen(sides), 6);
    is_axis(&sides[0].u, 1, 0, 0, 3, 0.5);
    is_axis(&sides[0].v, 0, -1, 0, -4.5, -2);
    is_axis(&sides[1].u, 0, 1, 0, 1, 1);
    is_axis(&sides[1].v, 1, 0, 0, 2, 1);
    is_axis(&sides[2].u, 0, -1, 0, 0, 1);
    is_axis(&sides[2].v, 0, 0, 1, 0, 1);
    is_axis(&sides[3].u, 0, 0, -1, 0, 1);
    is_axis(&sides[3].v, 0, -1, 0, 0, 1);
    is_axis(&sides[4].u, 1, 0, 0, 0, 1); /* a scale of 0 is 1 */
    is_axis(&sides[4].v, 0, 0, -1, 0, 1);
    is_axis(&sides[5].u, 0, 0, 1, 0, 1);
    is_axis(&sides[5].v, 1, 0, 0, 0, 1);
    assert_false(sides[0].mapped_in_images);
    map_text_free(&t);
}

static void a_classic_face_turns_by_any_angle(void **state)
{
    (void)state;
    struct map_text t = sound(WORLD(BRUSH(UP "a/b 0 0 30 1 1\n" REST)));
    const struct map_side *side = &t.map.entities[0].solids[0].sides[0];
    double c = sqrt(3) / 2;
    is_axis(&side->u, c, 0.5, 0, 0, 1);
    is_axis(&side->v, 0.5, -c, 0, 0, 1);
    map_text_free(&t);
}

/* A sloping face in place of the cube's top; which of the world's axes its texture follows. */
static void slope_follows(const char *points, int u, int v)
{
    char text[1024];
    snprintf(text, sizeof text, WORLD("{\n%s a/b 0 0 0 1 1\n" REST "}\n"), points);
    struct map_text t = sound(text);
    const struct map_side *side = &t.map.entities[0].solids[0].sides[0];
    assert_float_equal(side->u.axis.e[u], 1, 0);
    assert_float_equal(side->v.axis.e[v], -1, 0);
    map_text_free(&t);
}

/* z before x before y, and by more than rounding. */
static void of_axes_as_near_the_first_is_followed(void **state)
{
    (void)state;
    slope_follows("( 0 0 64 ) ( 0 64 64 ) ( 64 64 0 )", 0, 1);       /* x = z */
    slope_follows("( 0 0 64 ) ( 64 0 64 ) ( 0 64 0 )", 0, 1);        /* y = z */
    slope_follows("( 0 64 64 ) ( 64 0 64 ) ( 64 0 0 )", 1, 2);       /* x = y */
    slope_follows("( 0 0 64 ) ( 0 64 64 ) ( 64 64 -0.0003 )", 0, 1); /* x more by 3e-6 */
    slope_follows("( 0 0 64 ) ( 0 64 64 ) ( 64 64 -0.03 )", 1, 2);   /* x more by 3e-4 */
}

static void a_valve_face_has_its_axes(void **state)
{
    (void)state;
    struct map_text t =
        sound(WORLD(BRUSH(UP "a/b [ 1 0 0 139.25 ] [ 0 -0.5 0.5 -8 ] 30 0.25 0 0 0 0\n" DOWN
                             "a/b [1 0 0 0][0 1 0 0] 0 -1 2\n" WEST PLAIN EAST PLAIN SOUTH PLAIN)));
    const struct map_side *sides = t.map.entities[0].solids[0].sides;
    is_axis(&sides[0].u, 1, 0, 0, 139.25, 0.25);
    is_axis(&sides[0].v, 0, -0.5, 0.5, -8, 1);
    is_axis(&sides[1].u, 1, 0, 0, 0, -1);
    is_axis(&sides[1].v, 0, 1, 0, 0, 2);
    map_text_free(&t);
}

#define MATRIX "( ( 0.5 0.25 3 ) ( -0.125 1 -4 ) ) a/b 0 0 0\n"

static void a_brush_primitive_maps_along_its_face(void **state)
{
    (void)state;
    struct map_text t = sound(WORLD(
        "{\nbrushDef\n{\n" UP MATRIX DOWN MATRIX WEST MATRIX EAST MATRIX SOUTH MATRIX NORTH MATRIX
        "}\n}\n"));
    /* s and t of each face */
    static const double along[6][2][3] = {
        {{0, 1, 0}, {1, 0, 0}},  {{0, 1, 0}, {-1, 0, 0}}, {{0, -1, 0}, {0, 0, -1}},
        {{0, 1, 0}, {0, 0, -1}}, {{1, 0, 0}, {0, 0, -1}}, {{-1, 0, 0}, {0, 0, -1}},
    };
    const struct map_solid *solid = &t.map.entities[0].solids[0];
    assert_int_equal(arrlen(solid->sides), 6);
    for (int i = 0; i < 6; i++) {
        const double *a = along[i][0], *b = along[i][1];
        assert_true(solid->sides[i].mapped_in_images);
        is_axis(&solid->sides[i].u, a[0] * 0.5 + b[0] * 0.25, a[1] * 0.5 + b[1] * 0.25,
                a[2] * 0.5 + b[2] * 0.25, 3, 1);
        is_axis(&solid->sides[i].v, a[0] * -0.125 + b[0], a[1] * -0.125 + b[1],
                a[2] * -0.125 + b[2], -4, 1);
    }
    map_text_free(&t);
}

/* On a slope both directions lie in the face and at right angles, t falling. */
static void a_primitive_on_a_slope_lies_in_it(void **state)
{
    (void)state;
    struct map_text t = sound(WORLD("{\nbrushDef\n{\n"
                                    "( 0 0 64 ) ( 0 64 64 ) ( 64 64 32 ) "
                                    "( ( 1 0 0 ) ( 0 1 0 ) ) a/b 0 0 0\n" REST "}\n}\n"));
    const struct map_side *side = &t.map.entities[0].solids[0].sides[0];
    double l = sqrt(5);
    is_axis(&side->u, 0, 1, 0, 0, 1);
    is_axis(&side->v, 2 / l, 0, -1 / l, 0, 1);
    map_text_free(&t);
}

static void each_face_has_its_own_form(void **state)
{
    (void)state;
    struct map_text t =
        sound(WORLD("{\n" UP "a/b 0 0 0 2 2\n" DOWN "( ( 1 0 0 ) ( 0 1 0 ) ) a/b\n" WEST
                    "a/b [ 0 1 0 5 ] [ 0 0 -1 0 ] 0 1 1\n" EAST PLAIN "}\n{\nbrushDef\n{\n" UP
                    "( ( 1 0 0 ) ( 0 1 0 ) ) a/b 0 0 0\n" REST "}\n}\n"));
    const struct map_side *sides = t.map.entities[0].solids[0].sides;
    assert_false(sides[0].mapped_in_images);
    assert_true(sides[1].mapped_in_images);
    assert_float_equal(sides[2].u.shift, 5, 0);
    assert_true(t.map.entities[0].solids[1].sides[0].mapped_in_images);
    assert_false(t.map.entities[0].solids[1].sides[1].mapped_in_images);
    map_text_free(&t);
}

static void a_face_ends_with_or_without_flags(void **state)
{
    (void)state;
    struct map_text t =
        sound(WORLD(BRUSH(UP "a/b 0 0 0 1 1\n" DOWN "a/b 0 0 0 1 1 134217728\n" WEST
                             "a/b 0 0 0 1 1 2147483648 4\n" EAST "a/b 0 0 0 1 1 -1 2 99\n")));
    const struct map_side *sides = t.map.entities[0].solids[0].sides;
    assert_int_equal(arrlen(sides), 4);
    assert_int_equal(sides[0].contents, 0);
    assert_int_equal(sides[1].contents, DETAIL);
    assert_int_equal(sides[2].contents, INT32_MIN);
    assert_int_equal(sides[2].flags, 4);
    assert_int_equal(sides[3].contents, -1);
    assert_int_equal(sides[3].flags, 2);
    map_text_free(&t);
}

static void materials_begin_with_textures(void **state)
{
    (void)state;
    struct map_text t = sound(
        WORLD(BRUSH(UP "textures/a/b 0 0 0 1 1\n" DOWN "Textures\\A\\b 0 0 0 1 1\n" WEST
                       "\"with blank/b\" 0 0 0 1 1\n" EAST "odd/{brace}(1)//x 0 0 0 1 1\n" SOUTH
                       "texturesx/b 0 0 0 1 1\n" NORTH "{fence 0 0 0 1 1\n")));
    static const char *const names[] = {"textures/a/b",          "Textures/A/b",
                                        "textures/with blank/b", "textures/odd/{brace}(1)//x",
                                        "textures/texturesx/b",  "textures/{fence"};
    for (int i = 0; i < 6; i++)
        assert_string_equal(t.map.entities[0].solids[0].sides[i].material, names[i]);
    map_text_free(&t);
}

static void text_may_be_laid_out_in_any_way(void **state)
{
    (void)state;
    static const char text[] =
        "\xEF\xBB\xBF// Game: Quake 3\r\n// entity 0\r\n{\r\n// brush 0\r\n{\r\n"
        "(0 0 64)(0 64 64)(+64 6.4e1 64.000)a/b -.5 1.e0 0 1E+0 1 0 0 0// so\r\n" /* glued */
        "( 0\n64 /* over\nlines */ 0 )\n( 0 0 0 ) ( 64 0 0 ) a/b\n0 0 0 1 1\n" WEST PLAIN EAST PLAIN
            SOUTH PLAIN NORTH PLAIN "}\r\n\"message\" \"C:\\maps\\ {not} (a) // brush \\\"\r\n"
        "\"classname\" \"worldspawn\"\r\nbare word\r\n\"empty\" "
        "\"\"\r\n}\r\n{\"classname\"\"light\"}";
    struct map_text t = map_text_of(text, sizeof text - 1);
    assert_int_equal(t.status, STATUS_OK);
    assert_int_equal(diag_entries(t.diag), 0);
    assert_int_equal(arrlen(t.map.entities), 2);
    const struct entity *world = &t.map.entities[0].keys;
    assert_string_equal(entity_value(world, "message"), "C:\\maps\\ {not} (a) // brush \\");
    assert_string_equal(entity_value(world, "bare"), "word");
    assert_true(entity_has(world, "empty"));
    const struct map_solid *solid = &t.map.entities[0].solids[0];
    assert_int_equal(arrlen(solid->sides), 6);
    is_axis(&solid->sides[0].u, 1, 0, 0, -0.5, 1);
    assert_float_equal(solid->sides[0].points[2].y, 64, 0);
    assert_float_equal(solid->sides[1].points[0].y, 64, 0);
    assert_int_equal(solid->line, 5);
    assert_int_equal(solid->sides[1].line, 7);
    map_text_free(&t);
}

static void keys_stay_as_written_and_in_order(void **state)
{
    (void)state;
    struct map_text t =
        sound("{ \"_Color\" \"1 0 0\" \"classname\" \"worldspawn\" \"target\" \"a\" "
              "\"target\" \"b\" \"mapversion\" \"220\" }");
    const struct key_value *pairs = t.map.entities[0].keys.pairs;
    assert_int_equal(arrlen(pairs), 5);
    assert_string_equal(pairs[0].key, "_Color");
    assert_string_equal(pairs[3].value, "b");
    assert_string_equal(pairs[4].value, "220");
    assert_int_equal(t.map.revision, 0);
    map_text_free(&t);
}

static void objects_have_the_editors_numbers(void **state)
{
    (void)state;
    struct map_text t = sound("{\"classname\" \"light\"}\n" WORLD(BRUSH(CUBE) BRUSH(
        CUBE)) "{\n\"classname\" \"func_door\"\n{\npatchDef2\n{\na/b\n( 3 3 0 0 0 )\n(\n"
               "( ( 0 0 0 0 0 ) ( 0 1 0 0 0 ) ( 0 2 0 0 0 ) )\n"
               "( ( 1 0 0 0 0 ) ( 1 1 0 0 0 ) ( 1 2 0 0 0 ) )\n"
               "( ( 2 0 0 0 0 ) ( 2 1 0 0 0 ) ( 2 2 0 0 0 ) )\n)\n}\n}\n" BRUSH(CUBE) "}\n");
    assert_int_equal(arrlen(t.map.entities), 3);
    assert_true(entity_is(&t.map.entities[0].keys, "worldspawn"));
    assert_int_equal(t.map.entities[0].id, 1); /* it stood second */
    assert_int_equal(t.map.entities[1].id, 0);
    assert_int_equal(t.map.entities[2].id, 2);
    assert_int_equal(t.map.entities[0].solids[1].id, 1);
    assert_int_equal(t.map.entities[0].solids[1].entity, 0);
    assert_int_equal(t.map.entities[0].solids[1].sides[5].id, 5);
    assert_int_equal(t.map.entities[2].patches[0].id, 0);
    assert_int_equal(t.map.entities[2].solids[0].id, 1);
    assert_int_equal(t.map.entities[2].solids[0].entity, 2);
    assert_int_equal(t.map.entities[2].patches[0].line, 23);
    const struct map_entity *door = &t.map.entities[2];
    struct diag_where where = map_where(&t.map, door, &door->solids[0], &door->solids[0].sides[0]);
    assert_true(where.counted);
    assert_int_equal(where.entity_id, 2);
    assert_int_equal(where.solid_id, 1);
    assert_int_equal(where.side_id, 0);
    where = map_where(&t.map, &t.map.entities[1], NULL, NULL);
    assert_int_equal(where.entity_id, 0);
    assert_int_equal(where.solid_id, -1);
    map_text_free(&t);
}

static void a_patch_is_written_column_by_column(void **state)
{
    (void)state;
    struct map_text t = sound(WORLD(
        "{\npatchDef2\n{\nbase/pipe\n( 3 5 134217728 0 0 )\n(\n"
        "( ( 0 0 0 0 0 ) ( 0 1 0 0 .5 ) ( 0 2 0 0 1 ) ( 0 3 0 0 0 ) ( 0 4 0 0 0 ) )\n"
        "( ( 1 0 0 .25 0 ) ( 1 1 0 0 0 ) ( 1 2 0 0 0 ) ( 1 3 0 0 0 ) ( 1 4 0 0 0 ) )\n"
        "( ( 2 0 0 -8 0 ) ( 2 1 0 0 0 ) ( 2 2 0 0 0 ) ( 2 3 0 0 0 ) ( 2 4 -7.5 3 4 1 1 1 ) )\n"
        ")\n}\n}\n"));
    const struct map_patch *patch = &t.map.entities[0].patches[0];
    assert_int_equal(patch->columns, 3);
    assert_int_equal(patch->rows, 5);
    assert_int_equal(patch->contents, DETAIL);
    assert_int_equal(patch->subdivisions[0], 0);
    assert_string_equal(patch->material, "textures/base/pipe");
    for (int row = 0; row < 5; row++) {
        for (int column = 0; column < 3; column++) {
            assert_float_equal(patch->points[row * 3 + column].p.x, column, 0);
            assert_float_equal(patch->points[row * 3 + column].p.y, row, 0);
        }
    }
    assert_float_equal(patch->points[3].texture[1], 0.5, 0);
    assert_float_equal(patch->points[1].texture[0], 0.25, 0);
    assert_float_equal(patch->points[14].p.z, -7.5, 0);
    assert_float_equal(patch->points[14].texture[1], 4, 0);
    map_text_free(&t);
}

static void a_patch_may_say_how_finely_it_is_cut(void **state)
{
    (void)state;
    struct map_text t = sound(WORLD("{patchDef3{\"a/b\"( 3 3 4 7 1 2 3 )(\n"
                                    "((0 0 0 0 0)(0 1 0 0 0)(0 2 0 0 0))\n"
                                    "((1 0 0 0 0)(1 1 0 0 0)(1 2 0 0 0))\n"
                                    "((2 0 0 0 0)(2 1 0 0 0)(2 2 0 0 0)))}}\n"));
    const struct map_patch *patch = &t.map.entities[0].patches[0];
    assert_int_equal(patch->subdivisions[0], 4);
    assert_int_equal(patch->subdivisions[1], 7);
    assert_int_equal(patch->contents, 1);
    assert_int_equal(patch->flags, 2);
    map_text_free(&t);
}

SUITE(test_map)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_classic_face_looks_along_an_axis_of_the_world),
        cmocka_unit_test(a_classic_face_turns_by_any_angle),
        cmocka_unit_test(of_axes_as_near_the_first_is_followed),
        cmocka_unit_test(a_valve_face_has_its_axes),
        cmocka_unit_test(a_brush_primitive_maps_along_its_face),
        cmocka_unit_test(a_primitive_on_a_slope_lies_in_it),
        cmocka_unit_test(each_face_has_its_own_form),
        cmocka_unit_test(a_face_ends_with_or_without_flags),
        cmocka_unit_test(materials_begin_with_textures),
        cmocka_unit_test(text_may_be_laid_out_in_any_way),
        cmocka_unit_test(keys_stay_as_written_and_in_order),
        cmocka_unit_test(objects_have_the_editors_numbers),
        cmocka_unit_test(a_patch_is_written_column_by_column),
        cmocka_unit_test(a_patch_may_say_how_finely_it_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
