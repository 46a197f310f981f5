#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/core/text_stream.h"
#include "common/diag/diag_text.h"

static void assert_wrapped(const char *text, int columns, const char *expected)
{
    struct text_stream stream;
    assert_true(text_stream_open(&stream));
    diag_put_wrapped(stream.out, text, columns);
    text_stream_close(&stream);
    assert_string_equal(stream.text, expected);
    free(stream.text);
}

static void lines_are_broken_at_blanks(void **state)
{
    (void)state;
    assert_wrapped("", 20, "");
    assert_wrapped("short\n", 20, "short\n");
    assert_wrapped("exactly twenty chars\n", 20, "exactly twenty chars\n");
    assert_wrapped("exactly twenty chars.\n", 20, "exactly twenty\n    chars.\n");
    assert_wrapped("one two three four five six", 12, "one two\n    three\n    four\n    five six");
}

static void indented_lines_keep_their_indent(void **state)
{
    (void)state;
    assert_wrapped("  fix: do this now\nnext\n", 14, "  fix: do this\n      now\nnext\n");
}

/* A word that is too long stands alone, and no line is lost. */
static void long_words_stay_whole(void **state)
{
    (void)state;
    assert_wrapped("a_very_long_word_indeed b\n", 10, "a_very_long_word_indeed\n    b\n");
    assert_wrapped("   \n", 2, "   \n");
    assert_wrapped("a b\n", 1, "a b\n");
}

static void colours_and_letters_of_utf8_count_as_they_show(void **state)
{
    (void)state;
    assert_wrapped("\033[31merror\033[0m ab\n", 8, "\033[31merror\033[0m ab\n");
    assert_wrapped("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 ab\n", 8,
                   "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4 ab\n");
    assert_wrapped("\033[31never ended", 8, "\033[31never ended");
}

SUITE(test_diag_wrap)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_broken_at_blanks),
        cmocka_unit_test(indented_lines_keep_their_indent),
        cmocka_unit_test(long_words_stay_whole),
        cmocka_unit_test(colours_and_letters_of_utf8_count_as_they_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
