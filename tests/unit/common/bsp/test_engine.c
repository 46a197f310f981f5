/* The table of engines, and the formats of their files. */
#include "tests/support/suite.h"

#include <string.h>

#include "common/bsp/codec/format.h"

/* A source that names no target is compiled for one that exists and can be written. */
static void the_usual_target_is_one_of_the_engine(void **state)
{
    (void)state;
    const struct bsp_format *format;
    for (size_t i = 0; (format = bsp_format_at(i)); i++) {
        const struct bsp_format *usual = bsp_format_find(format->engine->target);
        assert_non_null(usual);
        assert_ptr_equal(usual->engine, format->engine);
        assert_false(usual->read_only);
    }
}

static void families_are_indices_of_tables(void **state)
{
    (void)state;
    const struct bsp_format *format;
    for (size_t i = 0; (format = bsp_format_at(i)); i++)
        assert_true(format->engine->family < ENGINE_FAMILIES);
    assert_ptr_equal(bsp_format_find("csgo")->engine, &engine_source);
    assert_ptr_equal(bsp_format_find("quake3")->engine, &engine_quake3);
}

static void a_source_names_its_engine_by_its_ending(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        const struct engine *engine;
    } cases[] = {
        {"a.vmf", &engine_source}, {"a.vmm", &engine_source}, {"a", &engine_source},
        {"a.map", &engine_quake3}, {"A.MAP", &engine_quake3}, {"maps/a.reg", &engine_quake3},
        {"a.bmx", &engine_quake3}, {"-", &engine_source},     {"a.map.vmf", &engine_source}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(engine_of_level(cases[i].path)->name, cases[i].engine->name);
}

/* A new BSP is one of Source until its maker says otherwise; a file says itself. */
static void each_bsp_has_an_engine(void **state)
{
    (void)state;
    struct bsp *bsp = bsp_new();
    assert_ptr_equal(bsp->engine, &engine_source);
    bsp_free(bsp);
}

SUITE(test_engine)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_usual_target_is_one_of_the_engine),
        cmocka_unit_test(families_are_indices_of_tables),
        cmocka_unit_test(a_source_names_its_engine_by_its_ending),
        cmocka_unit_test(each_bsp_has_an_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
