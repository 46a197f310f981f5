/* Any bytes as the statistics of a cache: what they sum to is written and read as the same. */
#include <stdint.h>
#include <string.h>

#include "common/cache/cache_stats.h"
#include "tests/fuzz/fuzz_check.h"

#define LARGEST 999999999999999999u /* that lines have */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_small(const struct cache_stats *stats)
{
    uint64_t all = stats->runs | stats->folder.read | stats->folder.written | stats->server.read |
                   stats->server.written;
    for (int i = 0; i < CACHE_STAGES; i++)
        all |= stats->stages[i].hits | stats->stages[i].misses | stats->stages[i].saved_ms;
    return all <= LARGEST;
}

/* Nothing is kept of a stage that was neither hit nor missed. */
static void clear_unused(struct cache_stats *stats)
{
    for (int i = 0; i < CACHE_STAGES; i++)
        if (!stats->stages[i].hits && !stats->stages[i].misses)
            stats->stages[i].saved_ms = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fs *fs = fs_memory_new();
    struct cache_stats sum = {0}, again = {0};
    struct bytes text = {0};
    fs->ops->write(fs, "cache/statistics-2026-11", data, size);
    fs->ops->write(fs, "cache/statistics-2026-1x", "run 7\n", 6);
    check(cache_stats_read(fs, "cache", &sum) == 0);
    cache_stats_format(&sum, &text);
    cache_stats_parse(&text, &again);
    clear_unused(&sum);
    if (is_small(&sum))
        check(memcmp(&sum, &again, sizeof sum) == 0);
    check(cache_stats_remove(fs, "cache") == 0);
    check(!fs_memory_file(fs, "cache/statistics-2026-11"));
    bytes_free(&text);
    fs_memory_free(fs);
    return 0;
}
