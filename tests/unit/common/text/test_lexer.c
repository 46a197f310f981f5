#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>

#include "common/text/lexer.h"

/* Every token as text: { } 'quoted' word ~unterminated, with its line. */
static void expect(const char *text, size_t size, const char *expected)
{
    char got[512] = "";
    struct lexer lexer = lexer_new(text, size);
    struct token token;
    while ((token = lexer_next(&lexer)).kind != TOKEN_END) {
        size_t used = strlen(got);
        const char *before = token.kind == TOKEN_UNTERMINATED ? "~" : token.quoted ? "'" : "";
        snprintf(got + used, sizeof got - used, "%s%.*s:%d ", before, (int)token.length, token.text,
                 token.line);
    }
    assert_string_equal(got, expected);
    assert_int_equal(lexer_next(&lexer).kind, TOKEN_END);
}

#define EXPECT(text, expected) expect(text, sizeof(text) - 1, expected)

static void words_quotes_and_braces(void **state)
{
    (void)state;
    EXPECT("a{b}\"c\"d", "a:1 {:1 b:1 }:1 'c:1 d:1 ");
    EXPECT("  one\r\n\ttwo\r\n", "one:1 two:2 ");
    EXPECT("", "");
    EXPECT("\"\"", "':1 ");
    EXPECT("a\0b\1c", "a:1 b:1 c:1 ");
    EXPECT("[0 1]", "[0:1 1]:1 ");
}

static void backslash_is_plain(void **state)
{
    (void)state;
    EXPECT("\"a\\b\\\" c", "'a\\b\\:1 c:1 ");
}

static void comments(void **state)
{
    (void)state;
    EXPECT("a // b \"c\" {\nd", "a:1 d:2 ");
    EXPECT("\"http://x\" y//z", "'http://x:1 y//z:1 ");
    EXPECT("/* a */", "/*:1 a:1 */:1 ");
    EXPECT("//", "");
    EXPECT("/", "/:1 ");
}

static void lines_in_quotes(void **state)
{
    (void)state;
    EXPECT("\"a\nb\" c", "'a\nb:1 c:2 ");
    EXPECT("x\n\"never\nends", "x:1 ~never\nends:2 ");
}

static void byte_order_mark(void **state)
{
    (void)state;
    EXPECT("\xEF\xBB\xBF"
           "a",
           "a:1 ");
    EXPECT("\xEF\xBB", "\xEF\xBB:1 ");
}

SUITE(test_lexer)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_quotes_and_braces),
        cmocka_unit_test(backslash_is_plain),
        cmocka_unit_test(comments),
        cmocka_unit_test(lines_in_quotes),
        cmocka_unit_test(byte_order_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
