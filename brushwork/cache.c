/* brushwork cache: shows, checks and empties a folder of results of earlier runs. */
#include <inttypes.h>

#include "brushwork/verbs.h"
#include "common/cache/cache_folder.h"
#include "common/cache/cache_stats.h"
#include "common/cli/bounds.h"
#include "common/cli/program.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/cache.def"
#include "common/diag/codes/file_access.def"
#include "common/diag/codes/usage.def"

static const char details[] =
    "Shows how many results of earlier runs the folder of --cache has, and their size, by kind. "
    "Entries can be removed at any time, also by hand and while other programs use them: what "
    "they stood for is made again. Files that are not of a cache are neither counted nor "
    "removed.";

struct cache_values {
    struct standard_options standard;
    const char *trim;
    bool verify, clear, stats, zero_stats;
};

#define FIELD(name) offsetof(struct cache_values, name)

static const struct option_def cache_verb_options[] = {
    {.name = "verify",
     .kind = OPTION_FLAG,
     .offset = FIELD(verify),
     .two_dashes = true,
     .help = "read all entries, and report those that are corrupt (C359), which gives exit "
             "status 1"},
    {.name = "trim",
     .argument = "SIZE",
     .kind = OPTION_TEXT,
     .offset = FIELD(trim),
     .two_dashes = true,
     .help = "remove the entries that were not used for longest until the others have at most "
             "this size: 500M, 2G"},
    {.name = "clear",
     .kind = OPTION_FLAG,
     .offset = FIELD(clear),
     .two_dashes = true,
     .help = "remove all entries, with what runs that were killed have left of them and the "
             "folders of the cache that are empty then"},
    {.name = "stats",
     .kind = OPTION_FLAG,
     .offset = FIELD(stats),
     .two_dashes = true,
     .help = "show what runs have found in the folder, and on the server behind it, since the "
             "statistics began: results that were used and that were made, the CPU time that the "
             "first took to make, and bytes of entries"},
    {.name = "zero-stats",
     .kind = OPTION_FLAG,
     .offset = FIELD(zero_stats),
     .two_dashes = true,
     .help = "let the statistics begin again, after --stats has shown them"},
};

/* Entries of a kind, which is borrowed. */
struct kind_sum {
    const char *kind;
    size_t entries;
    uint64_t bytes;
};

/* Returns an stb_ds array. The entries of a kind follow each other. */
static struct kind_sum *sum_kinds(const struct cache_listing *listing)
{
    struct kind_sum *sums = NULL;
    for (size_t i = 0; i < arrlenu(listing->files); i++) {
        const struct cache_file *file = &listing->files[i];
        if (!arrlen(sums) || strcmp(arrlast(sums).kind, file->key.kind) != 0)
            arrput(sums, ((struct kind_sum){.kind = file->key.kind}));
        arrlast(sums).entries++;
        arrlast(sums).bytes += file->size;
    }
    return sums;
}

static void write_text(const struct kind_sum *sums, const struct kind_sum *all, struct bytes *out)
{
    for (size_t i = 0; i < arrlenu(sums); i++)
        bytes_append_text(out, "%-16s %8zu entries %10.1f MB\n", sums[i].kind, sums[i].entries,
                          (double)sums[i].bytes * 1e-6);
    bytes_append_text(out, "%-16s %8zu entries %10.1f MB\n", all->kind, all->entries,
                      (double)all->bytes * 1e-6);
}

static void write_json(const struct kind_sum *sums, const struct kind_sum *all, struct bytes *out)
{
    bytes_append_text(out, "{\"cache\":{\"entries\":%zu,\"bytes\":%" PRIu64 ",\"kinds\":[",
                      all->entries, all->bytes);
    for (size_t i = 0; i < arrlenu(sums); i++)
        bytes_append_text(out, "%s{\"kind\":\"%s\",\"entries\":%zu,\"bytes\":%" PRIu64 "}",
                          i ? "," : "", sums[i].kind, sums[i].entries, sums[i].bytes);
    bytes_append_text(out, "]}}\n");
}

static double percent(uint64_t part, uint64_t other)
{
    return part ? 100.0 * (double)part / ((double)part + (double)other) : 0;
}

static void write_stats_text(const struct cache_stats *stats, struct bytes *out)
{
    bytes_append_text(out, "%-8s %10" PRIu64 "\n", "runs", stats->runs);
    for (int i = 0; i < CACHE_STAGES; i++) {
        const struct cache_stage_stats *stage = &stats->stages[i];
        bytes_append_text(out,
                          "%-8s %10" PRIu64 " hits %10" PRIu64 " misses %5.1f %% %12.1f s saved\n",
                          cache_stages[i], stage->hits, stage->misses,
                          percent(stage->hits, stage->misses), (double)stage->saved_ms * 1e-3);
    }
    bytes_append_text(out, "%-8s %10.1f MB read %9.1f MB written\n", "folder",
                      (double)stats->folder.read * 1e-6, (double)stats->folder.written * 1e-6);
    bytes_append_text(out, "%-8s %10.1f MB read %9.1f MB written\n", "server",
                      (double)stats->server.read * 1e-6, (double)stats->server.written * 1e-6);
}

