#include "tests/support/suite.h"

#include <string.h>

#include "common/cli/bar.h"

static void a_line_fits_any_terminal(void **state)
{
    (void)state;
    static const char *const names[] = {"faces", "second pass: portals",
                                        "a phase with a long name"};
    char line[BAR_LINE + 1];
    for (int columns = 20; columns <= 400; columns++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            for (int part = 0; part <= 4; part++) {
                bar_line(line, columns - 1, names[i], part / 4.0, "  about 20 s left");
                assert_true((int)strlen(line) < columns);
                assert_ptr_equal(strstr(line, "  "), line);
                assert_memory_equal(line + 2, names[i], 5);
                assert_non_null(strstr(line, part == 4 ? "100 %" : part == 1 ? "25 %" : " %"));
                bar_line(line, columns - 1, names[i], -1, "");
                assert_true((int)strlen(line) < columns);
                assert_memory_equal(line + 2, names[i], 5);
            }
}

static void room_is_for_the_bar_then_the_estimate(void **state)
{
    (void)state;
    char line[BAR_LINE + 1];
    bar_line(line, 79, "faces", 0.5, "  about 20 s left");
    assert_string_equal(line,
                        "  faces                [############............]  50 %  about 20 s left");
    bar_line(line, 50, "faces", 0.5, "  about 20 s left");
    assert_string_equal(line, "  faces                [#########..........]  50 %");
    bar_line(line, 19, "second pass: portals", 0.5, "  about 20 s left");
    assert_string_equal(line, "  second pass  50 %");
    bar_line(line, 0, "faces", 0.5, "");
    assert_string_equal(line, "");
}

SUITE(test_bar)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_fits_any_terminal),
        cmocka_unit_test(room_is_for_the_bar_then_the_estimate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
