/* HMAC-SHA-256 (RFC 2104, FIPS 198-1). */
#ifndef CORE_HMAC_H
#define CORE_HMAC_H

#include "common/core/sha256.h"

struct hmac {
    struct sha256 inner;
    unsigned char outer_key[64];
};

/* A key may have any size; one of more than 64 bytes counts by its hash. */
void hmac_begin(struct hmac *hmac, const void *key, size_t size);
void hmac_add(struct hmac *hmac, const void *data, size_t size);
void hmac_end(struct hmac *hmac, unsigned char out[SHA256_SIZE]);

/* Compares in a time that does not depend on where they differ. */
bool hmac_equal(const unsigned char a[SHA256_SIZE], const unsigned char b[SHA256_SIZE]);

#endif
