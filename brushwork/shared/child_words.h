/* Words of the command line of a process of this program: of options that both take. */
#ifndef BRUSHWORK_SHARED_CHILD_WORDS_H
#define BRUSHWORK_SHARED_CHILD_WORDS_H

#include "common/cli/program.h"

/* The presets of a build, as its command line names them. */
enum build_preset { PRESET_PREVIEW, PRESET_FAST, PRESET_NORMAL, PRESET_FINAL, BUILD_PRESETS };

/* By enum build_preset, then NULL. */
extern const char *const build_preset_names[];

/* Appends an option with its value to *words, an stb_ds array; nothing for a value NULL. */
void child_word(const char ***words, const char *name, const char *value);
/* Appends the options that say where content is. */
void child_content_words(const char ***words, const struct standard_options *standard);
/* Appends these, and those that bound the run. The priority of -low
 * is inherited. */
void child_words(const char ***words, struct arena *arena, const struct standard_options *standard);

/* Appends those of the cache (cache_option_group), for a build. */
void child_cache_words(const char ***words, struct arena *arena, const struct cache_choice *cache);

/* Returns these words as arguments for a process, with NULL at their end: an stb_ds array. */
char **child_arguments(struct arena *arena, const char *const *words);

/* Returns true for the name of a source, which `brushwork build` reads. */
bool child_can_build(const char *path);

#endif