static void write_stats_json(const struct cache_stats *stats, struct bytes *out)
{
    bytes_append_text(out, "{\"cache_statistics\":{\"runs\":%" PRIu64 ",\"stages\":[", stats->runs);
    for (int i = 0; i < CACHE_STAGES; i++)
        bytes_append_text(out,
                          "%s{\"stage\":\"%s\",\"hits\":%" PRIu64 ",\"misses\":%" PRIu64
                          ",\"saved_cpu_ms\":%" PRIu64 "}",
                          i ? "," : "", cache_stages[i], stats->stages[i].hits,
                          stats->stages[i].misses, stats->stages[i].saved_ms);
    bytes_append_text(out,
                      "],\"folder\":{\"read\":%" PRIu64 ",\"written\":%" PRIu64
                      "},\"server\":{\"read\":%" PRIu64 ",\"written\":%" PRIu64 "}}}\n",
                      stats->folder.read, stats->folder.written, stats->server.read,
                      stats->server.written);
}

static enum status report_list(const struct env *env, const char *folder, int error)
{
    if (!error)
        return STATUS_OK;
    return diag_report(env->diag, DIAG_FOLDER_READ, &(struct diag_where){.file = folder}, "%s",
                       str_error(error).text);
}

static enum status show_stats(const struct program *program, const char *folder)
{
    const struct cache_values *values = program->values;
    const struct env *env = program->env;
    struct cache_stats stats;
    struct bytes out = {0};
    TRY(report_list(env, folder, cache_stats_read(env->fs, folder, &stats)));
    if (values->standard.console.json)
        write_stats_json(&stats, &out);
    else
        write_stats_text(&stats, &out);
    enum status status = env_store(env, "-", out.data, out.size);
    bytes_free(&out);
    return status;
}

static enum status show(const struct program *program, const struct cache_listing *listing)
{
    const struct cache_values *values = program->values;
    struct kind_sum *sums = sum_kinds(listing);
    const struct kind_sum all = {"all", arrlenu(listing->files), cache_listing_bytes(listing)};
    struct bytes out = {0};
    if (values->standard.console.json)
        write_json(sums, &all, &out);
    else
        write_text(sums, &all, &out);
    enum status status = env_store(program->env, "-", out.data, out.size);
    bytes_free(&out);
    arrfree(sums);
    return status;
}

static enum status verify(const struct env *env, const struct cache_listing *listing)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(listing->files); i++) {
        const struct cache_file *file = &listing->files[i];
        if (cache_file_check(env->fs, file) != CACHE_CORRUPT)
            continue;
        (void)diag_report(env->diag, DIAG_CACHE_DAMAGED, &(struct diag_where){.file = file->path},
                          "it is cut, changed, or of another entry");
        status = STATUS_FAILED;
    }
    return status;
}

static enum status report_removal(const struct env *env, int error)
{
    if (error)
        (void)diag_report(env->diag, DIAG_FILE_REMOVE, NULL, "%s", str_error(error).text);
    return error ? STATUS_FAILED : STATUS_OK;
}

static enum status list(const struct env *env, const char *folder, struct cache_listing *out)
{
    return report_list(env, folder, cache_list(env->fs, folder, out));
}

static enum status remove_some(const struct program *program, const char *folder, size_t bytes,
                               struct cache_listing *listing)
{
    const struct cache_values *values = program->values;
    const struct env *env = program->env;
    int error;
    if (values->clear)
        (void)cache_clear(env->fs, folder, listing, &error);
    else
        (void)cache_trim(env->fs, listing, bytes, &error);
    enum status status = report_removal(env, error);
    cache_listing_free(listing);
    enum status again = list(env, folder, listing);
    return status == STATUS_OK ? again : status;
}

static enum status manage(const struct program *program)
{
    const struct cache_values *values = program->values;
    const struct env *env = program->env;
    const char *folder = program->result->operands[0];
    struct cache_listing listing;
    size_t bytes = 0;
    if (values->trim && !bounds_parse_size(values->trim, &bytes)) {
        (void)diag_report(env->diag, DIAG_USAGE, NULL,
                          "--trim needs a size of at least 1M, such as 500M or 2G, not \"%s\"",
                          values->trim);
        return STATUS_USAGE;
    }
    console_quiet(program->console);
    enum status status = list(env, folder, &listing);
    if (status == STATUS_OK && (values->trim || values->clear))
        status = remove_some(program, folder, bytes, &listing);
    if (status == STATUS_OK && !values->stats && !values->zero_stats)
        status = show(program, &listing);
    if (status == STATUS_OK && values->stats)
        status = show_stats(program, folder);
    if (status == STATUS_OK && values->zero_stats)
        status = report_removal(env, cache_stats_remove(env->fs, folder));
    if (status == STATUS_OK && values->verify)
        status = verify(env, &listing);
    cache_listing_free(&listing);
    return status;
}

int verb_cache(int argc, char **argv)
{
    struct cache_values values = {0};
    const struct option_table table = {
        VERB_PAGE(brushwork_verb("cache")),
        .details = details,
        .defs = cache_verb_options,
        .count = sizeof cache_verb_options / sizeof *cache_verb_options,
        .min_operands = 1,
        .max_operands = 1,
    };
    return program_run(&table, &values, &values.standard, argc, argv, manage);
}
