#include "common/core/hmac.h"

#include <string.h>

enum { BLOCK = 64, INNER = 0x36, OUTER = 0x5c };

void hmac_begin(struct hmac *hmac, const void *key, size_t size)
{
    unsigned char padded[BLOCK] = {0};
    if (size > BLOCK)
        sha256_of(key, size, padded);
    else if (size)
        memcpy(padded, key, size);
    for (int i = 0; i < BLOCK; i++) {
        hmac->outer_key[i] = padded[i] ^ OUTER;
        padded[i] ^= INNER;
    }
    sha256_begin(&hmac->inner);
    sha256_add(&hmac->inner, padded, sizeof padded);
}

void hmac_add(struct hmac *hmac, const void *data, size_t size)
{
    sha256_add(&hmac->inner, data, size);
}

void hmac_end(struct hmac *hmac, unsigned char out[SHA256_SIZE])
{
    unsigned char inner[SHA256_SIZE];
    struct sha256 outer;
    sha256_end(&hmac->inner, inner);
    sha256_begin(&outer);
    sha256_add(&outer, hmac->outer_key, sizeof hmac->outer_key);
    sha256_add(&outer, inner, sizeof inner);
    sha256_end(&outer, out);
}

bool hmac_equal(const unsigned char a[SHA256_SIZE], const unsigned char b[SHA256_SIZE])
{
    unsigned char difference = 0;
    for (int i = 0; i < SHA256_SIZE; i++)
        difference |= a[i] ^ b[i];
    return difference == 0;
}
