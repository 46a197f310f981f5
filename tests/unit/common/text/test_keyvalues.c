#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/bytes.h"
#include "common/diag/codes/syntax.def"
#include "common/text/keyvalues.h"
#include "common/text/lexer.h"

struct fixture {
    struct arena arena;
    struct diag *diag;
    struct kv *root;
};

static int setup(void **state)
{
    struct fixture *fixture = memory_zalloc(1, sizeof *fixture);
    fixture->diag = diag_new(NULL, NULL);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    arena_free(&fixture->arena);
    diag_free(fixture->diag);
    memory_free(fixture);
    return 0;
}

static enum status parse_bytes(struct fixture *fixture, const char *text, size_t size,
                               enum kv_mode mode)
{
    return kv_parse(text, size, "file", mode, &fixture->arena, fixture->diag, &fixture->root);
}

static enum status parse(struct fixture *fixture, const char *text, enum kv_mode mode)
{
    return parse_bytes(fixture, text, strlen(text), mode);
}

/* The tree as text: key=value, key{...}. */
static void flatten(const struct kv *block, struct bytes *out)
{
    for (const struct kv *node = block->children; node; node = node->next) {
        if (node->value) {
            bytes_append_text(out, "%s=%s;", node->key, node->value);
        } else {
            bytes_append_text(out, "%s{", node->key);
            flatten(node, out);
            bytes_append_text(out, "}");
        }
    }
}

static void expect_tree(const struct fixture *fixture, const char *expected)
{
    struct bytes text = {0};
    flatten(fixture->root, &text);
    bytes_u8(&text, 0);
    assert_string_equal((const char *)text.data, expected);
    bytes_free(&text);
}

static void expect_lenient(struct fixture *fixture, const char *text, const char *tree)
{
    assert_int_equal(parse(fixture, text, KV_LENIENT), STATUS_OK);
    expect_tree(fixture, tree);
}

static void blocks_and_values(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(parse(f, "a { \"b\" 1 c { } D\n2 } e{f g}", KV_STRICT), STATUS_OK);
    expect_tree(f, "a{b=1;c{}D=2;}e{f=g;}");
    const struct kv *a = kv_find(f->root, "A");
    assert_non_null(a);
    assert_int_equal(a->line, 1);
    assert_string_equal(kv_value(a, "d"), "2");
    assert_null(kv_value(a, "c"));
    assert_null(kv_find(a, "nothing"));
    assert_int_equal(diag_entries(f->diag), 0);
}

/* A quote in a value ends it, which is told, unless the reader knows it as an escape. */
static void quotes_inside_of_values(void **state)
{
    struct fixture *f = *state;
    const char *text = "a { \"k\" \"say \\\"x\\\" y\\\\\" \"l\" 1 }";
    assert_int_equal(parse(f, text, KV_STRICT_QUOTES), STATUS_OK);
    expect_tree(f, "a{k=say \x02x\x02 y\\\\;l=1;}");
    assert_int_equal(diag_entries(f->diag), 0);
    assert_int_equal(parse(f, "a {\n\"k\" \"say \\\"x\\\" y\" }", KV_STRICT), STATUS_OK);
    expect_tree(f, "a{k=say \\;x\\= y;}");
    assert_int_equal(diag_count_code(f->diag, DIAG_TEXT_QUOTE), 1);
    assert_int_equal(diag_entry(f->diag, diag_entries(f->diag) - 1)->where.line, 2);
}

static void first_of_equals_wins(void **state)
{
    struct fixture *f = *state;
    expect_lenient(f, "k 1 K 2 #include \"x\" #base \"y\"", "k=1;K=2;#include=x;#base=y;");
    assert_string_equal(kv_value(f->root, "K"), "1");
}

static void conditions(void **state)
{
    struct fixture *f = *state;
    expect_lenient(f, "a 1 [$X360] b 2 [!$X360] c [$PS3] { d 1 } e [$WIN32] { f 1 }",
                   "b=2;e{f=1;}");
    expect_lenient(f, "a 1 [$X360 || $WIN32] b 2 [ $X ]", "a=1;b=2;[=$X;]=;");
    expect_lenient(f, "a 1 [$WIN32 && !$X360]\nb 2 [$WIN32 && $X360]", "a=1;");
    expect_lenient(f, "a \"[$x]\" b [0 1]", "a=[$x];b=[0;1]=;");
    expect_lenient(f, "k [$X360] { a { b c } } z 1", "z=1;");
    expect_lenient(f, "a 1 [$never\nb 2", "a=1;[$never=b;2=;");
}

