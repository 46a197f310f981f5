/* The options of the cache of programs that keep results for later runs, and their variables:
 * BRUSHWORK_CACHE, _CACHE_SERVER and _CACHE_KEY, and for what no command line should have
 * BRUSHWORK_CACHE_TOKEN, _CACHE_HEADERS, _CACHE_S3 and those of AWS. */
#ifndef CLI_CACHE_OPTIONS_H
#define CLI_CACHE_OPTIONS_H

#include "common/cache/cache.h"
#include "common/cli/options.h"

/* A part of struct standard_options. */
struct cache_choice {
    struct cache_options options;
    const char *size;     /* text of options.max_bytes; NULL: CACHE_DEFAULT_SIZE */
    const char *key_file; /* what is in it signs entries; NULL: nothing */
    bool off;
    struct bytes secret; /* of the key, while the cache is open */
};

#define CACHE_DEFAULT_SIZE    "5G"
#define CACHE_DEFAULT_TIMEOUT 5.0

/* `base` is the offset of a struct standard_options in the values of the table. A program with this
 * group has env->cache during its run. */
struct option_group cache_option_group(size_t base);

/* Takes places and the key from the environment, unless the command line names or refuses them, and
 * reads the size; reports one that is none, and two servers (USAGE). Does nothing for a table
 * without the group. `environment` is false for a program that another one runs. */
NODISCARD enum status cache_choose(const struct option_table *table, struct option_result *result,
                                   struct cache_choice *choice, bool environment,
                                   struct diag *diag);

/* cache_open, with what the environment says of the user of a server. In a sandbox, which has no
 * network, a server is not used, with a warning (CACHE_UNUSED); without its key the cache is not
 * used (CACHE_KEY_UNUSABLE). Close with cache_choice_close. */
struct cache *cache_choice_open(const struct env *env, struct cache_choice *choice,
                                bool is_confined);
void cache_choice_close(struct cache_choice *choice, struct cache *cache);

#endif
