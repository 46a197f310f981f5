#include "common/cache/cache_stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/core/arena.h"

#define PREFIX "statistics-"

/* More than that is none of ours: a million runs of a month. */
enum { FILE_MAX = 256 << 20, LINE_MAX_SIZE = 160, NUMBERS = 4, DIGITS_MAX = 18 };

const char *const cache_stages[CACHE_STAGES] = {"vbsp", "vvis", "vrad"};

int cache_stage_number(const char *name)
{
    int i = 0;
    while (i < CACHE_STAGES && strcmp(cache_stages[i], name) != 0)
        i++;
    return i;
}

/* ---- lines ---- */

/* An empty line before them ends one that was cut off. */
void cache_stats_format(const struct cache_stats *stats, struct bytes *out)
{
    bytes_append_text(out, "\nrun %" PRIu64 "\n", stats->runs);
    for (int i = 0; i < CACHE_STAGES; i++) {
        const struct cache_stage_stats *stage = &stats->stages[i];
        if (stage->hits || stage->misses)
            bytes_append_text(out, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", cache_stages[i],
                              stage->hits, stage->misses, stage->saved_ms);
    }
    bytes_append_text(out, "bytes %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                      stats->folder.read, stats->folder.written, stats->server.read,
                      stats->server.written);
}

struct line {
    const char *at, *end;
};

/* Takes a word and the space behind it. */
static bool take_word(struct line *line, const char *word)
{
    size_t size = strlen(word);
    if ((size_t)(line->end - line->at) <= size || memcmp(line->at, word, size) != 0 ||
        line->at[size] != ' ')
        return false;
    line->at += size + 1;
    return true;
}

/* Takes `count` numbers with a space between, up to the end. */
static bool take_numbers(struct line line, int count, uint64_t out[NUMBERS])
{
    for (int i = 0; i < count; i++) {
        const char *start = line.at;
        out[i] = 0;
        for (; line.at < line.end && *line.at >= '0' && *line.at <= '9'; line.at++)
            if (line.at - start < DIGITS_MAX)
                out[i] = out[i] * 10 + (uint64_t)(*line.at - '0');
        if (line.at == start || line.at - start > DIGITS_MAX)
            return false;
        if (i + 1 < count && (line.at == line.end || *line.at++ != ' '))
            return false;
    }
    return line.at == line.end;
}

static void add(uint64_t *sum, uint64_t number)
{
    *sum = *sum > UINT64_MAX - number ? UINT64_MAX : *sum + number;
}

static void take_line(struct line line, struct cache_stats *sum)
{
    uint64_t numbers[NUMBERS];
    if (take_word(&line, "run")) {
        if (take_numbers(line, 1, numbers))
            add(&sum->runs, numbers[0]);
        return;
    }
    if (take_word(&line, "bytes")) {
        uint64_t *const sums[NUMBERS] = {&sum->folder.read, &sum->folder.written, &sum->server.read,
                                         &sum->server.written};
        bool is_one = take_numbers(line, NUMBERS, numbers);
        for (int i = 0; is_one && i < NUMBERS; i++)
            add(sums[i], numbers[i]);
        return;
    }
    for (int i = 0; i < CACHE_STAGES; i++) {
        struct cache_stage_stats *stage = &sum->stages[i];
        if (!take_word(&line, cache_stages[i]) || !take_numbers(line, 3, numbers))
            continue;
        add(&stage->hits, numbers[0]);
        add(&stage->misses, numbers[1]);
        add(&stage->saved_ms, numbers[2]);
        return;
    }
}

void cache_stats_parse(const struct bytes *text, struct cache_stats *sum)
{
    const char *at = (const char *)text->data, *end = at ? at + text->size : at;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (!line_end)
            return; /* cut off */
        if (line_end - at < LINE_MAX_SIZE)
            take_line((struct line){at, line_end}, sum);
        at = line_end + 1;
    }
}

/* ---- files ---- */

int cache_stats_add(struct fs *fs, const char *folder, const struct cache_stats *stats)
{
    if (!fs->ops->append)
        return 0;
    struct arena arena = {0};
    struct bytes text = {0};
    struct tm now = {0};
    const time_t seconds = time(NULL);
    (void)gmtime_r(&seconds, &now);
    cache_stats_format(stats, &text);
    const char *path =
        arena_printf(&arena, "%s/" PREFIX "%04d-%02d", folder, now.tm_year + 1900, now.tm_mon + 1);
    int error = fs->ops->append(fs, path, text.data, text.size);
    bytes_free(&text);
    arena_free(&arena);
    return error;
}

struct walk {
    struct fs *fs;
    const char *folder;
    struct arena arena;
    struct cache_stats *sum; /* NULL: remove */
    int error;
};

static bool is_name(const char *name)
{
    static const char digits[] = "0123456789";
    const size_t prefix = strlen(PREFIX);
    return strncmp(name, PREFIX, prefix) == 0 && strspn(name + prefix, digits) == 4 &&
           name[prefix + 4] == '-' && strspn(name + prefix + 5, digits) == 2 && !name[prefix + 7];
}

static void visit(void *context, const char *name, bool is_directory)
{
    struct walk *walk = context;
    struct fs *fs = walk->fs;
    struct bytes text = {0};
    if (is_directory || !is_name(name))
        return;
    const char *path = arena_printf(&walk->arena, "%s/%s", walk->folder, name);
    if (walk->sum) {
        if (fs->ops->read_part(fs, path, 0, FILE_MAX, &text) == 0)
            cache_stats_parse(&text, walk->sum);
    } else {
        int error = fs->ops->remove(fs, path);
        walk->error = error && !fs_error_is_absent(error) ? error : walk->error;
    }
    bytes_free(&text);
}

static int walk_files(struct fs *fs, const char *folder, struct cache_stats *sum)
{
    struct walk walk = {.fs = fs, .folder = folder, .sum = sum};
    int error = fs->ops->list(fs, folder, visit, &walk);
    arena_free(&walk.arena);
    return error ? error : walk.error;
}

int cache_stats_read(struct fs *fs, const char *folder, struct cache_stats *out)
{
    *out = (struct cache_stats){0};
    return walk_files(fs, folder, out);
}

int cache_stats_remove(struct fs *fs, const char *folder)
{
    return walk_files(fs, folder, NULL);
}
