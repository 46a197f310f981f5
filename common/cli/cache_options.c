#include "common/cli/cache_options.h"

#include <stdlib.h>
#include <string.h>

#include "common/cli/bounds.h"
#include "common/cli/key_access.h"
#include "common/cli/program.h"
#include "common/core/array.h"
#include "common/core/environment.h"
#include "common/core/strings.h"
#include "common/diag/codes/cache.def"
#include "common/diag/codes/cache_keys.def"
#include "common/diag/codes/usage.def"

/* Bytes of a key: less can be guessed, and a file of more is another one. */
enum { KEY_MIN = 16, KEY_MAX = 4096 };

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
    {.name = "cache-server",
     .argument = "ADDRESS",
     .kind = OPTION_TEXT,
     .path = OPTION_CACHES,
     .offset = FIELD(options.server),
     .of_run = true,
     .of_caller = true,
     .two_dashes = true,
     .help = "a server behind the folder of --cache: what the folder does not have is taken from "
             "there and kept in the folder, and what is made goes to both. Also set by "
             "BRUSHWORK_CACHE_SERVER"},
    {.name = "no-cache",
     .kind = OPTION_FLAG,
     .offset = FIELD(off),
     .of_run = true,
     .two_dashes = true,
     .help = "use no cache, whatever the environment says"},
    {.name = "cache-size",
     .argument = "SIZE",
     .kind = OPTION_TEXT,
     .offset = FIELD(size),
     .of_run = true,
     .two_dashes = true,
     .help = "when the folder has more than this, remove what was not used for longest: 500M, 20G; "
             "0: no bound (default: " CACHE_DEFAULT_SIZE ")"},
    {.name = "cache-plain",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.plain),
     .of_run = true,
     .two_dashes = true,
     .help = "do not compress what is added to the cache: less time, and twice the size"},
    {.name = "cache-read-only",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.read_only),
     .of_run = true,
     .two_dashes = true,
     .help = "take results from the cache, but add none and change nothing there"},
    {.name = "cache-server-read-only",
     .kind = OPTION_FLAG,
     .offset = FIELD(options.server_read_only),
     .of_run = true,
     .two_dashes = true,
     .help = "the same for the server alone"},
    {.name = "cache-key",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     .path = OPTION_READS,
     .offset = FIELD(key_file),
     .of_run = true,
     .of_caller = true,
     .two_dashes = true,
     .help = "sign entries with what is in this file (HMAC-SHA-256), and take none without that "
             "signature. Also set by BRUSHWORK_CACHE_KEY"},
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

/* Returns the number of an option of the group, or that of all options. */
static size_t find_option(const struct option_table *table, const char *name)
{
    size_t count = options_count(table), base, i = 0;
    for (; i < count; i++) {
        const struct option_def *def = options_at(table, i, &base);
        if (def >= defs && def < defs + sizeof defs / sizeof *defs && strcmp(def->name, name) == 0)
            return i;
    }
    return count;
}

static void take_variable(const struct option_table *table, struct option_result *result,
                          const char *option, const char *variable, const char **field)
{
    const char *named = environment_text(&result->texts, variable);
    size_t number = find_option(table, option);
    if (!named || !*named || result->sources[number] != OPTION_DEFAULT)
        return;
    *field = named;
    result->sources[number] = OPTION_ENVIRONMENT;
}

static enum status refuse(struct diag *diag, const char *why, const char *what)
{
    (void)diag_report(diag, DIAG_USAGE, NULL, "%s%s", why, what);
    return STATUS_USAGE;
}

/* A place of the command line stands for itself: a server of the environment is not behind it when
 * it is one. */
static enum status check_places(struct cache_options *options, bool server_is_given,
                                struct diag *diag)
{
    char place[256];
    const char *server = options->server && *options->server ? options->server : NULL;
    if (!server)
        return STATUS_OK;
    cache_place_text(server, place, sizeof place);
    if (!cache_is_address(server))
        return refuse(diag, "--cache-server needs an address such as http://host/cache, not ",
                      place);
    if (!options->place || !*options->place || !cache_is_address(options->place))
        return STATUS_OK;
    if (server_is_given)
        return refuse(diag, "--cache and --cache-server are both servers: ", place);
    options->server = NULL;
    return STATUS_OK;
}

static enum status read_size(struct cache_choice *choice, struct diag *diag)
{
    size_t bytes = 0;
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
    return STATUS_OK;
}

