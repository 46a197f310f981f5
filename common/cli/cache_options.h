/* The options --cache, --cache-size, --cache-read-only, --cache-timeout and --no-cache of programs
 * that keep results for later runs, and BRUSHWORK_CACHE. */
#ifndef CLI_CACHE_OPTIONS_H
#define CLI_CACHE_OPTIONS_H

#include "common/cache/cache.h"
#include "common/cli/options.h"

/* A part of struct standard_options. */
struct cache_choice {
    struct cache_options options;
    const char *size; /* text of options.max_bytes; NULL: CACHE_DEFAULT_SIZE */
    bool off;
};

#define CACHE_DEFAULT_SIZE    "5G"
#define CACHE_DEFAULT_TIMEOUT 5.0

/* `base` is the offset of a struct standard_options in the values of the table. A program with this
 * group has env->cache during its run. */
struct option_group cache_option_group(size_t base);

/* Takes the place from the environment, unless the command line names or refuses one, and reads
 * the size; reports one that is none (USAGE). Does nothing for a table without the group.
 * `environment` is false for a program that another one runs. */
NODISCARD enum status cache_choose(const struct option_table *table, struct option_result *result,
                                   struct cache_choice *choice, bool environment,
                                   struct diag *diag);

/* cache_open. In a sandbox, which has no network, a server is not used, with a warning
 * (CACHE_UNUSED). */
struct cache *cache_choice_open(const struct env *env, const struct cache_choice *choice,
                                bool is_confined);

#endif
