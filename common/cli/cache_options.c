#include "common/cli/cache_options.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/bounds.h"
#include "common/cli/program.h"
#include "common/core/array.h"

#define FIELD(name) offsetof(struct standard_options, cache.name)

static const struct option_def defs[] = {
    {.name = "cache",
     .argument = "PLACE",
     .kind = OPTION_TEXT,
     .path = OPTION_CACHES,
     .offset = FIELD(options.place),
     .of_run = true,
     .of_caller = true,
     .two_dashes = true,
     .use = OPTION_COMMON,
     .help = "keep results in this folder, or on the server with this http:// address; a later "
             "run takes from there what an earlier one has made of the same input. Also set by "
             "BRUSHWORK_CACHE. The output is the same without it"},
    {.name = "no-cache",
     .kind = OPTION_FLAG,
     .offset = FIELD(off),
     .of_run = true,
     .two_dashes = true,
     .help = "use no cache, whatever BRUSHWORK_CACHE says"},
    {.name = "cache-size",
     .argument = "SIZE",
     .kind = OPTION_TEXT,
     .offset = FIELD(size),
     .of_run = true,
     .two_dashes = true,
     .help = "when the folder has more than this, remove what was not used for longest: 500M, 20G; "
             "0: no bound (default: " CACHE_DEFAULT_SIZE ")"},
    {.name = "cache-read-only",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.read_only),
     .of_run = true,
     .two_dashes = true,
     .help = "take results from the cache, but add none and change nothing there"},
    {.name = "cache-timeout",
     .argument = "SECONDS",
     .kind = OPTION_NUMBER,
     .offset = FIELD(options.timeout),
     .min = 0.1,
     .max = 3600,
     .of_run = true,
     .two_dashes = true,
     .help = "give up a server that does not answer within this time, which each megabyte of a "
             "result prolongs by a second (default: 5)"},
};

struct option_group cache_option_group(size_t base)
{
    return (struct option_group){
        .title = "Cache", .defs = defs, .count = sizeof defs / sizeof *defs, .base = base};
}

/* Returns the number of the option --cache, or that of all options. */
static size_t find_place(const struct option_table *table)
{
    size_t count = options_count(table), base, i = 0;
    while (i < count && options_at(table, i, &base) != &defs[0])
        i++;
    return i;
}

enum status cache_choose(const struct option_table *table, struct option_result *result,
                         struct cache_choice *choice, bool environment, struct diag *diag)
{
    size_t place = find_place(table), bytes = 0;
    if (place == options_count(table))
        return STATUS_OK;
    const char *named = environment ? getenv("BRUSHWORK_CACHE") : NULL;
    if (named && *named && result->sources[place] == OPTION_DEFAULT) {
        choice->options.place = named;
        result->sources[place] = OPTION_ENVIRONMENT;
    }
    const char *size = choice->size ? choice->size : CACHE_DEFAULT_SIZE;
    if (strcmp(size, "0") != 0 && !bounds_parse_size(size, &bytes)) {
        (void)diag_report(
            diag, DIAG_USAGE, NULL,
            "--cache-size needs a size of at least 1M, such as 500M or 20G, or 0, not "
            "\"%s\"",
            size);
        return STATUS_USAGE;
    }
    choice->options.max_bytes = bytes;
    if (choice->options.timeout <= 0)
        choice->options.timeout = CACHE_DEFAULT_TIMEOUT;
    if (choice->off)
        choice->options.place = NULL;
    return STATUS_OK;
}

struct cache *cache_choice_open(const struct env *env, const struct cache_choice *choice,
                                bool is_confined)
{
    const char *place = choice->options.place;
    if (!is_confined || !place || !cache_is_address(place))
        return cache_open(env, &choice->options);
    char text[256];
    cache_place_text(place, text, sizeof text);
    (void)diag_report(env->diag, DIAG_CACHE_UNUSED, &(struct diag_where){.file = text},
                      "a sandbox has no network; name a folder, or run without --sandbox");
    return NULL;
}
