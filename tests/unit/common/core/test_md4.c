/* MD4 with the examples of its standard. */
#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>

#include "common/core/md4.h"

static void check(const char *text, const char *expected)
{
    unsigned char hash[MD4_SIZE];
    char got[2 * MD4_SIZE + 1];
    md4_of(text, strlen(text), hash);
    for (size_t i = 0; i < MD4_SIZE; i++)
        snprintf(got + 2 * i, 3, "%02x", hash[i]);
    assert_string_equal(got, expected);
}

static void examples_of_the_standard(void **state)
{
    (void)state;
    check("", "31d6cfe0d16ae931b73c59d7e0c089c0");
    check("a", "bde52cb31de33e46245e05fbdbd6fb24");
    check("message digest", "d9130a8164549fe818874806e1c7014b");
    check("abcdefghijklmnopqrstuvwxyz", "d79e1c308aa5bbcdeea8ed63df412da9");
    check("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
          "043f8582f241db351ce627e153e7f0e4");
    check("1234567890123456789012345678901234567890123456789012345678901234567890"
          "1234567890",
          "e33b4ddc9c38f2199c3e7b164fcc0536");
}

SUITE(test_md4)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_the_standard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
