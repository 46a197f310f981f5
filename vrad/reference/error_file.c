#include "vrad/reference/error_file.h"

#include <string.h>

#include "common/core/arena.h"
#include "common/farm/ranks.h"
#include "common/io/fs.h"
#include "vrad/reference/luxel_errors.h"

/* Counters are whole numbers. */
#define PARTS 10000.0

static void count(const struct env *env, const struct luxel_errors *errors,
                  const struct luxel_map *map)
{
    const struct error_summary sum = luxel_errors_sum(errors, map);
    progress_count(env->progress, "paths", sum.paths);
    progress_count(env->progress, "standard error, mean, of 10000", (int64_t)(PARTS * sum.mean));
    progress_count(env->progress, "standard error, 99 %, of 10000", (int64_t)(PARTS * sum.high));
    progress_count(env->progress, "standard error, max, of 10000", (int64_t)(PARTS * sum.max));
}

enum status error_file_write(const struct env *env, const char *path, bool hdr,
                             const struct luxel_errors *errors, const struct luxel_map *map)
{
    struct arena arena = {0};
    struct bytes file = {0};
    count(env, errors, map);
    if (!path || strcmp(path, "-") == 0 || ranks_rank(env->ranks) != 0)
        return STATUS_OK;
    luxel_errors_write(errors, map, &file);
    enum status status =
        env_store(env, path_beside(&arena, path, ".bsp", hdr ? ".hdr.error" : ".error"), file.data,
                  file.size);
    bytes_free(&file);
    arena_free(&arena);
    return status;
}
