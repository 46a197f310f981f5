/* The form of a value that is kept for later runs, the same in the folders of caches, on servers
 * and in checkpoints: a header of a fixed size, then the value, as it is or compressed.
 *
 * The header: the magic number "BWCACHE\0", the version of this form, how the value is stored (enum
 * cache_form); the hash of the key; the size of the value, and that of what is stored; the
 * signature; and the seal. A digest is the SHA-256 of the kind, the header up to there, and what is
 * stored; the signature is its HMAC-SHA-256, or zeros; the seal is the SHA-256 of both. Numbers are
 * little-endian. */
#ifndef CACHE_CACHE_ENTRY_H
#define CACHE_CACHE_ENTRY_H

#include "common/cache/cache.h"
#include "common/core/bytes.h"

enum {
    CACHE_HEADER_SIZE = 128,
    CACHE_OLD_HEADER_SIZE = 88, /* of version 2 */
    CACHE_KIND_MAX = 64,
    CACHE_PATH_SIZE = CACHE_KIND_MAX + 2 * SHA256_SIZE + 4, /* with the terminator */
};

enum cache_form { CACHE_PLAIN, CACHE_DEFLATED /* zlib, RFC 1950 */ };

/* The most bytes of a value: no BSP has more. */
#define CACHE_VALUE_MAX ((uint64_t)2 << 30)

struct cache_entry {
    unsigned char header[CACHE_HEADER_SIZE];
    struct bytes stored;
};

void cache_entry_free(struct cache_entry *entry);

/* The most bytes of a value of the key. */
uint64_t cache_value_max(const struct cache_key *key);

/* Returns true if the kind can be the name of a folder. */
bool cache_kind_is_valid(const char *kind);

/* Returns true for a kind that the stages have: a folder of that name in a cache is of the cache.
 */
bool cache_kind_is_known(const char *kind);

/* Returns true for the first bytes of an entry of any key, of any version. */
bool cache_entry_has_magic(const void *data, size_t size);

/* Returns true if this is the start of an entry of `size` bytes that an earlier release has made,
 * in a form that is no longer read. The size may be 0: not known. */
bool cache_entry_is_old(const unsigned char start[CACHE_OLD_HEADER_SIZE], uint64_t size);

/* Writes the path of the entry below the place of the cache: KIND/H/HASH, H being the first digit
 * of HASH. */
void cache_entry_path(const struct cache_key *key, char out[CACHE_PATH_SIZE]);

/* Writes the SHA-256 of the kind and the hash, by which a store without kinds names the entry. */
void cache_entry_flat_name(const struct cache_key *key, char out[2 * SHA256_SIZE + 1]);

/* Sets *hash if the name is that of an entry in the folder of its first digit. */
bool cache_entry_parse_name(const char *digit, const char *name, unsigned char hash[SHA256_SIZE]);

/* Of a header. */
struct cache_sizes {
    enum cache_form form;
    uint64_t value, stored; /* in bytes */
};

/* Returns true, with the sizes, if this is the header of an entry of the key. A value is not larger
 * than those of its key, nor than what is stored can become. */
bool cache_entry_open(const struct cache_key *key, const unsigned char header[CACHE_HEADER_SIZE],
                      struct cache_sizes *sizes);

/* Makes an entry of a value, in this form if that is smaller than as it is, and signed if there is
 * a key for that. One that is plain borrows the value. Free with cache_entry_free. */
void cache_entry_make(const struct cache_key *key, const struct cache_secret *secret,
                      enum cache_form form, int threads, const struct bytes *value,
                      struct cache_entry *out);

/* Seals and signs what is stored already, in this form. */
void cache_entry_seal(const struct cache_key *key, const struct cache_secret *secret,
                      const struct cache_sizes *sizes, struct cache_entry *entry);

enum cache_taken {
    CACHE_TAKEN,
    CACHE_BROKEN,   /* it is not what was sealed, or not of the key */
    CACHE_UNSIGNED, /* whole, but not signed with the key that there is */
};

/* Appends the value, or leaves *out unchanged. The entry may borrow from *out afterwards. */
enum cache_taken cache_entry_take(const struct cache_key *key, const struct cache_secret *secret,
                                  struct cache_entry *entry, struct bytes *out);

/* ---- a value in a file of its own, as it is: a checkpoint ---- */

/* The key of a value and its seal, as its header has them. */
struct cache_seal {
    unsigned char key[SHA256_SIZE], seal[SHA256_SIZE];
};

/* Makes the header of a value. */
void cache_sealed_begin(const struct cache_key *key, const void *value, size_t size,
                        unsigned char header[CACHE_HEADER_SIZE]);

/* Reads key and seal from a header that cache_sealed_begin has made. */
void cache_sealed_read(const unsigned char header[CACHE_HEADER_SIZE], struct cache_seal *out);

/* Takes the header of a value of the kind, of any key and size, at the start of `from`, which then
 * ends with the value. Returns false unless the value is whole, and the one that was sealed. */
bool cache_sealed_take(struct byte_reader *from, const char *kind, struct cache_seal *out);

#endif
