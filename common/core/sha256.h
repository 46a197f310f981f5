/* SHA-256 (FIPS 180-4). */
#ifndef CORE_SHA256_H
#define CORE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHA256_SIZE = 32 };

struct sha256 {
    uint32_t state[8];
    uint64_t size; /* bytes so far */
    unsigned char block[64];
};

void sha256_begin(struct sha256 *hash);
void sha256_add(struct sha256 *hash, const void *data, size_t size);
void sha256_end(struct sha256 *hash, unsigned char out[SHA256_SIZE]);

/* Hashes one block of data. */
void sha256_of(const void *data, size_t size, unsigned char out[SHA256_SIZE]);

/* For tests: uses the instructions of the processor for it, or does not. Returns true if it has
 * them.
 */
bool sha256_use_instructions(bool wanted);

/* Writes lower-case hexadecimal digits and a NUL. */
void sha256_text(const unsigned char hash[SHA256_SIZE], char out[2 * SHA256_SIZE + 1]);

#endif
