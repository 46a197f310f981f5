#include "tests/support/suite.h"

#include <stdio.h>

#include "common/core/array.h"
#include "common/text/make_rule.h"

static char *format(const char *target, const char *input)
{
    static char text[256];
    struct bytes out = {0};
    const struct make_rule rule = {&target, 1, &input, 1};
    const char *refused = make_rule_format(&rule, &out);
    snprintf(text, sizeof text, "%.*s", (int)out.size, out.data ? (const char *)out.data : "");
    if (refused) {
        assert_int_equal(out.size, 0);
        assert_true(refused == target || refused == input);
    }
    bytes_free(&out);
    return refused ? NULL : text;
}

static void paths_are_escaped(void **state)
{
    (void)state;
    static const struct {
        const char *path, *target, *input, *rule; /* rule: of the input alone; NULL: none */
    } rows[] = {
        {"a.vmf", "a.vmf", "a.vmf", "a.vmf"},
        {"a b.vmf", "a\\ b.vmf", "a\\ b.vmf", "a\\ b.vmf"},
        {"a#b$c", "a\\#b$$c", "a\\#b$$c", "a\\#b$$c"},
        {"C:x", "C\\:x", "C\\:x", "C\\:x"},
        {"a\\b", "a\\b", "a\\b", "a\\b"},
        {"a\\\\ b", "a\\\\\\\\\\ b", "a\\\\\\\\\\ b", "a\\\\\\\\\\ b"},
        {"a\\b c", "a\\b\\ c", "a\\b\\ c", "a\\b\\ c"},
        {"100%.vmt", "100\\%.vmt", "100%.vmt", NULL},
        {"~a", "./~a", "./~a", "./~a"},
        {"a*?", "a\\*\\?", "a\\*\\?", "a\\*\\?"},
        {"\xc3\xa9(1) x", "\xc3\xa9(1)\\ x", "\xc3\xa9(1)\\ x", "\xc3\xa9(1)\\ x"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char expected[256];
        snprintf(expected, sizeof expected, "%s: \\\n  in\n\nin:\n", rows[i].target);
        assert_string_equal(format(rows[i].path, "in"), expected);
        snprintf(expected, sizeof expected, "out: \\\n  %s\n%s%s%s", rows[i].input,
                 rows[i].rule ? "\n" : "", rows[i].rule ? rows[i].rule : "",
                 rows[i].rule ? ":\n" : "");
        assert_string_equal(format("out", rows[i].path), expected);
    }
}

static void paths_without_a_form_are_refused(void **state)
{
    (void)state;
    static const char *const paths[] = {"a\nb", "a\tb",  "a\rb",  "a\177b", "a;b",
                                        "a|b",  "a\\#b", "a\\:b", "a ",     "a\\",
                                        "a:",   "a&",    "a(b)",  "",       "a=b"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_null(format(paths[i], "in"));
        assert_null(format("out", paths[i]));
    }
}

/* Behind a colon, a = sets a variable, unless a name stands before it. */
static void names_with_an_equals_sign_come_later(void **state)
{
    (void)state;
    static const char *const targets[] = {"a", "b c"}, *const inputs[] = {"x=y", "z", "w"};
    const struct make_rule rule = {targets, 2, inputs, 3};
    struct bytes out = {0};
    assert_null(make_rule_format(&rule, &out));
    bytes_append(&out, "", 1);
    assert_string_equal((const char *)out.data, "a b\\ c: \\\n  z \\\n  x=y \\\n  w\n\nz:\n\nw:\n");
    bytes_free(&out);
}

static void inputs_are_read_again(void **state)
{
    (void)state;
    static const char *const targets[] = {"a b:c", "d"};
    static const char *const inputs[] = {"a.vmf",  "a b.vmf", "a#b$c",  "C:x",
                                         "a\\b",   "a\\\\ b", "a\\b c", "100%\\%.vmt",
                                         "a*?\\*", "x=y",     "d(1) x"};
    const struct make_rule rule = {targets, 2, inputs, sizeof inputs / sizeof *inputs};
    struct bytes out = {0};
    struct arena arena = {0};
    assert_null(make_rule_format(&rule, &out));
    bytes_append(&out, "", 1);
    const char **found = make_rule_inputs(&arena, (const char *)out.data);
    assert_int_equal(arrlenu(found), rule.input_count);
    for (size_t i = 0; i < rule.input_count; i++)
        assert_string_equal(found[i], inputs[i]);
    arrfree(found);
    static const char *const others[] = {"", "a", "a:", "a: \\\n", "\n: b", ":", "a\\", "a: b\\"};
    static const size_t counts[] = {0, 0, 0, 0, 0, 0, 0, 1};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        found = make_rule_inputs(&arena, others[i]);
        assert_int_equal(arrlenu(found), counts[i]);
        arrfree(found);
    }
    arena_free(&arena);
    bytes_free(&out);
}

SUITE(test_make_rule)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_escaped),
        cmocka_unit_test(paths_without_a_form_are_refused),
        cmocka_unit_test(names_with_an_equals_sign_come_later),
        cmocka_unit_test(inputs_are_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
