/* The form of a value that is kept for later runs, the same in the folders of caches, on servers
 * and in checkpoints: a header of a fixed size, then the value.
 *
 * The header: the magic number "BWCACHE\0", the version of this form, a zero; the hash of the key;
 * the size of the value; and the seal, a SHA-256 of the kind, the hash and the value. Numbers are
 * little-endian. */
#ifndef CACHE_CACHE_ENTRY_H
#define CACHE_CACHE_ENTRY_H

#include "common/cache/cache.h"

enum {
    CACHE_HEADER_SIZE = 88,
    CACHE_KIND_MAX = 64,
    CACHE_PATH_SIZE = CACHE_KIND_MAX + 2 * SHA256_SIZE + 4, /* with the terminator */
};

/* The most bytes of a value: no BSP has more. */
#define CACHE_VALUE_MAX ((uint64_t)2 << 30)

/* The most bytes of a value of the key. */
uint64_t cache_value_max(const struct cache_key *key);

/* Returns true if the kind can be the name of a folder. */
bool cache_kind_is_valid(const char *kind);

/* Returns true for a kind that the stages have: a folder of that name in a cache is of the cache.
 */
bool cache_kind_is_known(const char *kind);

/* Returns true for the first bytes of an entry of any key, of any version. */
bool cache_entry_has_magic(const void *data, size_t size);

/* Writes the path of the entry below the place of the cache: KIND/H/HASH, H being the first digit
 * of HASH. */
void cache_entry_path(const struct cache_key *key, char out[CACHE_PATH_SIZE]);

/* Sets *hash if the name is that of an entry in the folder of its first digit. */
bool cache_entry_parse_name(const char *digit, const char *name, unsigned char hash[SHA256_SIZE]);

/* Makes the header of a value. */
void cache_entry_seal(const struct cache_key *key, const void *value, size_t size,
                      unsigned char header[CACHE_HEADER_SIZE]);

/* Returns true, with the size of the value, if this is the header of an entry of the key. */
bool cache_entry_open(const struct cache_key *key, const unsigned char header[CACHE_HEADER_SIZE],
                      uint64_t *size);

/* Returns true if the value is the one that was sealed. */
bool cache_entry_check(const struct cache_key *key, const unsigned char header[CACHE_HEADER_SIZE],
                       const void *value, size_t size);

/* The key of a value and its seal, as its header has them. */
struct cache_seal {
    unsigned char key[SHA256_SIZE], seal[SHA256_SIZE];
};

/* Reads it from a header that cache_entry_seal has made. */
void cache_entry_seal_of(const unsigned char header[CACHE_HEADER_SIZE], struct cache_seal *out);

/* Takes the header of a value of the kind, of any key and size, at the start of `from`, which then
 * ends with the value. Returns false unless the value is whole, and the one that was sealed. */
bool cache_entry_take(struct byte_reader *from, const char *kind, struct cache_seal *out);

#endif
