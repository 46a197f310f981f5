#include "tests/support/suite.h"

#include <string.h>

#include "common/core/array.h"
#include "common/core/bytes.h"
#include "common/diag/codes/map_lists.def"
#include "common/text/word_lines.h"

/* The words of each line between |, and the lines with their numbers: "1:a|b 3:c". */
static void check_lines(const char *text, size_t size, const char *expected, int expected_errors)
{
    struct arena arena = {0};
    struct diag *diag = diag_new(NULL, NULL);
    struct word_line *lines = NULL;
    struct bytes found = {0};
    enum status status = word_lines_parse(text, size, "list", &arena, diag, &lines);
    for (size_t i = 0; i < arrlenu(lines); i++) {
        bytes_append_text(&found, "%s%d:", i ? " " : "", lines[i].line);
        for (size_t k = 0; k < arrlenu(lines[i].words); k++)
            bytes_append_text(&found, "%s%s", k ? "|" : "", lines[i].words[k]);
    }
    bytes_append(&found, "", 1);
    assert_string_equal((const char *)found.data, expected);
    assert_int_equal(diag_count_code(diag, DIAG_LIST), expected_errors);
    assert_int_equal(status, expected_errors ? STATUS_FAILED : STATUS_OK);
    bytes_free(&found);
    word_lines_free(lines);
    diag_free(diag);
    arena_free(&arena);
}

static void words_are_those_of_the_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *lines;
        int errors;
    } rows[] = {
        {"", "", 0},
        {"a", "1:a", 0},
        {"a\nb", "1:a 2:b", 0},
        {"a\r\nb\r\n", "1:a 2:b", 0},
        {"a\rb\r", "1:a 2:b", 0},
        {"a\n\r\n\rb", "1:a 4:b", 0},
        {"\xef\xbb\xbf"
         "a",
         "1:a", 0},
        {" \t a  b\t\n", "1:a|b", 0},
        {"# a\n #\nb #c d\ne#f\n'#'", "3:b 4:e#f 5:#", 0},
        {"'a b' \"c d\" e' 'f", "1:a b|c d|e f", 0},
        {"\"it's\" 'a\"b' \"\" ''", "1:it's|a\"b||", 0},
        {"a\\ b\\", "1:a\\|b\\", 0},
        {"a\n'b\nc\n\"", "1:a 3:c", 2},
        {"a 'b", "", 1},
        {"\xff\xfe", "", 0},
        {"caf\xc3\xa9 \xff", "1:caf\xc3\xa9|\xff", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_lines(rows[i].text, strlen(rows[i].text), rows[i].lines, rows[i].errors);
}

static void other_encodings_are_read_or_told(void **state)
{
    (void)state;
    check_lines("\xff\xfe"
                "a\0 \0b\0\r\0\n\0",
                12, "1:a|b", 0);
    check_lines("\xfe\xff\0a", 4, "1:a", 0);
    check_lines("a\0b", 3, "", 1);
}

SUITE(test_word_lines)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_those_of_the_line),
        cmocka_unit_test(other_encodings_are_read_or_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