enum status cache_choose(const struct option_table *table, struct option_result *result,
                         struct cache_choice *choice, bool environment, struct diag *diag)
{
    struct cache_options *options = &choice->options;
    if (find_option(table, "cache") == options_count(table))
        return STATUS_OK;
    if (environment) {
        take_variable(table, result, "cache", "BRUSHWORK_CACHE", &options->place);
        take_variable(table, result, "cache-server", "BRUSHWORK_CACHE_SERVER", &options->server);
        take_variable(table, result, "cache-key", "BRUSHWORK_CACHE_KEY", &choice->key_file);
    }
    TRY(read_size(choice, diag));
    if (options->timeout <= 0)
        options->timeout = CACHE_DEFAULT_TIMEOUT;
    /* --cache "" is no cache, whatever the environment says of a server. */
    const bool is_refused = options->place && !*options->place;
    const bool is_given =
        result->sources[find_option(table, "cache-server")] == OPTION_COMMAND_LINE;
    if (choice->off || (is_refused && !is_given))
        options->place = options->server = NULL;
    return check_places(options, is_given, diag);
}

/* ---- the key ---- */

/* Returns false when there is a key that cannot be used: then nothing can be trusted. */
static bool read_secret(const struct env *env, struct cache_choice *choice)
{
    char by[KEY_ACCESS_TEXT];
    const char *path = choice->key_file;
    const struct diag_where where = {.file = path};
    struct fs *fs = fs_plain(env->fs);
    if (!path || !*path)
        return true;
    bytes_free(&choice->secret);
    int error = fs->ops->read_part(fs, path, 0, KEY_MAX + 1, &choice->secret);
    if (error)
        (void)diag_report(env->diag, DIAG_CACHE_KEY_UNUSABLE, &where, "%s", str_error(error).text);
    else if (choice->secret.size < KEY_MIN || choice->secret.size > KEY_MAX)
        (void)diag_report(env->diag, DIAG_CACHE_KEY_UNUSABLE, &where, "it has %s than %d bytes",
                          choice->secret.size < KEY_MIN ? "less" : "more",
                          choice->secret.size < KEY_MIN ? KEY_MIN : KEY_MAX);
    else if (key_access_of_others(path, by))
        (void)diag_report(env->diag, DIAG_CACHE_KEY_OPEN, &where, "%s", by);
    choice->options.secret = (struct cache_secret){choice->secret.data, choice->secret.size};
    return !error && choice->secret.size >= KEY_MIN && choice->secret.size <= KEY_MAX;
}

/* ---- opening ---- */

static const char *variable(const char *name)
{
    const char *value = getenv(name); // NOLINT(concurrency-mt-unsafe): nobody sets one
    return value && *value ? value : NULL;
}

/* Of a command line these could be seen by others. */
static void read_access(struct cache_access *access)
{
    *access = (struct cache_access){.token = variable("BRUSHWORK_CACHE_TOKEN"),
                                    .headers = variable("BRUSHWORK_CACHE_HEADERS"),
                                    .s3_region = variable("BRUSHWORK_CACHE_S3")};
    if (!access->s3_region)
        return;
    access->s3_user = variable("AWS_ACCESS_KEY_ID");
    access->s3_secret = variable("AWS_SECRET_ACCESS_KEY");
    access->s3_session = variable("AWS_SESSION_TOKEN");
}

static bool is_server(const char *place)
{
    return place && *place && cache_is_address(place);
}

/* A sandbox has no network. */
static void drop_servers(const struct env *env, struct cache_options *options)
{
    char text[256];
    const char *server = is_server(options->place) ? options->place : options->server;
    if (!is_server(server))
        return;
    cache_place_text(server, text, sizeof text);
    (void)diag_report(env->diag, DIAG_CACHE_UNUSED, &(struct diag_where){.file = text},
                      "a sandbox has no network; name a folder, or run without --sandbox");
    if (is_server(options->place))
        options->place = NULL;
    options->server = NULL;
}

struct cache *cache_choice_open(const struct env *env, struct cache_choice *choice,
                                bool is_confined)
{
    struct cache_options options = choice->options;
    const bool is_none =
        (!options.place || !*options.place) && (!options.server || !*options.server);
    if (is_none || !read_secret(env, choice))
        return NULL;
    options.secret = choice->options.secret;
    read_access(&options.access);
    if (is_confined)
        drop_servers(env, &options);
    return cache_open(env, &options);
}

void cache_choice_close(struct cache_choice *choice, struct cache *cache)
{
    cache_close(cache);
    if (choice->secret.size)
        memset(choice->secret.data, 0, choice->secret.size);
    bytes_free(&choice->secret);
}
