#include "tests/support/suite.h"

#include <stdio.h>

#include "common/cli/command_line_words.h"
#include "common/core/array.h"

/* Splits a line into words, which are joined with `|`; `*` before the one that was guessed. */
static const char *split(const char *line, char text[256])
{
    struct command_words words;
    size_t length = 0;
    command_words_split(line, &words);
    text[0] = 0;
    for (size_t i = 0; i < arrlenu(words.words); i++)
        length += (size_t)snprintf(text + length, 256 - length, "%s%s%s", i ? "|" : "",
                                   words.words[i] == words.guessed ? "*" : "", words.words[i]);
    for (size_t i = 0; i < arrlenu(words.words); i++)
        memory_free(words.words[i]);
    arrfree(words.words);
    return text;
}

static void words_are_those_of_windows(void **state)
{
    (void)state;
    char text[256];
    assert_string_equal(split("vbsp.exe a.vmf", text), "vbsp.exe|a.vmf");
    assert_string_equal(split("\"C:\\my tools\\vbsp.exe\"  -v\t\"a b.vmf\" ", text),
                        "C:\\my tools\\vbsp.exe|-v|a b.vmf");
    assert_string_equal(split("v \"\" x", text), "v||x");
    assert_string_equal(split("v a\\b \\\\server\\share", text), "v|a\\b|\\\\server\\share");
    assert_string_equal(split("v \"C:\\x\\\\\" m", text), "v|C:\\x\\|m");
    assert_string_equal(split("v \"say \\\"yes\\\"\" m", text), "v|say \"yes\"|m");
    assert_string_equal(split("v a\\\\\\\"b", text), "v|a\\\"b");
    assert_string_equal(split("v \"a\"\"b\"", text), "v|a\"b");
}

static void backslashes_before_quotes_end_paths(void **state)
{
    (void)state;
    char text[256];
    assert_string_equal(split("v -game \"C:\\my game\\\" \"C:\\maps\\a b.vmf\"", text),
                        "v|-game|*C:\\my game\\|C:\\maps\\a b.vmf");
    assert_string_equal(split("v -game \"C:\\my game\\\" m -v", text),
                        "v|-game|*C:\\my game\\|m|-v");
    assert_string_equal(split("v m -game \"C:\\my game\\\"", text), "v|m|-game|*C:\\my game\\");
    assert_string_equal(split("v \"say \\\" and go\"", text), "v|say \" and go");
}

SUITE(test_command_line_words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_those_of_windows),
        cmocka_unit_test(backslashes_before_quotes_end_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
