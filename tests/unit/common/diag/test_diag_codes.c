#include "tests/support/suite.h"

#include <string.h>

#include "common/diag/diag_explain.h"

static void codes_are_unique(void **state)
{
    (void)state;
    for (int a = 0; a < DIAG_CODES; a++)
        for (int b = a + 1; b < DIAG_CODES; b++)
            assert_string_not_equal(diag_info((enum diag_code)a)->code,
                                    diag_info((enum diag_code)b)->code);
}

static void codes_have_a_room_and_three_digits(void **state)
{
    (void)state;
    for (int i = 0; i < DIAG_CODES; i++) {
        const char *code = diag_info((enum diag_code)i)->code;
        assert_int_equal(strlen(code), 4);
        assert_non_null(strchr("CABSVIRMPT", code[0]));
        assert_int_equal(strspn(code + 1, "0123456789"), 3);
    }
}

/* A title has no full stop, a fix is a sentence with one; neither breaks the table of
 * docs/diagnostics.md. */
static void texts_have_their_form(void **state)
{
    (void)state;
    for (int i = 0; i < DIAG_CODES; i++) {
        const struct diag_info *info = diag_info((enum diag_code)i);
        size_t title = strlen(info->title), fix = strlen(info->fix);
        assert_true(title > 5 && info->title[title - 1] != '.');
        assert_true(fix > 5 && info->fix[fix - 1] == '.');
        assert_null(strpbrk(info->title, "|\n"));
        assert_null(strpbrk(info->fix, "|\n"));
    }
}

static void codes_are_found_by_their_text(void **state)
{
    (void)state;
    assert_int_equal(diag_code_named("V001"), DIAG_LEAK);
    assert_int_equal(diag_code_named("v001"), DIAG_LEAK);
    assert_int_equal(diag_code_named("V00"), DIAG_CODES);
    assert_int_equal(diag_code_named(""), DIAG_CODES);
}

/* Paragraphs of sentences, without what docs/diagnostics.md would take for marks. */
static void explanations_have_their_form(void **state)
{
    (void)state;
    int explained = 0;
    for (int i = 0; i < DIAG_CODES; i++) {
        const struct diag_explanation explanation = diag_explain((enum diag_code)i);
        assert_true(explanation.text || !explanation.example);
        if (!explanation.text)
            continue;
        explained++;
        size_t length = strlen(explanation.text);
        assert_true(length > 40 && explanation.text[length - 1] == '.');
        assert_null(strpbrk(explanation.text, "|<>*`"));
        assert_null(strstr(explanation.text, "\n\n\n"));
        for (const char *end = strchr(explanation.text, '\n'); end; end = strchr(end + 2, '\n'))
            assert_true(end[-1] == '.' && end[1] == '\n');
    }
    assert_true(explained >= 30);
}

SUITE(test_diag_codes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_are_unique),
        cmocka_unit_test(codes_have_a_room_and_three_digits),
        cmocka_unit_test(texts_have_their_form),
        cmocka_unit_test(codes_are_found_by_their_text),
        cmocka_unit_test(explanations_have_their_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
