#include "tests/support/suite.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag/codes/leaks.def"
#include "common/diag/diag_explain.h"

/* In the order in which codes are listed. */
static const char letters[] = "CABSVIRMPT";

/* The table and its index agree: a code has the value that its text says, and the order of codes is
 * that of their letters and numbers. */
static void codes_have_the_value_of_their_text(void **state)
{
    (void)state;
    bool taken[DIAG_CODES_MAX] = {false};
    size_t count = 0;
    for (int code = diag_next(0), next; code; code = next, count++) {
        const char *text = diag_info(code)->code;
        const char *letter = strchr(letters, text[0]);
        assert_non_null(letter);
        assert_int_equal(code, (letter - letters) * 1000 + strtoll(text + 1, NULL, 10));
        assert_in_range(diag_index(code), 0, DIAG_CODES_MAX - 1);
        assert_false(taken[diag_index(code)]);
        taken[diag_index(code)] = true;
        next = diag_next(code);
        assert_true(next > code || !next);
    }
    assert_true(count > 480);
    for (size_t i = 0; i < DIAG_CODES_MAX; i++)
        assert_int_equal(taken[i], i < count);
    assert_int_equal(DIAG_LEAK, 4001);
}

static void other_numbers_are_no_codes(void **state)
{
    (void)state;
    static const int numbers[] = {INT_MIN, -1, 0, DIAG_LEAK - 1, 9999, 10000, INT_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_null(diag_info(numbers[i]));
}

static void codes_have_a_room_and_three_digits(void **state)
{
    (void)state;
    for (int i = diag_next(0); i; i = diag_next(i)) {
        const char *code = diag_info(i)->code;
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
    for (int i = diag_next(0); i; i = diag_next(i)) {
        const struct diag_info *info = diag_info(i);
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
    assert_int_equal(diag_code_named("V00"), 0);
    assert_int_equal(diag_code_named(""), 0);
}

/* Paragraphs of sentences, without what docs/diagnostics.md would take for marks. */
static void assert_form(const char *text)
{
    const size_t length = strlen(text);
    assert_true(length > 40 && text[length - 1] == '.');
    assert_null(strpbrk(text, "|<>*`"));
    assert_null(strstr(text, "\n\n\n"));
    for (const char *end = strchr(text, '\n'); end; end = strchr(end + 2, '\n'))
        assert_true(end[-1] == '.' && end[1] == '\n');
}

static void each_code_is_explained(void **state)
{
    (void)state;
    int own = 0;
    for (int i = diag_next(0); i; i = diag_next(i)) {
        const struct diag_explanation explanation = diag_explain(i);
        if (!explanation.text)
            fail_msg("%s has no page", diag_info(i)->code);
        assert_form(explanation.text);
        assert_non_null(diag_family(i));
        own += !explanation.family;
    }
    assert_true(own >= 30);
    assert_null(diag_explain(DIAG_LEAK).family);
}

/* In order and apart from each other, so that a code is in one, and none is without a code. */
static void families_are_apart(void **state)
{
    const struct diag_family *family;
    (void)state;
    for (size_t i = 0; (family = diag_family_at(i)) != NULL; i++) {
        const struct diag_family *next = diag_family_at(i + 1);
        int codes = 0;
        assert_true(*family->first == *family->last && strcmp(family->first, family->last) < 0);
        if (next && *next->first == *family->first)
            assert_true(strcmp(family->last, next->first) < 0);
        for (int code = diag_next(0); code; code = diag_next(code))
            codes += diag_explain(code).family == family;
        if (!codes)
            fail_msg("nothing from %s to %s", family->first, family->last);
    }
}

SUITE(test_diag_codes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_have_the_value_of_their_text),
        cmocka_unit_test(other_numbers_are_no_codes),
        cmocka_unit_test(codes_have_a_room_and_three_digits),
        cmocka_unit_test(texts_have_their_form),
        cmocka_unit_test(codes_are_found_by_their_text),
        cmocka_unit_test(each_code_is_explained),
        cmocka_unit_test(families_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
