/* Any bytes as a file of a cache. They are also tried with a valid seal, so that the fuzzer gets
 * past it: what is found then is what was sealed. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/cache/cache.h"
#include "common/cache/cache_entry.h"
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cache_key key = {.kind = "fuzz"};
    char name[CACHE_PATH_SIZE], path[CACHE_PATH_SIZE + 8];
    struct fs *fs = fs_memory_new();
    struct bytes found = {0}, sealed = {0};
    unsigned char header[CACHE_HEADER_SIZE];
    bool is_found;
    memset(key.hash, 0x5a, sizeof key.hash);
    cache_entry_path(&key, name);
    snprintf(path, sizeof path, "cache/%s", name);
    check(fs->ops->write(fs, path, data, size) == 0);
    get(fs, &key, &found, &is_found);
    check(!is_found || (found.size + CACHE_HEADER_SIZE == size &&
                        cache_entry_check(&key, data, data + CACHE_HEADER_SIZE, found.size)));
    bytes_free(&found);
    cache_entry_seal(&key, data, size, header);
    bytes_append(&sealed, header, sizeof header);
    if (size)
        bytes_append(&sealed, data, size);
    check(fs->ops->write(fs, path, sealed.data, sealed.size) == 0);
    get(fs, &key, &found, &is_found);
    check(is_found && found.size == size && (!size || memcmp(found.data, data, size) == 0));
    bytes_free(&found);
    bytes_free(&sealed);
    fs_memory_free(fs);
    return 0;
}
