/* SHA-256 with the examples of its standard. */
#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>

#include "common/core/hmac.h"
#include "common/core/md4.h"
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

/* MD4 with the examples of its standard. */

static void md4_check(const char *text, const char *expected)
{
    unsigned char hash[MD4_SIZE];
    char got[2 * MD4_SIZE + 1];
    md4_of(text, strlen(text), hash);
    for (size_t i = 0; i < MD4_SIZE; i++)
        snprintf(got + 2 * i, 3, "%02x", hash[i]);
    assert_string_equal(got, expected);
}

static void md4_examples_of_the_standard(void **state)
{
    (void)state;
    md4_check("", "31d6cfe0d16ae931b73c59d7e0c089c0");
    md4_check("a", "bde52cb31de33e46245e05fbdbd6fb24");
    md4_check("message digest", "d9130a8164549fe818874806e1c7014b");
    md4_check("abcdefghijklmnopqrstuvwxyz", "d79e1c308aa5bbcdeea8ed63df412da9");
    md4_check("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
              "043f8582f241db351ce627e153e7f0e4");
    md4_check("1234567890123456789012345678901234567890123456789012345678901234567890"
              "1234567890",
              "e33b4ddc9c38f2199c3e7b164fcc0536");
}

/* HMAC-SHA-256 by the vectors of RFC 4231. */

struct vector {
    size_t key_size;
    unsigned char key_byte; /* of all of the key, unless there is a text */
    const char *key_text;
    size_t data_size;
    unsigned char data_byte;
    const char *data_text;
    const char *wanted; /* digits; test case 5 has half of them */
};

static const struct vector vectors[] = {
    {20, 0x0b, NULL, 0, 0, "Hi There",
     "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
    {0, 0, "Jefe", 0, 0, "what do ya want for nothing?",
     "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
    {20, 0xaa, NULL, 50, 0xdd, NULL,
     "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
    {0, 0,
     "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17"
     "\x18\x19",
     50, 0xcd, NULL, "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
    {20, 0x0c, NULL, 0, 0, "Test With Truncation", "a3b6167473100ee06e0c796c2955552b"},
    {131, 0xaa, NULL, 0, 0, "Test Using Larger Than Block-Size Key - Hash Key First",
     "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
    {131, 0xaa, NULL, 0, 0,
     "This is a test using a larger than block-size key and a larger than block-size data. The key "
     "needs to be hashed before being used by the HMAC algorithm.",
     "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
};

static size_t fill(unsigned char *out, size_t size, unsigned char byte, const char *text)
{
    if (!text) {
        memset(out, byte, size);
        return size;
    }
    memcpy(out, text, strlen(text));
    return strlen(text);
}

static void vectors_of_the_rfc(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        const struct vector *vector = &vectors[i];
        unsigned char key[256], data[256], out[SHA256_SIZE];
        char text[2 * SHA256_SIZE + 1];
        size_t key_size = fill(key, vector->key_size, vector->key_byte, vector->key_text);
        size_t size = fill(data, vector->data_size, vector->data_byte, vector->data_text);
        struct hmac hmac;
        hmac_begin(&hmac, key, key_size);
        hmac_add(&hmac, data, size / 2);
        hmac_add(&hmac, data + size / 2, size - size / 2);
        hmac_end(&hmac, out);
        sha256_text(out, text);
        text[strlen(vector->wanted)] = 0;
        assert_string_equal(text, vector->wanted);
    }
}

static void each_changed_bit_is_another(void **state)
{
    (void)state;
    unsigned char a[SHA256_SIZE] = {1, 2, 3}, b[SHA256_SIZE] = {1, 2, 3};
    assert_true(hmac_equal(a, b));
    for (int bit = 0; bit < 8 * SHA256_SIZE; bit++) {
        b[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_false(hmac_equal(a, b));
        b[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

SUITE(test_hashes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_of_the_standard), cmocka_unit_test(pieces_do_not_matter),
        cmocka_unit_test(both_ways_give_the_same),  cmocka_unit_test(md4_examples_of_the_standard),
        cmocka_unit_test(vectors_of_the_rfc),       cmocka_unit_test(each_changed_bit_is_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
