#include "vrad/store/light_store.h"

#include <pthread.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/memory.h"

/* Bytes that an entry may have. */
#define MAX_BYTES ((uint64_t)1 << 30)

/* The fraction of an entry, 1 / N, that must be new for it to be written again. */
enum { MIN_NEW = 8 };

struct part_key {
    unsigned char hash[SHA256_SIZE];
};

/* A part: bytes of `read` or `made`. */
struct part {
    struct part_key key;
    size_t at, size;
    bool is_made, is_used;
};

/* Before each part of an entry: its hash and its size, in 32 bits. */
enum { PART_HEADER_SIZE = SHA256_SIZE + 4 };

struct kind {
    bool is_open, is_refused; /* is_refused: a part was */
    struct bytes read, made;  /* as an entry has them */
    struct part *parts;       /* stb_ds hash map */
};

struct light_store {
    struct cache *cache;
    size_t folder; /* a part of the cache */
    unsigned char scene[SHA256_SIZE];
    pthread_mutex_t lock;
    struct kind kinds[LIGHT_STORE_PARTS];
};

struct light_store *light_store_new(struct cache *cache, const unsigned char scene[SHA256_SIZE])
{
    size_t folder = 0;
    while (folder < cache_parts(cache) && cache_is_watched(cache, folder))
        folder++;
    if (folder == cache_parts(cache))
        return NULL;
    struct light_store *store = memory_zalloc(1, sizeof *store);
    store->cache = cache;
    store->folder = folder;
    memcpy(store->scene, scene, sizeof store->scene);
    pthread_mutex_init(&store->lock, NULL);
    return store;
}

void light_store_free(struct light_store *store)
{
    for (int i = 0; store && i < LIGHT_STORE_PARTS; i++) {
        bytes_free(&store->kinds[i].read);
        bytes_free(&store->kinds[i].made);
        hmfree(store->kinds[i].parts);
    }
    if (store)
        pthread_mutex_destroy(&store->lock);
    memory_free(store);
}

static struct cache_key key_of(const struct light_store *store, enum light_part kind)
{
    static const char *const kinds[] = {"vrad-direct", "vrad-hits"};
    struct cache_key key = {.kind = kinds[kind], .max = MAX_BYTES, .is_part = true};
    memcpy(key.hash, store->scene, sizeof key.hash);
    return key;
}

static struct part_key part_key_of(const unsigned char hash[SHA256_SIZE])
{
    struct part_key key;
    memcpy(key.hash, hash, sizeof key.hash);
    return key;
}

static void add_part(struct kind *kind, struct part *part)
{
    const ptrdiff_t at = hmgeti(kind->parts, part->key);
    if (at >= 0)
        kind->parts[at] = *part;
    else
        hmputs(kind->parts, *part);
}

/* Finds the parts of an entry, up to the first that it does not have whole. */
static void read_parts(struct kind *kind)
{
    struct byte_reader from = byte_reader(kind->read.data, kind->read.size);
    while (from.at < from.size) {
        const unsigned char *hash = read_block(&from, SHA256_SIZE);
        struct part part = {.size = read_u32(&from)};
        part.at = from.at;
        if (!hash || !read_block(&from, part.size))
            return;
        part.key = part_key_of(hash);
        add_part(kind, &part);
    }
}

/* Reads the entry when a part is first asked for. */
static struct kind *open_kind(struct light_store *store, enum light_part number)
{
    struct kind *kind = &store->kinds[number];
    const struct cache_key key = key_of(store, number);
    if (!kind->is_open && cache_get_of(store->cache, store->folder, &key, &kind->read))
        read_parts(kind);
    kind->is_open = true;
    return kind;
}

bool light_store_find(struct light_store *store, enum light_part number,
                      const unsigned char hash[SHA256_SIZE], struct byte_reader *out)
{
    struct part_key key = part_key_of(hash);
    pthread_mutex_lock(&store->lock);
    struct kind *kind = open_kind(store, number);
    const ptrdiff_t at = hmgeti(kind->parts, key);
    const bool is_found = at >= 0 && !kind->parts[at].is_made;
    if (is_found) {
        kind->parts[at].is_used = true;
        *out = byte_reader(kind->read.data + kind->parts[at].at, kind->parts[at].size);
    }
    pthread_mutex_unlock(&store->lock);
    return is_found;
}

void light_store_put(struct light_store *store, enum light_part number,
                     const unsigned char hash[SHA256_SIZE], const struct bytes *bytes)
{
    if (bytes->size > UINT32_MAX)
        return;
    pthread_mutex_lock(&store->lock);
    struct kind *kind = open_kind(store, number);
    struct part part = {.key = part_key_of(hash),
                        .at = kind->made.size + PART_HEADER_SIZE,
                        .size = bytes->size,
                        .is_made = true,
                        .is_used = true};
    bytes_append(&kind->made, hash, SHA256_SIZE);
    bytes_u32(&kind->made, (uint32_t)bytes->size);
    bytes_append(&kind->made, bytes->data, bytes->size);
    add_part(kind, &part);
    pthread_mutex_unlock(&store->lock);
}

void light_store_refuse(struct light_store *store, enum light_part number,
                        const unsigned char hash[SHA256_SIZE])
{
    const struct cache_key key = key_of(store, number);
    struct part_key part_key = part_key_of(hash);
    pthread_mutex_lock(&store->lock);
    (void)hmdel(store->kinds[number].parts, part_key);
    store->kinds[number].is_refused = true;
    pthread_mutex_unlock(&store->lock);
    cache_refuse(store->cache, &key, "it has a part that is not of this map");
}

/* Appends to what the run has made what it has found. */
static void keep_kind(struct light_store *store, enum light_part number)
{
    struct kind *kind = &store->kinds[number];
    const struct cache_key key = key_of(store, number);
    for (ptrdiff_t i = 0; i < hmlen(kind->parts); i++) {
        const struct part *part = &kind->parts[i];
        if (part->is_used && !part->is_made)
            bytes_append(&kind->made, kind->read.data + part->at - PART_HEADER_SIZE,
                         PART_HEADER_SIZE + part->size);
    }
    cache_put_to(store->cache, store->folder, &key, &kind->made);
}

/* An entry is written as a whole. After most edits there is little that is new, and the next one
 * will find as much in the entry as it is. */
static bool is_worth_keeping(const struct kind *kind)
{
    size_t used = 0;
    for (ptrdiff_t i = 0; i < hmlen(kind->parts); i++)
        if (kind->parts[i].is_used && !kind->parts[i].is_made)
            used += kind->parts[i].size;
    return kind->is_refused || kind->made.size > used / MIN_NEW;
}

void light_store_keep(struct light_store *store)
{
    for (int i = 0; store && i < LIGHT_STORE_PARTS; i++)
        if (is_worth_keeping(&store->kinds[i]))
            keep_kind(store, (enum light_part)i);
}
