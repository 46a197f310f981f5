#include "common/cache/cache_entry.h"

#include <stdio.h>
#include <string.h>

enum { VERSION = 2, AT_VERSION = 8, AT_ZERO = 12, AT_HASH = 16, AT_SIZE = 48, AT_SEAL = 56 };

static const unsigned char magic[8] = "BWCACHE";

bool cache_kind_is_valid(const char *kind)
{
    size_t length = strlen(kind);
    return length > 0 && length < CACHE_KIND_MAX && *kind != '-' &&
           strspn(kind, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

bool cache_kind_is_known(const char *kind)
{
    static const char *const kinds[] = {"vbsp",           "vbsp-inputs", "vvis",
                                        "vvis-component", "vrad",        "vrad-inputs"};
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

static void make_seal(const char *kind, const unsigned char key[SHA256_SIZE], const void *value,
                      size_t size, unsigned char out[SHA256_SIZE])
{
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, kind, strlen(kind) + 1);
    sha256_add(&hash, key, SHA256_SIZE);
    sha256_add(&hash, value, size);
    sha256_end(&hash, out);
}

static void store_size(unsigned char *to, uint64_t size)
{
    store_u32(ORDER_LITTLE, to, (uint32_t)size);
    store_u32(ORDER_LITTLE, to + 4, (uint32_t)(size >> 32));
}

void cache_entry_seal(const struct cache_key *key, const void *value, size_t size,
                      unsigned char header[CACHE_HEADER_SIZE])
{
    memcpy(header, magic, sizeof magic);
    store_u32(ORDER_LITTLE, header + AT_VERSION, VERSION);
    store_u32(ORDER_LITTLE, header + AT_ZERO, 0);
    memcpy(header + AT_HASH, key->hash, SHA256_SIZE);
    store_size(header + AT_SIZE, size);
    make_seal(key->kind, key->hash, value, size, header + AT_SEAL);
}

static uint64_t size_of(const unsigned char header[CACHE_HEADER_SIZE])
{
    return (uint64_t)load_u32(header + AT_SIZE + 4) << 32 | load_u32(header + AT_SIZE);
}

/* True for a header of this form, of any key. */
static bool is_header(const unsigned char header[CACHE_HEADER_SIZE])
{
    return cache_entry_has_magic(header, CACHE_HEADER_SIZE) &&
           load_u32(header + AT_VERSION) == VERSION && load_u32(header + AT_ZERO) == 0;
}

static bool has_seal(const char *kind, const unsigned char header[CACHE_HEADER_SIZE],
                     const void *value, size_t size)
{
    unsigned char seal[SHA256_SIZE];
    make_seal(kind, header + AT_HASH, value, size, seal);
    return memcmp(header + AT_SEAL, seal, sizeof seal) == 0;
}

bool cache_entry_open(const struct cache_key *key, const unsigned char header[CACHE_HEADER_SIZE],
                      uint64_t *size)
{
    *size = size_of(header);
    return is_header(header) && memcmp(header + AT_HASH, key->hash, SHA256_SIZE) == 0 &&
           *size <= cache_value_max(key);
}

bool cache_entry_check(const struct cache_key *key, const unsigned char header[CACHE_HEADER_SIZE],
                       const void *value, size_t size)
{
    uint64_t sealed;
    return cache_entry_open(key, header, &sealed) && sealed == size &&
           has_seal(key->kind, header, value, size);
}

void cache_entry_seal_of(const unsigned char header[CACHE_HEADER_SIZE], struct cache_seal *out)
{
    memcpy(out->key, header + AT_HASH, sizeof out->key);
    memcpy(out->seal, header + AT_SEAL, sizeof out->seal);
}

bool cache_entry_take(struct byte_reader *from, const char *kind, struct cache_seal *out)
{
    const unsigned char *header = read_block(from, CACHE_HEADER_SIZE);
    if (!header || !is_header(header) || size_of(header) > from->size - from->at)
        return false;
    from->size = from->at + (size_t)size_of(header);
    cache_entry_seal_of(header, out);
    return has_seal(kind, header, from->data + from->at, from->size - from->at);
}
