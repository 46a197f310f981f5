/* HMAC-SHA-256 by the vectors of RFC 4231. */
#include "tests/support/suite.h"

#include <string.h>

#include "common/core/hmac.h"

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

SUITE(test_hmac)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_of_the_rfc),
        cmocka_unit_test(each_changed_bit_is_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
