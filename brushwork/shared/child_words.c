#include "brushwork/shared/child_words.h"

#include <stddef.h>

#include "common/core/array.h"
#include "common/core/strings.h"

const char *const build_preset_names[] = {"preview", "fast", "normal", "final", NULL};

void child_word(const char ***words, const char *name, const char *value)
{
    if (!value)
        return;
    arrput(*words, name);
    arrput(*words, value);
}

static void add_list(const char ***words, const char *name, const char *const *values)
{
    for (size_t i = 0; i < arrlenu(values); i++)
        child_word(words, name, values[i]);
}

void child_content_words(const char ***words, const struct standard_options *standard)
{
    child_word(words, "-game", standard->game);
    add_list(words, "-insert_search_path", standard->search_paths);
    add_list(words, "-fs_basepath", standard->base_paths);
    add_list(words, "-fs_game", standard->mods);
    child_word(words, "-fs_basegame", standard->base_game);
    add_list(words, "-fs_pakpath", standard->pak_paths);
    add_list(words, "-fs_forbiddenpath", standard->forbidden);
}

void child_words(const char ***words, struct arena *arena, const struct standard_options *standard)
{
    child_content_words(words, standard);
    child_word(words, "--max-memory", standard->max_memory);
    child_word(words, "-threads", arena_printf(arena, "%d", standard->console.threads));
}

void child_cache_words(const char ***words, struct arena *arena, const struct cache_choice *cache)
{
    if (cache->off)
        arrput(*words, "--no-cache");
    if (!cache->options.place && !cache->options.server)
        return;
    child_word(words, "--cache", cache->options.place);
    child_word(words, "--cache-server", cache->options.server);
    child_word(words, "--cache-key", cache->key_file);
    child_word(words, "--cache-size", cache->size);
    child_word(words, "--cache-timeout", arena_printf(arena, "%.9g", cache->options.timeout));
    if (cache->options.plain)
        arrput(*words, "--cache-plain");
    if (cache->options.read_only)
        arrput(*words, "--cache-read-only");
    if (cache->options.server_read_only)
        arrput(*words, "--cache-server-read-only");
}

char **child_arguments(struct arena *arena, const char *const *words)
{
    char **arguments = NULL;
    for (size_t i = 0; i < arrlenu(words); i++) {
        char *copy = arena_strdup(arena, words[i]); /* main may write to its arguments */
        arrput(arguments, copy);
    }
    arrput(arguments, NULL);
    return arguments;
}

bool child_can_build(const char *path)
{
    static const char *const endings[] = {".vmf", ".vmm", ".map", ".reg"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (str_ends_nocase(path, endings[i]))
            return true;
    return false;
}
