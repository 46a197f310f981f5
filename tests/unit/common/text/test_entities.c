#include "tests/support/suite.h"

#include <string.h>

#include "common/core/array.h"
#include "common/diag/codes/syntax.def"
#include "common/text/entities.h"

static enum status parse(const char *text, size_t size, struct entity_list *list, int *line)
{
    struct diag *diag = diag_new(NULL, NULL);
    enum status status = entities_parse(text, size, "lump", diag, list);
    assert_int_equal(diag_entries(diag), status == STATUS_OK ? 0 : 1);
    if (status != STATUS_OK) {
        assert_int_equal(diag_entry(diag, 0)->code, DIAG_TEXT_SYNTAX);
        *line = diag_entry(diag, 0)->where.line;
    }
    diag_free(diag);
    return status;
}

static void there_and_back(void **state)
{
    (void)state;
    static const char text[] = "{\n\"classname\" \"worldspawn\"\n\"a\" \"C:\\x\"\n}\n"
                               "{\n\"OnX\" \"a,b,,0,-1\"\n\"OnX\" \"c,d,,0,-1\"\n\"e\" \"\"\n}\n";
    static const char junk[] = "\0 { not read";
    struct bytes lump = {0};
    bytes_append(&lump, text, sizeof text - 1);
    bytes_append(&lump, junk, sizeof junk);
    struct entity_list list;
    int line;
    assert_int_equal(parse((char *)lump.data, lump.size, &list, &line), STATUS_OK);
    assert_int_equal(arrlen(list.entities), 2);
    assert_int_equal(arrlen(list.entities[1].pairs), 3);
    struct bytes again = {0};
    entities_format(&list, &again);
    assert_int_equal(again.size, sizeof text - 1);
    assert_memory_equal(again.data, text, again.size);
    bytes_free(&again);
    bytes_free(&lump);
    entities_free(&list);
    assert_int_equal(parse("", 0, &list, &line), STATUS_OK);
    assert_int_equal(arrlen(list.entities), 0);
    entities_free(&list);
}

static void broken_text_fails(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line;
    } cases[] = {
        {"{\n\"a\" \"b\"\n", 1},
        {"{\n\"a\"\n}", 2},
        {"{\n{ } }", 2},
        {"\n}", 2},
        {"{ \"a\" \"b }", 1},
        {"{ \"a\n", 1},
        {"noise", 1},
        {"{ \"a\" { } }", 1},
        {"{ \"a\" \"b\" }\n\n\"c\" \"d\"", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct entity_list list;
        int line = 0;
        assert_int_equal(parse(cases[i].text, strlen(cases[i].text), &list, &line), STATUS_FAILED);
        assert_int_equal(line, cases[i].line);
        assert_null(list.entities);
    }
}

static void values(void **state)
{
    (void)state;
    static const char text[] = "{ classname Light origin \"1 2.5 -3\" _light \"[255 1 2 300]\" "
                               "n \" 12.5 \" bad \"1 2\" word x }";
    struct entity_list list;
    int line;
    assert_int_equal(parse(text, sizeof text - 1, &list, &line), STATUS_OK);
    struct entity *e = &list.entities[0];
    assert_true(entity_is(e, "light"));
    assert_true(entity_has(e, "ORIGIN"));
    assert_string_equal(entity_value(e, "nothing"), "");
    assert_float_equal(entity_number(e, "n", 7), 12.5, 0);
    assert_float_equal(entity_number(e, "word", 7), 7, 0);
    assert_float_equal(entity_number(e, "nothing", 7), 7, 0);
    struct vec3 v = vec3(9, 9, 9);
    assert_false(entity_vector(e, "bad", &v));
    assert_float_equal(v.x, 9, 0);
    assert_true(entity_vector(e, "origin", &v));
    assert_float_equal(v.z, -3, 0);

    entity_set(e, &list.arena, "Word", "y");
    entity_set(e, &list.arena, "fresh", "z");
    assert_string_equal(entity_value(e, "word"), "y");
    assert_string_equal(entity_value(e, "fresh"), "z");
    assert_string_equal(e->pairs[5].key, "word");
    entity_remove(e, "CLASSNAME");
    assert_false(entity_has(e, "classname"));
    assert_int_equal(arrlen(e->pairs), 6);
    entities_free(&list);
}

static void huge_numbers_are_none(void **state)
{
    (void)state;
    static const char text[] = "{ \"a\" \"1e300\" \"origin\" \"0 1e16 0\" \"b\" \"-1e14\" }";
    struct diag *diag = diag_new(NULL, NULL);
    struct entity_list list = {0};
    struct vec3 origin = vec3(1, 2, 3);
    assert_int_equal(entities_parse(text, sizeof text - 1, "t", diag, &list), STATUS_OK);
    assert_float_equal(entity_number(&list.entities[0], "a", 7), 7, 0);
    assert_float_equal(entity_number(&list.entities[0], "b", 7), -1e14, 0);
    assert_false(entity_vector(&list.entities[0], "origin", &origin));
    assert_float_equal(origin.y, 2, 0);
    entities_free(&list);
    diag_free(diag);
}

SUITE(test_entities)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(huge_numbers_are_none),
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(broken_text_fails),
        cmocka_unit_test(values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
