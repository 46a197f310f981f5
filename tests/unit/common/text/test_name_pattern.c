#include "tests/support/suite.h"

#include "common/text/name_pattern.h"

struct row {
    const char *pattern, *name;
    bool matches;
};

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (name_pattern_matches(rows[i].pattern, rows[i].name) != rows[i].matches)
            fail_msg("%s and %s: expected %d", rows[i].pattern, rows[i].name, rows[i].matches);
}

static void stars_match_any_text(void **state)
{
    static const struct row rows[] = {
        {"a", "a", true},
        {"a", "A", false},
        {"a", "ab", false},
        {"ab", "a", false},
        {"", "", true},
        {"", "a", false},
        {"*", "", true},
        {"*", "a.vmf", true},
        {"*.vmf", "a.vmf", true},
        {"*.vmf", "a.vmf~", false},
        {"a*b*c", "aXbbYc", true},
        {"a*b*c", "aXbY", false},
        {"*ab", "aab", true},
        {"**", "x", true},
        {"a*", "a", true},
        {"?", "a", true},
        {"?", "", false},
        {"a?c", "abc", true},
        {"*?", "a", true},
        {"*?", "", false},
        {"\\*", "\\x", true},
    };
    (void)state;
    check_rows(rows, sizeof rows / sizeof *rows);
}

static void sets_match_one_character(void **state)
{
    static const struct row rows[] = {
        {"[ab]", "b", true},      {"[ab]", "c", false},      {"[a-c]x", "bx", true},
        {"[c-a]", "b", false},    {"[!a-c]", "b", false},    {"[!a-c]", "d", true},
        {"[^a]", "b", true},      {"[]a]", "]", true},       {"[!]a]", "]", false},
        {"[a-]", "-", true},      {"[-a]", "-", true},       {"[a", "[a", true},
        {"[", "[", true},         {"[]", "[]", true},        {"[!]", "[!]", true},
        {"x[1-9]*", "x7y", true}, {"*[0-9]", "map12", true}, {"*[0-9]", "map1x", false},
        {"[\\]", "\\", true},     {"[\xc3]", "\xc3", true},  {"[a-b-d]", "c", false},
    };
    (void)state;
    check_rows(rows, sizeof rows / sizeof *rows);
}

static void only_a_dot_matches_a_dot_at_the_beginning(void **state)
{
    static const struct row rows[] = {
        {"*", ".a", false}, {"?a", ".a", false}, {"[.]a", ".a", false}, {".*", ".a", true},
        {".a", ".a", true}, {"a*", "a.b", true}, {"a?b", "a.b", true},
    };
    (void)state;
    check_rows(rows, sizeof rows / sizeof *rows);
}

SUITE(test_name_pattern)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stars_match_any_text),
        cmocka_unit_test(sets_match_one_character),
        cmocka_unit_test(only_a_dot_matches_a_dot_at_the_beginning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
