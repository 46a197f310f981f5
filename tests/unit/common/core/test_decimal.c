/* Numbers are parsed like strtod, bit for bit. */
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/random.h"
#include "common/core/strings.h"

static void expect_same(const char *text, size_t length)
{
    double value = 99;
    char *end;
    const char *stop = decimal_read(text, text + length, &value);
    double expected = strtod(text, &end);
    if (memcmp(&value, &expected, sizeof value) != 0 || stop != end)
        fail_msg("\"%s\": %.17g, where strtod has %.17g", text, value, expected);
    assert_ptr_equal(decimal_read(text, NULL, &value), stop);
}

static void random_digits_are_read_as_strtod_reads_them(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 400000; i++) {
        char text[32], *at = text;
        uint64_t roll = hash_pair(i, 1);
        int whole = 1 + (int)(roll % 15), decimals = (int)(roll / 15 % (uint64_t)(16 - whole));
        if (roll >> 60 & 1)
            *at++ = '-';
        for (int k = 0; k < whole + decimals; k++) {
            if (k == whole)
                *at++ = '.';
            *at++ = (char)('0' + hash_pair(i, (uint64_t)(2 + k)) % 10);
        }
        *at = 0;
        expect_same(text, (size_t)(at - text));
    }
}

/* As in portal files: "%f" of coordinates, some of which are nearly integers. */
static void coordinates_are_read_as_strtod_reads_them(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 400000; i++) {
        char text[64];
        double reach = i % 3 ? 16384 : 16777216, value = (random_unit(i, 0) - 0.5) * 2 * reach;
        int length = snprintf(text, sizeof text, "%f", i % 5 ? value : value / 1e6);
        expect_same(text, (size_t)length);
    }
}

static void odd_forms_are_read_as_strtod_reads_them(void **state)
{
    (void)state;
    static const char *texts[] = {"0",   "-0",  "-0.0", "00012", "5.",
                                  "-5.", "1.0", "0.1",  "-0.5",  "999999999999999"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_same(texts[i], strlen(texts[i]));
}

static void what_is_unusual_is_left_to_others(void **state)
{
    (void)state;
    static const char *texts[] = {"",
                                  "-",
                                  ".5",
                                  "-.5",
                                  "+1",
                                  " 1",
                                  "abc",
                                  "inf",
                                  "nan",
                                  "1234567890123456",
                                  "1.234567890123456",
                                  "--1",
                                  "0.0000000000000001"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value = 99;
        assert_null(decimal_read(texts[i], texts[i] + strlen(texts[i]), &value));
        assert_null(decimal_read(texts[i], NULL, &value));
        assert_true(value == 99);
    }
}

static void nothing_behind_the_end_is_looked_at(void **state)
{
    (void)state;
    static const char text[] = "-12.75";
    static const double expected[] = {0, 0, -1, -12, -12, -12.7, -12.75};
    for (size_t length = 0; length < sizeof text; length++) {
        char *exact = malloc(length ? length : 1);
        double value = 0;
        memcpy(exact, text, length);
        const char *stop = decimal_read(exact, exact + length, &value);
        assert_true(length < 2 ? !stop : stop == exact + length);
        assert_true(value == expected[length]);
        free(exact);
    }
}

static void it_stops_where_the_number_does(void **state)
{
    (void)state;
    static const char *texts[] = {"12e5", "0x10", "1.5.2", "7)", "7 8", "1-2"};
    static const size_t lengths[] = {2, 1, 3, 1, 1, 1};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value;
        assert_ptr_equal(decimal_read(texts[i], NULL, &value), texts[i] + lengths[i]);
    }
}

SUITE(test_decimal)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_digits_are_read_as_strtod_reads_them),
        cmocka_unit_test(coordinates_are_read_as_strtod_reads_them),
        cmocka_unit_test(odd_forms_are_read_as_strtod_reads_them),
        cmocka_unit_test(what_is_unusual_is_left_to_others),
        cmocka_unit_test(nothing_behind_the_end_is_looked_at),
        cmocka_unit_test(it_stops_where_the_number_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