static void lenient_repairs_with_one_warning(void **state)
{
    struct fixture *f = *state;
    expect_lenient(f, "a { b { c 1", "a{b{c=1;}}");
    assert_int_equal(diag_count_code(f->diag, DIAG_TEXT_REPAIRED), 1);
    expect_lenient(f, "} a { b } } { x 1 } c", "a{b=;}{x=1;}c=;");
    assert_int_equal(diag_count_code(f->diag, DIAG_TEXT_REPAIRED), 2);
    expect_lenient(f, "a {\n b \"never ends \r\n c 2\n}", "a{b=never ends;c=2;}");
    assert_int_equal(diag_count_code(f->diag, DIAG_TEXT_REPAIRED), 3);
    assert_int_equal(diag_count(f->diag, DIAG_ERROR), 0);
    expect_lenient(f, "a{b c}\0", "a{b=c;}");
    assert_int_equal(diag_entries(f->diag), 3);
}

static void expect_strict(struct fixture *fixture, const char *text, int line, const char *word)
{
    size_t before = diag_entries(fixture->diag);
    assert_int_equal(parse(fixture, text, KV_STRICT), STATUS_FAILED);
    assert_null(fixture->root);
    assert_int_equal(diag_entries(fixture->diag), before + 1);
    const struct diag_entry *entry = diag_entry(fixture->diag, before);
    assert_int_equal(entry->code, DIAG_TEXT_SYNTAX);
    assert_string_equal(entry->where.file, "file");
    assert_int_equal(entry->where.line, line);
    if (!strstr(entry->message, word))
        fail_msg("\"%s\" does not say \"%s\"", entry->message, word);
}

static void strict_names_the_place(void **state)
{
    struct fixture *f = *state;
    expect_strict(f, "world\n{\n solid\n {\n }\n", 1, "world");
    expect_strict(f, "world\n{\n\tsolid\n\t{\n\t\tid 1\n\tsolid\n\t{\n\t\tid 2\n\t}\n}\n", 1,
                  "line 10");
    expect_strict(f, "a\n{\n}\n}\n", 4, "unexpected '}'");
    expect_strict(f, "a\n{\n b 1\n c\n}\n", 4, "\"c\"");
    expect_strict(f, "a\n{\n b \"1\n}\n", 3, "line 3");
    expect_strict(f, "a {\n b \"1\n c \"2\"\n }\n", 3, "line 2");
    expect_strict(f, "a { }\n { }", 2, "name");
    expect_strict(f, " // nothing\n", 2, "empty file");
}

static void depth_is_limited(void **state)
{
    struct fixture *f = *state;
    struct bytes text = {0};
    for (int i = 0; i < 200; i++)
        bytes_append(&text, "a{", 2);
    assert_int_equal(parse_bytes(f, (char *)text.data, text.size, KV_LENIENT), STATUS_OK);
    for (int i = 0; i < 100000; i++)
        bytes_append(&text, "a{", 2);
    assert_int_equal(parse_bytes(f, (char *)text.data, text.size, KV_LENIENT), STATUS_FAILED);
    assert_int_equal(diag_count_code(f->diag, DIAG_TEXT_SYNTAX), 1);
    bytes_free(&text);
}

static void utf16_becomes_utf8(void **state)
{
    struct fixture *f = *state;
    static const char little[] = "\xFF\xFE"
                                 "k\0 \0\xE9\0\xAC\x20\x3D\xD8\x00\xDE \0a\0 \0\x00\xD8";
    assert_int_equal(parse_bytes(f, little, sizeof little - 1, KV_STRICT), STATUS_OK);
    expect_tree(f, "k=\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80;a=\xEF\xBF\xBD;");
    static const char big[] = "\xFE\xFF\0k\0 \0v";
    assert_int_equal(parse_bytes(f, big, sizeof big - 1, KV_STRICT), STATUS_OK);
    expect_tree(f, "k=v;");
}

static void nul_is_white_space(void **state)
{
    struct fixture *f = *state;
    static const char text[] = "a\0{ b \"c\0d\" }\0\0";
    assert_int_equal(parse_bytes(f, text, sizeof text - 1, KV_STRICT), STATUS_OK);
    expect_tree(f, "a{b=c d;}");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* --- lexer --- */

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

SUITE(test_keyvalues)
{
    const struct CMUnitTest tests[] = {
        TEST(blocks_and_values),
        TEST(quotes_inside_of_values),
        TEST(first_of_equals_wins),
        TEST(conditions),
        TEST(lenient_repairs_with_one_warning),
        TEST(strict_names_the_place),
        TEST(depth_is_limited),
        TEST(utf16_becomes_utf8),
        TEST(nul_is_white_space),
        cmocka_unit_test(words_quotes_and_braces),
        cmocka_unit_test(backslash_is_plain),
        cmocka_unit_test(comments),
        cmocka_unit_test(lines_in_quotes),
        cmocka_unit_test(byte_order_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
