/* Any bytes as a file of a cache. They are also tried with a valid seal, so that the fuzzer gets
 * past it: what is found then is what was sealed. And as statistics. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/cache/cache.h"
#include "common/cache/cache_entry.h"
#include "common/cache/cache_stats.h"
#include "common/core/memory.h"
#include "tests/fuzz/fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The file system has the bytes as the entry of the key. */
static void get(struct fs *fs, const struct cache_key *key, struct bytes *found, bool *is_found)
{
    struct diag *diag = diag_new(NULL, NULL);
    const struct env env = {.diag = diag, .fs = fs, .threads = 1};
    const struct cache_options options = {.place = "cache"};
    struct cache *cache = cache_open(&env, &options);
    *is_found = cache_get(cache, key, found);
    check(*is_found || !found->size);
    cache_close(cache);
    diag_free(diag);
}

static const struct cache_secret none;

/* The bytes as what an entry has stored in a form, of a value of as much, of none, and of a lot. */
static void get_sealed(struct fs *fs, const char *path, const struct cache_key *key,
                       const uint8_t *data, size_t size)
{
    for (uint32_t form = CACHE_PLAIN; form <= CACHE_DEFLATED + 1; form++)
        for (uint64_t value = size; value <= (uint64_t)size * 4000; value = value * 60 + 1) {
            struct cache_entry entry = {.header = {0}};
            struct bytes file = {0}, found = {0};
            const struct cache_sizes sizes = {(enum cache_form)form, value, size};
            bool is_found;
            if (size)
                bytes_append(&entry.stored, data, size);
            cache_entry_seal(key, &none, &sizes, &entry);
            bytes_append(&file, entry.header, sizeof entry.header);
            if (size)
                bytes_append(&file, data, size);
            check(fs->ops->write(fs, path, file.data, file.size) == 0);
            get(fs, key, &found, &is_found);
            check(!is_found || found.size == value);
            check(is_found || form != CACHE_PLAIN || value != size);
            bytes_free(&found);
            bytes_free(&file);
            cache_entry_free(&entry);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cache_key key = {.kind = "fuzz"};
    char name[CACHE_PATH_SIZE], path[CACHE_PATH_SIZE + 8];
    struct fs *fs = fs_memory_new();
    struct bytes found = {0}, statistics = {0};
    struct cache_stats sum = {0};
    bool is_found;
    memset(key.hash, 0x5a, sizeof key.hash);
    cache_entry_path(&key, name);
    snprintf(path, sizeof path, "cache/%s", name);
    check(fs->ops->write(fs, path, data, size) == 0);
    get(fs, &key, &found, &is_found);
    check(!is_found || size >= CACHE_HEADER_SIZE);
    bytes_free(&found);
    get_sealed(fs, path, &key, data, size);
    if (size)
        bytes_append(&statistics, data, size);
    cache_stats_parse(&statistics, &sum);
    bytes_free(&statistics);
    fs_memory_free(fs);
    return 0;
}
