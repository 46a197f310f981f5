#include "common/cache/cache_entry.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "common/core/hmac.h"
#include "common/io/deflate_blocks.h"
#include "common/io/library_memory.h"

enum {
    VERSION = 3,
    OLD_VERSION = 2,
    AT_VERSION = 8,
    AT_FORM = 12,
    AT_HASH = 16,
    AT_SIZE = 48,
    AT_STORED = 56,
    AT_SIGNATURE = 64, /* from here on it is about what is before */
    AT_SEAL = 96,
};

/* Level 1 halves what the light of a map takes, and more of a BSP; the levels above take three
 * times its CPU time for a tenth of what is left (docs/guides/cache.md). */
enum { LEVEL = 1, STEP = 1 << 18 };

/* The most that a byte of deflate becomes. */
#define RATIO_MAX 1032

static const unsigned char magic[8] = "BWCACHE";

bool cache_kind_is_valid(const char *kind)
{
    size_t length = strlen(kind);
    return length > 0 && length < CACHE_KIND_MAX && *kind != '-' &&
           strspn(kind, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

bool cache_kind_is_known(const char *kind)
{
    static const char *const kinds[] = {"vbsp", "vbsp-inputs", "vvis",        "vvis-component",
                                        "vrad", "vrad-inputs", "vrad-direct", "vrad-hits"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kind, kinds[i]) == 0)
            return true;
    return false;
}

bool cache_entry_has_magic(const void *data, size_t size)
{
    return size >= sizeof magic && memcmp(data, magic, sizeof magic) == 0;
}

uint64_t cache_value_max(const struct cache_key *key)
{
    return key->max && key->max < CACHE_VALUE_MAX ? key->max : CACHE_VALUE_MAX;
}

void cache_entry_path(const struct cache_key *key, char out[CACHE_PATH_SIZE])
{
    char name[2 * SHA256_SIZE + 1];
    sha256_text(key->hash, name);
    snprintf(out, CACHE_PATH_SIZE, "%s/%c/%s", key->kind, *name, name);
}

static int digit_of(char letter)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = letter ? strchr(digits, letter) : NULL;
    return at ? (int)(at - digits) : -1;
}

