/* SHA-256 with the examples of its standard. */
#include "tests/support/suite.h"

#include <string.h>

#include "common/core/sha256.h"

static void check(const char *text, size_t times, const char *expected)
{
    unsigned char hash[SHA256_SIZE];
    char got[2 * SHA256_SIZE + 1];
    struct sha256 state;
    sha256_begin(&state);
    for (size_t i = 0; i < times; i++)
        sha256_add(&state, text, strlen(text));
    sha256_end(&state, hash);
    sha256_text(hash, got);
    assert_string_equal(got, expected);
}

static void examples_of_the_standard(void **state)
{
    (void)state;
    check("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void pieces_do_not_matter(void **state)
{
    (void)state;
    unsigned char data[300], whole[SHA256_SIZE], pieces[SHA256_SIZE];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 7);
    for (size_t size = 0; size < sizeof data; size++) {
        struct sha256 hash;
        sha256_of(data, size, whole);
        sha256_begin(&hash);
        sha256_add(&hash, data, size / 3);
        sha256_add(&hash, data + size / 3, size - size / 3);
        sha256_end(&hash, pieces);
        assert_memory_equal(whole, pieces, SHA256_SIZE);
    }
}

/* By the processor's instructions, if it has them, and without. */
static void both_ways_give_the_same(void **state)
{
    unsigned char data[300], hashes[2][SHA256_SIZE];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * i);
    for (size_t size = 0; size < sizeof data; size++) {
        for (int way = 0; way < 2; way++) {
            (void)sha256_use_instructions(way == 1);
            sha256_of(data, size, hashes[way]);
        }
        assert_memory_equal(hashes[0], hashes[1], SHA256_SIZE);
    }
    (void)sha256_use_instructions(false);
    examples_of_the_standard(state);
    pieces_do_not_matter(state);
    (void)sha256_use_instructions(true);
}

SUITE(test_sha256)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_the_standard),
        cmocka_unit_test(pieces_do_not_matter),
        cmocka_unit_test(both_ways_give_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