bool cache_entry_parse_name(const char *digit, const char *name, unsigned char hash[SHA256_SIZE])
{
    if (strlen(name) != 2 * SHA256_SIZE || digit[0] != name[0] || digit[1])
        return false;
    for (size_t i = 0; i < SHA256_SIZE; i++) {
        int high = digit_of(name[2 * i]), low = digit_of(name[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        hash[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}

void cache_entry_flat_name(const struct cache_key *key, char out[2 * SHA256_SIZE + 1])
{
    unsigned char name[SHA256_SIZE];
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, key->kind, strlen(key->kind) + 1);
    sha256_add(&hash, key->hash, sizeof key->hash);
    sha256_end(&hash, name);
    sha256_text(name, out);
}

void cache_entry_free(struct cache_entry *entry)
{
    bytes_free(&entry->stored);
}

/* ---- the header ---- */

static void store_u64(unsigned char *to, uint64_t value)
{
    store_u32(ORDER_LITTLE, to, (uint32_t)value);
    store_u32(ORDER_LITTLE, to + 4, (uint32_t)(value >> 32));
}

static uint64_t load_u64(const unsigned char *from)
{
    return (uint64_t)load_u32(from + 4) << 32 | load_u32(from);
}

bool cache_entry_is_old(const unsigned char start[CACHE_OLD_HEADER_SIZE], uint64_t size)
{
    return memcmp(start, magic, sizeof magic) == 0 && load_u32(start + AT_VERSION) == OLD_VERSION &&
           load_u32(start + AT_FORM) == 0 &&
           (!size || load_u64(start + AT_SIZE) == size - CACHE_OLD_HEADER_SIZE);
}

static bool sizes_are_possible(const struct cache_sizes *sizes)
{
    if (sizes->form == CACHE_PLAIN)
        return sizes->stored == sizes->value;
    return sizes->form == CACHE_DEFLATED && sizes->stored < sizes->value &&
           sizes->value / RATIO_MAX <= sizes->stored;
}

bool cache_entry_open(const struct cache_key *key, const unsigned char header[CACHE_HEADER_SIZE],
                      struct cache_sizes *sizes)
{
    *sizes = (struct cache_sizes){load_u32(header + AT_FORM), load_u64(header + AT_SIZE),
                                  load_u64(header + AT_STORED)};
    return memcmp(header, magic, sizeof magic) == 0 && load_u32(header + AT_VERSION) == VERSION &&
           memcmp(header + AT_HASH, key->hash, SHA256_SIZE) == 0 &&
           sizes->value <= cache_value_max(key) && sizes_are_possible(sizes);
}

static void make_digest(const char *kind, const unsigned char *header, const void *stored,
                        size_t size, unsigned char out[SHA256_SIZE])
{
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, kind, strlen(kind) + 1);
    sha256_add(&hash, header, AT_SIGNATURE);
    sha256_add(&hash, stored, size);
    sha256_end(&hash, out);
}

static void sign(const struct cache_secret *secret, const unsigned char digest[SHA256_SIZE],
                 unsigned char out[SHA256_SIZE])
{
    struct hmac hmac;
    hmac_begin(&hmac, secret->data, secret->size);
    hmac_add(&hmac, digest, SHA256_SIZE);
    hmac_end(&hmac, out);
}

/* Of the digest and the signature. */
static void make_seal(const unsigned char digest[SHA256_SIZE], const unsigned char *signature,
                      unsigned char out[SHA256_SIZE])
{
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, digest, SHA256_SIZE);
    sha256_add(&hash, signature, SHA256_SIZE);
    sha256_end(&hash, out);
}

static void make_header(const struct cache_key *key, const struct cache_sizes *sizes,
                        unsigned char header[CACHE_HEADER_SIZE])
{
    memset(header, 0, CACHE_HEADER_SIZE);
    memcpy(header, magic, sizeof magic);
    store_u32(ORDER_LITTLE, header + AT_VERSION, VERSION);
    store_u32(ORDER_LITTLE, header + AT_FORM, (uint32_t)sizes->form);
    memcpy(header + AT_HASH, key->hash, SHA256_SIZE);
    store_u64(header + AT_SIZE, sizes->value);
    store_u64(header + AT_STORED, sizes->stored);
}

void cache_entry_seal(const struct cache_key *key, const struct cache_secret *secret,
                      const struct cache_sizes *sizes, struct cache_entry *entry)
{
    unsigned char *header = entry->header, digest[SHA256_SIZE];
    make_header(key, sizes, header);
    make_digest(key->kind, header, entry->stored.data, entry->stored.size, digest);
    if (secret->size)
        sign(secret, digest, header + AT_SIGNATURE);
    make_seal(digest, header + AT_SIGNATURE, header + AT_SEAL);
}

/* ---- a value in a file of its own ---- */

void cache_sealed_begin(const struct cache_key *key, const void *value, size_t size,
                        unsigned char header[CACHE_HEADER_SIZE])
{
    const struct cache_sizes sizes = {CACHE_PLAIN, size, size};
    unsigned char digest[SHA256_SIZE];
    make_header(key, &sizes, header);
    make_digest(key->kind, header, value, size, digest);
    make_seal(digest, header + AT_SIGNATURE, header + AT_SEAL);
}

void cache_sealed_read(const unsigned char header[CACHE_HEADER_SIZE], struct cache_seal *out)
{
    memcpy(out->key, header + AT_HASH, sizeof out->key);
    memcpy(out->seal, header + AT_SEAL, sizeof out->seal);
}

bool cache_sealed_take(struct byte_reader *from, const char *kind, struct cache_seal *out)
{
    const unsigned char *header = read_block(from, CACHE_HEADER_SIZE);
    unsigned char digest[SHA256_SIZE], seal[SHA256_SIZE];
    if (!header || memcmp(header, magic, sizeof magic) != 0 ||
        load_u32(header + AT_VERSION) != VERSION || load_u32(header + AT_FORM) != CACHE_PLAIN ||
        load_u64(header + AT_SIZE) != load_u64(header + AT_STORED) ||
        load_u64(header + AT_SIZE) > from->size - from->at)
        return false;
    from->size = from->at + (size_t)load_u64(header + AT_SIZE);
    cache_sealed_read(header, out);
    make_digest(kind, header, from->data + from->at, from->size - from->at, digest);
    make_seal(digest, header + AT_SIGNATURE, seal);
    return memcmp(out->seal, seal, sizeof seal) == 0;
}

/* ---- the value ---- */

void cache_entry_make(const struct cache_key *key, const struct cache_secret *secret,
                      enum cache_form form, int threads, const struct bytes *value,
                      struct cache_entry *out)
{
    *out = (struct cache_entry){.header = {0}};
    if (form == CACHE_DEFLATED)
        deflate_blocks(threads, LEVEL, value, &out->stored);
    const bool is_smaller = form == CACHE_DEFLATED && out->stored.size < value->size;
    if (!is_smaller) {
        bytes_free(&out->stored);
        out->stored = (struct bytes){.data = value->data, .size = value->size};
    }
    const struct cache_sizes sizes = {is_smaller ? CACHE_DEFLATED : CACHE_PLAIN, value->size,
                                      out->stored.size};
    cache_entry_seal(key, secret, &sizes, out);
}

/* Appends `size` bytes, or returns false: there are fewer or more. Nothing is taken ahead. */
static bool inflate_value(const struct bytes *stored, uint64_t size, struct bytes *out)
{
    const size_t before = out->size;
    z_stream stream = {.zalloc = library_alloc_u32, .zfree = library_free};
    int result = inflateInit(&stream);
    if (result != Z_OK)
        return false;
    stream.next_in = stored->data;
    stream.avail_in = (uInt)stored->size;
    while (result == Z_OK && out->size - before <= size) {
        size_t at = out->size;
        stream.next_out = bytes_extend(out, STEP);
        stream.avail_out = STEP;
        result = inflate(&stream, Z_NO_FLUSH);
        out->size = at + STEP - stream.avail_out;
    }
    bool is_whole = result == Z_STREAM_END && !stream.avail_in && out->size - before == size;
    inflateEnd(&stream);
    if (!is_whole)
        bytes_undo(out, before);
    return is_whole;
}

/* Into nothing it moves: then the entry borrows it. */
static void take_plain(struct bytes *stored, struct bytes *out)
{
    const struct bytes value = *stored;
    if (out->size || !value.capacity) {
        if (value.size)
            bytes_append(out, value.data, value.size);
        return;
    }
    bytes_undo(out, 0);
    out->data = value.data;
    out->size = value.size;
    out->capacity = value.capacity;
    stored->capacity = 0;
}

enum cache_taken cache_entry_take(const struct cache_key *key, const struct cache_secret *secret,
                                  struct cache_entry *entry, struct bytes *out)
{
    unsigned char digest[SHA256_SIZE], found[SHA256_SIZE];
    struct cache_sizes sizes;
    if (!cache_entry_open(key, entry->header, &sizes) || sizes.stored != entry->stored.size)
        return CACHE_BROKEN;
    make_digest(key->kind, entry->header, entry->stored.data, entry->stored.size, digest);
    make_seal(digest, entry->header + AT_SIGNATURE, found);
    if (memcmp(entry->header + AT_SEAL, found, sizeof found) != 0)
        return CACHE_BROKEN;
    if (secret->size) {
        sign(secret, digest, found);
        if (!hmac_equal(entry->header + AT_SIGNATURE, found))
            return CACHE_UNSIGNED;
    }
    if (sizes.form == CACHE_DEFLATED)
        return inflate_value(&entry->stored, sizes.value, out) ? CACHE_TAKEN : CACHE_BROKEN;
    take_plain(&entry->stored, out);
    return CACHE_TAKEN;
}
